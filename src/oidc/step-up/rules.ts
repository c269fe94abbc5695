import type { CurrentSession } from '../../access/principal.ts'
import type { Attempts } from '../../authentication/attempts/index.ts'
import type { Authentication } from '../../authentication/sessions/index.ts'
import { type Acr, acrValues, meetsAcr } from '../../core/authentication-classes.ts'
import type { RequiredAcr } from '../rules.ts'

/** The time, the methods and the authentication class of a session, as tokens report them. */
export interface AuthenticationFacts {
  /** The authentication class of the session. */
  readonly acr: string
  /** The authentication methods as values of RFC 8176. A method without such a value is left out. */
  readonly amr: readonly string[]
  /** The time of the authentication: proofs given from this time on are enough for the class. */
  readonly at: Date
}

export const classOf = (required: RequiredAcr): Acr => `urn:gatehouse:acr:${required}`

/** Reads the facts about a session's authentication from the session's stored columns. */
export type ReadFacts = (
  authentication: Authentication,
  session: Pick<CurrentSession, 'userId' | 'createdAt'>,
) => AuthenticationFacts

export const createReadFacts =
  ({ authenticatedAt }: Pick<Attempts, 'authenticatedAt'>): ReadFacts =>
  (authentication, session) => ({
    acr: authentication.acr,
    amr: authentication.amr,
    at: authenticatedAt(authentication, session),
  })

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/**
 * A list of authentication classes, any one of which meets the request. If `isEssential` is true, the request fails when none of them is
 * reached.
 */
export interface AskedClasses {
  readonly values: readonly string[]
  readonly isEssential: boolean
}

/**
 * The authentication classes that the parameter `claims` requests for the ID token (OpenID Connect Core 1.0, sections 5.5.1 and 5.5.1.1).
 * The list is empty if it requests none. Undefined if the parameter is malformed.
 */
export const classesOfClaims = (claims: unknown): AskedClasses | undefined => {
  const { acr } = ((claims as { id_token?: unknown } | null)?.id_token ?? {}) as { readonly acr?: unknown }
  if (acr === undefined || acr === null) return { values: [], isEssential: false }
  if (typeof acr !== 'object') return undefined
  const { essential, value, values = value === undefined ? [] : [value] } = acr as Readonly<Record<string, unknown>>
  return isTexts(values) ? { values, isEssential: essential === true } : undefined
}

const read = (json: unknown): unknown => {
  try {
    return typeof json === 'string' ? JSON.parse(json) : undefined
  } catch {
    return undefined
  }
}

/** All requested authentication classes: optional classes in `acr_values`, and classes in the parameter `claims`. */
export const askedClasses = (params: Readonly<Record<string, unknown>>): readonly AskedClasses[] => {
  const { acr_values: values, claims } = params
  const asked = typeof values === 'string' ? values.split(' ').filter((value) => value !== '') : []
  return [{ values: asked, isEssential: false }, classesOfClaims(read(claims)) ?? []]
    .flat()
    .filter((list) => list.values.length > 0)
}

const levelOf = (acr: string) => (acrValues as readonly string[]).indexOf(acr)

/**
 * The lowest authentication class that meets all lists and all requirements in addition; undefined if nothing is required. Null if no
 * class of an essential list can be reached. An optional list is ignored if none of its classes can be reached.
 */
export const wantedClass = (
  lists: readonly AskedClasses[],
  required: readonly Acr[],
  isReachable: (acr: Acr) => boolean,
): Acr | null | undefined => {
  const found = lists.map(({ values, isEssential }) => ({
    acr: acrValues.find((acr) => values.includes(acr) && isReachable(acr)),
    isEssential,
  }))
  if (found.some(({ acr, isEssential }) => isEssential && acr === undefined)) return null
  const lowest = found.map(({ acr }) => acr)
  const all = [...lowest, ...required].filter((acr) => acr !== undefined)
  return all.reduce<Acr | undefined>((high, acr) => (high === undefined || levelOf(acr) > levelOf(high) ? acr : high), undefined)
}

/**
 * The authentication class that tokens report: the highest requested class that the session meets, or else the class of the session. The
 * application compares it with its request (OpenID Connect Core 1.0, section 5.5.1.1).
 */
export const answeredClass = (acr: string, lists: readonly AskedClasses[]): string => {
  const asked = lists.flatMap(({ values }) => values)
  if (asked.length === 0 || asked.includes(acr)) return acr
  return [...acrValues].reverse().find((one) => asked.includes(one) && meetsAcr(acr, one)) ?? acr
}
