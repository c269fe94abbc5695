import { splitScope } from './rules.ts'

/** What a request says about one claim in its parameter `claims` (OpenID Connect Core 1.0, section 5.5.1). */
interface Wish {
  readonly essential?: boolean
  readonly value?: unknown
  readonly values?: readonly unknown[]
}

const targets = ['id_token', 'userinfo'] as const
type Target = (typeof targets)[number]

/** The content of the parameter `claims`: claims for the ID token and claims for userinfo. */
export type RequestedClaims = { readonly [T in Target]?: Readonly<Record<string, Wish | null>> }

/** Claims about the sign-in. They need no consent of the person. */
const aboutSignIn = ['sub', 'acr', 'amr', 'auth_time']

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The JSON type that `value` and `values` must have for each of the claims about the sign-in. */
const typeOfValues: Readonly<Record<string, 'string' | 'number'>> = { sub: 'string', acr: 'string', auth_time: 'number' }

const isWish = (name: string, wish: Readonly<Record<string, unknown>>): boolean => {
  const { essential = false, value, values = [] } = wish
  if (typeof essential !== 'boolean' || !Array.isArray(values)) return false
  const type = typeOfValues[name]
  // A browser has only one signed-in user, so only one `sub` can be requested.
  if (name === 'sub' && (values.length > 1 || (value !== undefined && values.length > 0))) return false
  return type === undefined || [...(value === undefined ? [] : [value]), ...values].every((one) => typeof one === type)
}

/** The library compares only a single `sub`. A list with one value is therefore replaced by that value. */
const ofOneSubject = (name: string, wish: Wish | null): Wish | null =>
  name === 'sub' && wish?.values?.length === 1 ? { value: wish.values[0] } : wish

/** The scope to which each claim belongs. */
export const scopeOfClaim = (byScope: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string> =>
  new Map([...byScope].flatMap(([scope, names]) => names.map((name) => [name, scope] as const)))

/**
 * Reads the parameter `claims`. Keeps the claims that the client can get: claims of its registered scopes, and claims about the sign-in.
 * All other claims are dropped, even essential claims (OpenID Connect Core 1.0, section 5.5.1). Returns a text about the problem if the
 * parameter is malformed.
 */
export const readRequestedClaims = (
  sent: Readonly<Record<string, unknown>>,
  scopeOf: ReadonlyMap<string, string>,
  allowedScopes: readonly string[],
): RequestedClaims | string => {
  const read: Partial<Record<Target, Record<string, Wish | null>>> = {}
  for (const target of targets) {
    const wishes = sent[target]
    if (wishes === undefined) continue
    if (!isObject(wishes)) return `claims.${target} must be an object`
    for (const [name, wish] of Object.entries(wishes)) {
      if (wish !== null && !(isObject(wish) && isWish(name, wish)))
        return `claims.${target}.${name.slice(0, 100)} must be null, or an object with essential, value or values of the right types`
      const scope = scopeOf.get(name)
      const isAllowed = aboutSignIn.includes(name) || (scope !== undefined && scope !== 'openid' && allowedScopes.includes(scope))
      if (isAllowed) read[target] = { ...read[target], [name]: ofOneSubject(name, wish) }
    }
  }
  return read
}

/** The names of the requested claims that need consent, for one target, or for both targets if `target` is absent. */
export const consentedClaims = (requested: RequestedClaims, target?: Target): readonly string[] => [
  ...new Set(
    targets
      .filter((one) => target === undefined || one === target)
      .flatMap((one) => Object.keys(requested[one] ?? {}))
      .filter((name) => !aboutSignIn.includes(name)),
  ),
]

/** The requested claims in the parameters of a request. They were checked before. */
export const claimsOfRequest = ({ claims }: Readonly<Record<string, unknown>>): RequestedClaims => {
  if (typeof claims !== 'string') return {}
  const read: unknown = JSON.parse(claims)
  return isObject(read) ? (read as RequestedClaims) : {}
}

/** The scopes that need consent: requested scopes, and the scopes to which individually requested claims belong. */
export const consentScopes = (
  params: Readonly<Record<string, unknown>>,
  scopeOf: ReadonlyMap<string, string>,
): readonly string[] => [
  ...new Set([
    ...splitScope(typeof params['scope'] === 'string' ? params['scope'] : ''),
    ...consentedClaims(claimsOfRequest(params)).flatMap((name) => scopeOf.get(name) ?? []),
  ]),
]
