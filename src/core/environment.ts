import { isIP } from 'node:net'
import { hasUndecodable } from './input-text.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const prefix = 'GATEHOUSE_'

/** The form of a network address in the variables that Kubernetes and Docker make: `tcp://10.0.0.7:80`, `udp://[fd00::7]:53`. */
const linkedAddress = /^(tcp|udp|sctp):\/\/[\w.:[\]-]+:\d+$/
const digits = /^\d+$/

/**
 * Variables that Kubernetes makes for each Service
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables), and Docker for a linked container. For a
 * Service that is called `gatehouse`, the names of these variables begin as the variables of gatehouse do. They are recognised by name
 * and value together, so that a misspelt variable of gatehouse is not ignored. `name` matches the end of a variable's name, and `begin`
 * is the part before that end.
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

/** Removes one pair of quotation marks around a text. A text without such a pair is returned unchanged. */
export const withoutQuotes = (text: string): string => /^(["'])((?:(?!\1).)*)\1$/s.exec(text)?.[2] ?? text

/** Values that nobody can have meant as the value of a variable, each with a message. */
const refusals: readonly { readonly is: (value: string) => boolean; readonly problem: string }[] = [
  { is: hasUndecodable, problem: 'is not valid UTF-8' },
  {
    // A placeholder such as `${SECRET}`, which `docker run --env-file` and systemd do not replace. If it were used as a secret, anybody
    // could guess it.
    is: (value) => /^\$(\{[^{}]*\}|\([^()]*\))$/.test(withoutQuotes(value)),
    problem: 'is the name of another variable, which nothing has put its value in place of',
  },
  {
    is: (value) => withoutQuotes(value) === value && !value.includes('\n') && /\s#(\s|$)/.test(value),
    problem:
      'has a comment behind its value, which docker run --env-file keeps; take it away, or put the value into quotation marks',
  },
]

/** The value of a variable, or the problem with it. */
export type Taken = { readonly value: string } | { readonly problem: string }

/**
 * Cleans the value of a variable, or of a file that a variable names. Removes line breaks, blanks and a byte order mark at both ends,
 * because shells, Kubernetes secrets and CRLF files add them. Also removes the quotation marks that `docker run --env-file` leaves in
 * place. A variable with an empty value counts as not set.
 */
export const takeValue = (text: string): Taken => {
  const value = text.trim()
  const problem = refusals.find(({ is }) => is(value))?.problem
  return problem === undefined ? { value: withoutQuotes(value).trim() } : { problem }
}

/**
 * The value of one variable. Undefined if the variable is not set, is empty, or comes from Kubernetes or Docker. An invalid value is
 * returned unchanged, and the schema refuses it.
 */
export const variableOf = (env: Environment, variable: string): string | undefined => {
  const text = env[variable]
  if (text === undefined || (variable.startsWith(prefix) && isServiceLink(variable, text.trim(), env))) return undefined
  const taken = takeValue(text)
  return ('value' in taken ? taken.value : text) || undefined
}

/** The variables of gatehouse by name, without those that Kubernetes or Docker made. */
export const ownVariables = (env: Environment): readonly (readonly [variable: string, taken: Taken])[] =>
  Object.entries(env).flatMap(([variable, text]) =>
    text === undefined || !variable.startsWith(prefix) || isServiceLink(variable, text.trim(), env)
      ? []
      : [[variable, takeValue(text)] as const],
  )
