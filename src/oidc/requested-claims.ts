import { splitScope } from './rules.ts'

/** A request for a single claim (OpenID Connect Core 1.0, section 5.5.1). */
interface Wish {
  readonly essential?: boolean
  readonly value?: unknown
  readonly values?: readonly unknown[]
}

const targets = ['id_token', 'userinfo'] as const
type Target = (typeof targets)[number]

/** The claims that a request asks for one by one. Each is for the ID token or for userinfo. */
export type RequestedClaims = { readonly [T in Target]?: Readonly<Record<string, Wish | null>> }

/** Claims about the sign-in. They need no consent. */
const aboutSignIn = ['sub', 'acr', 'amr', 'auth_time']

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The types of `value` and `values` of these claims. */
const typeOfValues: Readonly<Record<string, 'string' | 'number'>> = { sub: 'string', acr: 'string', auth_time: 'number' }

const isWish = (name: string, wish: Readonly<Record<string, unknown>>): boolean => {
  const { essential = false, value, values = [] } = wish
  if (typeof essential !== 'boolean' || !Array.isArray(values)) return false
  const type = typeOfValues[name]
  // A browser has only one signed-in user.
  if (name === 'sub' && (values.length > 1 || (value !== undefined && values.length > 0))) return false
  return type === undefined || [...(value === undefined ? [] : [value]), ...values].every((one) => typeof one === type)
}

/** A list with a single value becomes that value, which the library compares. */
const ofOneSubject = (name: string, wish: Wish | null): Wish | null =>
  name === 'sub' && wish?.values?.length === 1 ? { value: wish.values[0] } : wish

/** The scope of each claim. */
export const scopeOfClaim = (byScope: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string> =>
  new Map([...byScope].flatMap(([scope, names]) => names.map((name) => [name, scope] as const)))

/**
 * Reads the requested claims that the client can get: the claims of its registered scopes, and those about the sign-in. Other claims are
 * left out, even essential ones (OpenID Connect Core 1.0, section 5.5.1). Returns a text about the problem if the parameter is malformed.
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

/** The claims that need a consent, for one target or for both. */
export const consentedClaims = (requested: RequestedClaims, target?: Target): readonly string[] => [
  ...new Set(
    targets
      .filter((one) => target === undefined || one === target)
      .flatMap((one) => Object.keys(requested[one] ?? {}))
      .filter((name) => !aboutSignIn.includes(name)),
  ),
]

/** The claims in the parameters of a request, which are checked already. */
export const claimsOfRequest = ({ claims }: Readonly<Record<string, unknown>>): RequestedClaims => {
  if (typeof claims !== 'string') return {}
  const read: unknown = JSON.parse(claims)
  return isObject(read) ? (read as RequestedClaims) : {}
}

/** The scopes that need consent: the requested scopes, and the scopes of claims that are requested one by one. */
export const consentScopes = (
  params: Readonly<Record<string, unknown>>,
  scopeOf: ReadonlyMap<string, string>,
): readonly string[] => [
  ...new Set([
    ...splitScope(typeof params['scope'] === 'string' ? params['scope'] : ''),
    ...consentedClaims(claimsOfRequest(params)).flatMap((name) => scopeOf.get(name) ?? []),
  ]),
]
