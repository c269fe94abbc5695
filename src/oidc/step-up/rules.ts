import type { CurrentSession } from '../../access/principal.ts'
import type { Attempts } from '../../authentication/attempts/index.ts'
import type { Authentication } from '../../authentication/sessions/index.ts'
import { type Acr, acrValues, meetsAcr } from '../../core/authentication-classes.ts'
import type { RequiredAcr } from '../rules.ts'

/** How and when the user of a session was authenticated, as tokens say it. */
export interface AuthenticationFacts {
  /** Class of the session. */
  readonly acr: string
  /** Values of RFC 8176; none where it has no value for the method. */
  readonly amr: readonly string[]
  /** Since when all counts that the class rests on. */
  readonly at: Date
}

export const classOf = (required: RequiredAcr): Acr => `urn:gatehouse:acr:${required}`

/** Reads them from what is stored of a session. */
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
 * The classes of which `claims` demands one for the ID token (OpenID Connect Core 1.0, section 5.5.1.1): none when it does not, undefined when it is
 * not in their form.
 */
export const classesOfClaims = (claims: unknown): readonly string[] | undefined => {
  const { acr } = ((claims as { id_token?: unknown } | null)?.id_token ?? {}) as { readonly acr?: unknown }
  if (acr === undefined || acr === null) return []
  if (typeof acr !== 'object') return undefined
  const { value, values } = acr as { readonly value?: unknown; readonly values?: unknown }
  if (value !== undefined) return typeof value === 'string' ? [value] : undefined
  if (values !== undefined) return isTexts(values) ? values : undefined
  return []
}

const read = (json: unknown): unknown => {
  try {
    return typeof json === 'string' ? JSON.parse(json) : undefined
  } catch {
    return undefined
  }
}

/** Lists of classes of each of which an authorization request wants one: by `acr_values`, and by `claims`. */
export const askedClasses = (params: Readonly<Record<string, unknown>>): readonly (readonly string[])[] => {
  const { acr_values: values, claims } = params
  const asked = typeof values === 'string' ? values.split(' ').filter((value) => value !== '') : []
  return [asked, classesOfClaims(read(claims)) ?? []].filter((list) => list.length > 0)
}

const levelOf = (acr: string) => (acrValues as readonly string[]).indexOf(acr)

/** The lowest class that meets every list and all that is required besides; null where a list names no class that can be reached, undefined for none. */
export const wantedClass = (
  lists: readonly (readonly string[])[],
  required: readonly Acr[],
  isReachable: (acr: Acr) => boolean,
): Acr | null | undefined => {
  const lowest = lists.map((list) => acrValues.find((acr) => list.includes(acr) && isReachable(acr)))
  if (lowest.includes(undefined)) return null
  const all = [...lowest, ...required].filter((acr) => acr !== undefined)
  return all.reduce<Acr | undefined>((high, acr) => (high === undefined || levelOf(acr) > levelOf(high) ? acr : high), undefined)
}

/**
 * What tokens say of a session: its class, or where others were asked for, the highest of them that it meets. An application compares what it gets with what it
 * asked for (OpenID Connect Core 1.0, section 5.5.1.1).
 */
export const answeredClass = (acr: string, lists: readonly (readonly string[])[]): string => {
  const asked = lists.flat()
  if (asked.length === 0 || asked.includes(acr)) return acr
  return [...acrValues].reverse().find((one) => asked.includes(one) && meetsAcr(acr, one)) ?? acr
}
