import type { CurrentSession } from '../../access/principal.ts'
import type { Attempts } from '../../authentication/attempts/index.ts'
import type { Authentication } from '../../authentication/sessions/index.ts'
import { type Acr, acrValues, meetsAcr } from '../../core/authentication-classes.ts'
import type { RequiredAcr } from '../rules.ts'

/** The time, methods and class of a session's authentication, as tokens report them. */
export interface AuthenticationFacts {
  /** The authentication class of the session. */
  readonly acr: string
  /** Values of RFC 8176. The list is empty for methods without such a value. */
  readonly amr: readonly string[]
  /** The time from which the later proofs alone reach the class. */
  readonly at: Date
}

export const classOf = (required: RequiredAcr): Acr => `urn:gatehouse:acr:${required}`

/** Reads the proofs from the stored columns of a session. */
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

/** A list of authentication classes. The request asks for any one of them. With `isEssential` the request fails if none is reached. */
export interface AskedClasses {
  readonly values: readonly string[]
  readonly isEssential: boolean
}

/**
 * The classes that the parameter `claims` requests for the ID token (OpenID Connect Core 1.0, sections 5.5.1 and 5.5.1.1). The list is
 * empty if there is no such request. Undefined if the parameter is malformed.
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

/** The requested classes: the optional ones in `acr_values`, and those in `claims`. */
export const askedClasses = (params: Readonly<Record<string, unknown>>): readonly AskedClasses[] => {
  const { acr_values: values, claims } = params
  const asked = typeof values === 'string' ? values.split(' ').filter((value) => value !== '') : []
  return [{ values: asked, isEssential: false }, classesOfClaims(read(claims)) ?? []]
    .flat()
    .filter((list) => list.values.length > 0)
}

const levelOf = (acr: string) => (acrValues as readonly string[]).indexOf(acr)

/**
 * The lowest class that meets all lists and all further requirements; undefined if there are none. Null if an essential list has no class
 * that can be reached. An optional list without such a class is ignored.
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
 * The class that tokens report: the class of the session, or the highest requested class that the session meets. An application compares
 * it with its request (OpenID Connect Core 1.0, section 5.5.1.1).
 */
export const answeredClass = (acr: string, lists: readonly AskedClasses[]): string => {
  const asked = lists.flatMap(({ values }) => values)
  if (asked.length === 0 || asked.includes(acr)) return acr
  return [...acrValues].reverse().find((one) => asked.includes(one) && meetsAcr(acr, one)) ?? acr
}
