import { parse, stringify } from 'yaml'
import type { CallParts } from '../../../src/http/client.ts'

/**
 * The configuration keys below `billing` that are about entitlements. Other keys of a pasted text are not sent to the server, because
 * that section may contain secrets.
 */
const ruleKeys = ['entitlements', 'plans', 'freeSeats', 'grace'] as const

type Rules = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Rules =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const picked = (value: Rules): Rules =>
  Object.fromEntries(ruleKeys.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]]])))

/**
 * Shortens rules as people write them in the configuration file: a list with one entry becomes the entry, and the default `combine: sum`
 * is left out.
 */
const shortened = (rule: unknown): Rules =>
  Object.fromEntries(
    Object.entries(fieldsOf(rule)).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'combine' && value === 'sum') return []
      return [[key, Array.isArray(value) && value.length === 1 ? value[0] : value]]
    }),
  )

/** The rules as YAML of the configuration file. */
export const textOfRules = (rules: object): string => {
  const { entitlements, ...rest } = picked(fieldsOf(rules))
  const list = Array.isArray(entitlements) ? entitlements.map(shortened) : []
  return stringify({ billing: { entitlements: list, ...rest } }, { lineWidth: 0 })
}

/** Parses the rules from a pasted part of the configuration file, with or without its line `billing:`. Throws for invalid YAML. */
export const rulesOfText = (text: string): CallParts['body'] => {
  const all = fieldsOf(parse(text))
  return picked(all['billing'] === undefined ? all : fieldsOf(all['billing']))
}
