import { isIP } from 'node:net'
import { hasUndecodable } from './input-text.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const prefix = 'GATEHOUSE_'

/** An address as the variables of links contain it: `tcp://10.0.0.7:80`, `udp://[fd00::7]:53`. */
const linkedAddress = /^(tcp|udp|sctp):\/\/[\w.:[\]-]+:\d+$/
const digits = /^\d+$/

/**
 * Variables that Kubernetes makes for each Service
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables) and Docker for a linked container. For a
 * service called `gatehouse` their names begin like ours. Name and value both have to match, so that a misspelt variable of ours is not
 * ignored. `begin` is the part of the name before the end that `name` describes.
 */
const serviceLinks: readonly {
  readonly name: RegExp
  readonly fits: (value: string, begin: string, env: Environment) => boolean
}[] = [
  { name: /_PORT(_\d+_(TCP|UDP|SCTP))?$/, fits: (value) => linkedAddress.test(value) },
  { name: /_PORT_\d+_(TCP|UDP|SCTP)_PROTO$/, fits: (value) => /^(tcp|udp|sctp)$/.test(value) },
  { name: /_PORT_\d+_(TCP|UDP|SCTP)_PORT$/, fits: (value) => digits.test(value) },
  { name: /_PORT_\d+_(TCP|UDP|SCTP)_ADDR$/, fits: (value) => isIP(value) !== 0 },
  { name: /_SERVICE_HOST$/, fits: (value, begin, env) => isIP(value) !== 0 && env[`${begin}_SERVICE_PORT`] !== undefined },
  {
    name: /_SERVICE_PORT(_\w+)?$/,
    fits: (value, begin, env) => digits.test(value) && env[`${begin}_SERVICE_HOST`] !== undefined,
  },
  {
    name: /_(NAME$|ENV_\w+)/,
    fits: (_, begin, env) =>
      /^\/[^/]+\/[^/]+$/.test(env[`${begin}_NAME`] ?? '') && linkedAddress.test(env[`${begin}_PORT`] ?? ''),
  },
]

const isServiceLink = (variable: string, value: string, env: Environment): boolean =>
  serviceLinks.some(({ name, fits }) => {
    const at = variable.search(name)
    return at !== -1 && fits(value, variable.slice(0, at), env)
  })

/** The text inside of one pair of quotation marks. Text without such a pair stays unchanged. */
export const withoutQuotes = (text: string): string => /^(["'])((?:(?!\1).)*)\1$/s.exec(text)?.[2] ?? text

/** Texts that cannot be meant as the value of a variable. */
const refusals: readonly { readonly is: (value: string) => boolean; readonly problem: string }[] = [
  { is: hasUndecodable, problem: 'is not valid UTF-8' },
  {
    // A placeholder that `docker run --env-file` and systemd leave as it is. As a secret, anybody could guess it.
    is: (value) => /^\$(\{[^{}]*\}|\([^()]*\))$/.test(withoutQuotes(value)),
    problem: 'is the name of another variable, which nothing has put its value in place of',
  },
  {
    is: (value) => withoutQuotes(value) === value && !value.includes('\n') && /\s#(\s|$)/.test(value),
    problem:
      'has a comment behind its value, which docker run --env-file keeps; take it away, or put the value into quotation marks',
  },
]

/** The value of a variable, or its problem. */
export type Taken = { readonly value: string } | { readonly problem: string }

/**
 * Cleans the value of a variable, or of a file that it names. Removes line breaks, blanks and a byte order mark at its ends; shells,
 * Kubernetes secrets and CRLF files add them. Also removes the quotation marks that `docker run --env-file` keeps. An empty value counts
 * as not set.
 */
export const takeValue = (text: string): Taken => {
  const value = text.trim()
  const problem = refusals.find(({ is }) => is(value))?.problem
  return problem === undefined ? { value: withoutQuotes(value).trim() } : { problem }
}

/**
 * The value of one variable. Undefined if it is not set, empty or a service link. An invalid value is returned unchanged, and the schema
 * refuses it.
 */
export const variableOf = (env: Environment, variable: string): string | undefined => {
  const text = env[variable]
  if (text === undefined || (variable.startsWith(prefix) && isServiceLink(variable, text.trim(), env))) return undefined
  const taken = takeValue(text)
  return ('value' in taken ? taken.value : text) || undefined
}

/** The variables of gatehouse by name, without service links. */
export const ownVariables = (env: Environment): readonly (readonly [variable: string, taken: Taken])[] =>
  Object.entries(env).flatMap(([variable, text]) =>
    text === undefined || !variable.startsWith(prefix) || isServiceLink(variable, text.trim(), env)
      ? []
      : [[variable, takeValue(text)] as const],
  )
