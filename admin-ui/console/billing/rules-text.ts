import { parse, stringify } from 'yaml'
import type { CallParts } from '../../../src/http/client.ts'

/** The keys of `billing` about entitlements. Other pasted keys are not sent, because the section may contain secrets. */
const ruleKeys = ['entitlements', 'plans', 'freeSeats', 'grace'] as const

type Rules = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Rules =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const picked = (value: Rules): Rules =>
  Object.fromEntries(ruleKeys.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]]])))

/** Writes a list with one entry as that entry, as people do in the configuration file, and leaves out the default `combine: sum`. */
const shortened = (rule: unknown): Rules =>
  Object.fromEntries(
    Object.entries(fieldsOf(rule)).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'combine' && value === 'sum') return []
      return [[key, Array.isArray(value) && value.length === 1 ? value[0] : value]]
    }),
  )

/** Rules in the form of the configuration file. */
export const textOfRules = (rules: object): string => {
  const { entitlements, ...rest } = picked(fieldsOf(rules))
  const list = Array.isArray(entitlements) ? entitlements.map(shortened) : []
  return stringify({ billing: { entitlements: list, ...rest } }, { lineWidth: 0 })
}

/** The rules in a part of a configuration file, with or without `billing:`. Throws for invalid YAML. */
export const rulesOfText = (text: string): CallParts['body'] => {
  const all = fieldsOf(parse(text))
  return picked(all['billing'] === undefined ? all : fieldsOf(all['billing']))
}
