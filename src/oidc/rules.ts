import { originInstead, type RedirectProblem, redirectProblem } from '../core/redirect-address.ts'
import { parseUrl, withQuery } from '../core/web.ts'
import { commandLineId } from './contract.ts'
import type {
  clientTypes,
  idTokenAlgs,
  pkceModes,
  Registrant,
  requiredAcrs,
  reviews,
  unknownScopesModes,
} from './metadata/contract.ts'

export {
  authMethods,
  claimsPlaces,
  clientTypes,
  dpopAlgs,
  furtherFields,
  idTokenAlgs,
  newFurther,
  pkceModes,
  profileAlgs,
  profiles,
  requestObjectAlgs,
  requiredAcrs,
  reviews,
  subjectTypes,
  unknownScopesModes,
  unsaidByRegistrant,
  userinfoAlgs,
} from './metadata/contract.ts'
export { commandLineId }

/** The grant type for the device flow (RFC 8628, section 3.4). */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The scope with which the command line's tokens may administer this server. No other client can have it. */
export const administrationScope = 'administration'

/** The standard scopes: claims about the user, and refresh tokens. Claim sources add further scopes. */
export const standardScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

interface ClaimScopes {
  readonly byScope: ReadonlyMap<string, readonly string[]>
}

/** The scopes with claims about organizations and purchases. */
export const claimScopes = ({ byScope }: ClaimScopes): readonly string[] => missingScopes([...byScope.keys()], standardScopes)

/** The scopes that give claims about an organization. A mapping may add such a claim to any scope. */
export const organizationScopesOf = (claims: ClaimScopes & { readonly mappedOfOrganizations: readonly string[] }) => [
  ...new Set([...claimScopes(claims), ...claims.mappedOfOrganizations]),
]

/** All scopes of this installation. */
export const knownScopes = ({ byScope }: ClaimScopes): readonly string[] => [...byScope.keys(), 'offline_access']

export type IdTokenAlg = (typeof idTokenAlgs)[number]

export type ClientType = (typeof clientTypes)[number]

/** True for types of applications that cannot keep a secret. Such applications do not authenticate, and have to use PKCE. */
export const isPublic = (type: ClientType): boolean => type === 'spa' || type === 'native'

export type PkceMode = (typeof pkceModes)[number]

export type UnknownScopes = (typeof unknownScopesModes)[number]

export type Review = (typeof reviews)[number]

export type RequiredAcr = (typeof requiredAcrs)[number]

/**
 * True if authorization requests of the client need a code challenge. A public client always needs one. For other clients the client's
 * own setting decides, or `oidc.requirePkce` if that setting is null.
 */
export const needsPkce = (client: { readonly type: ClientType; readonly pkce: PkceMode | null }, byDefault: boolean): boolean =>
  isPublic(client.type) || (client.pkce === null ? byDefault : client.pkce === 'required')

/** The error description for a request that lacks its code challenge. */
export const missingChallenge = (type: ClientType): string =>
  isPublic(type)
    ? `PKCE is required: send code_challenge (S256); a ${type} client has no secret in its place`
    : 'PKCE is required: send code_challenge (S256), or register the client with --pkce optional'

export const splitScope = (scope: string): string[] => scope.split(' ').filter((part) => part !== '')

/** The scopes that an application of this type may request. A machine does not act for a user, so it cannot request claims about a user. */
export const scopesFor = (type: ClientType, sourceScopes: readonly string[]): readonly string[] =>
  type === 'machine' ? standardScopes : [...standardScopes, ...sourceScopes]

/**
 * Scopes that every application of an operator may request even if it has not registered them, because proxies and Kubernetes request
 * them by default.
 */
const openScopes: readonly string[] = ['groups']

/**
 * The only scopes that an application may request after an administrator has restricted it. They identify the person, and give no access
 * after the person has signed out.
 */
const restrictedScopes: readonly string[] = ['openid', 'profile', 'email']

/**
 * True for an application that an administrator has registered, in the console or with an API key. Other applications may request only
 * scopes that they have registered.
 */
export const isOfOperator = (registeredBy: Registrant): boolean => registeredBy === 'administrator' || registeredBy === 'api-key'

interface ScopedClient {
  readonly type: ClientType
  readonly scope: string
  readonly review: Review | null
  readonly registeredBy: Registrant
  readonly metadata: { readonly organizations: readonly string[] }
  readonly clientId: string
  readonly redirectUrls: readonly string[]
}

/** The scopes with which a machine gets data about organizations. */
const organizationScopes: readonly string[] = ['organizations', 'billing']

/** The scopes that a registered application may request now. Scopes of a feature that is disabled now are left out. */
export const allowedScopes = (
  { type, scope, review, registeredBy, metadata, clientId, redirectUrls }: ScopedClient,
  sourceScopes: readonly string[],
): readonly string[] => {
  const known = review === 'restricted' ? restrictedScopes : scopesFor(type, sourceScopes)
  const open = isOfOperator(registeredBy) ? openScopes : []
  const isAsking = type === 'machine' && review !== 'restricted' && metadata.organizations.length > 0
  const ofOrganizations = isAsking ? organizationScopes.filter((name) => sourceScopes.includes(name)) : []
  // True for the built-in client of the command line. A client without a redirect URI can get tokens only with a device code.
  const isCommandLine = clientId === commandLineId && type === 'native' && redirectUrls.length === 0 && review === null
  const scopes = [...new Set([...splitScope(scope), ...open])].filter((name) => known.includes(name))
  return [...scopes, ...ofOrganizations, ...(isCommandLine ? [administrationScope] : [])]
}

/** The requested scopes to which the person has not agreed. */
export const missingScopes = (requested: readonly string[], agreed: readonly string[]): string[] =>
  requested.filter((scope) => !agreed.includes(scope))

const redirectProblems: Readonly<Record<RedirectProblem, string>> = {
  long: 'is longer than 2000 characters',
  signs: 'contains a blank, comma, asterisk, backslash, quote or control character',
  relative: 'is not an absolute address',
  fragment: 'has a fragment',
  credentials: 'has a user or password',
  http: 'is http; only https, or http on loopback, is accepted',
  scheme: 'has another scheme than https (http on loopback)',
  forbidden: 'has a scheme that is not accepted',
  noDot: 'needs a private scheme with a dot, such as com.example.app:/callback (RFC 8252 section 7.1)',
}

/** Returns the reason why an application cannot have this redirect URI; undefined if it can (security baseline, section 9). */
export const redirectUriProblem = (value: string, type: ClientType): string | undefined => {
  const problem = redirectProblem(value, type === 'native')
  return problem === undefined ? undefined : redirectProblems[problem]
}

/** Returns the reason why pages of this origin cannot call for an application; undefined if they can (RFC 6454, section 6.1). */
export const webOriginProblem = (value: string): string | undefined => {
  const problem = redirectUriProblem(value, 'web')
  if (problem !== undefined) return problem
  const origin = originInstead(value)
  return origin === undefined ? undefined : `is no origin as browsers send it; that would be ${origin}`
}

/** True for the scheme of a web URL. Every other scheme opens a program on the device, even if the URI seems to have a host. */
const isOnWeb = (protocol: string) => /^https?:$/.test(protocol)

/** Where a redirect URI leads: the host, or the scheme of a program on the device. Empty for an invalid URI. */
export const destinationOf = (address: string): string => {
  const url = parseUrl(address)
  if (url === undefined) return ''
  return isOnWeb(url.protocol) ? url.hostname : url.protocol.slice(0, -1)
}

/** Where a redirect URI leads, as text for the consent page: the host, or the scheme of a program with its colon. */
export const displayHost = (redirectUri: string): string => {
  const url = parseUrl(redirectUri)
  if (url === undefined) return redirectUri
  return isOnWeb(url.protocol) ? url.host : url.protocol
}

/** True if the parameter `prompt` contains this prompt. The parameter may list several prompts, such as `login consent`. */
export const hasPrompt = (prompt: unknown, name: string): boolean =>
  typeof prompt === 'string' && prompt.split(' ').includes(name)

/** The prompt that asks for the organization of the sign-in. */
export const selectOrganization = 'select_organization'

/** True if the application uses the organization of the sign-in: it requests claims about the organization, or the prompt for choosing it. */
export const asksForOrganization = (params: Readonly<Record<string, unknown>>, sourceScopes: readonly string[]): boolean =>
  hasPrompt(params['prompt'], selectOrganization) ||
  splitScope(String(params['scope'] ?? '')).some((scope) => sourceScopes.includes(scope))

/** The prompt that asks for the account of the sign-in (OpenID Connect Core 1.0, section 3.1.2.1). */
export const selectAccount = 'select_account'
/** The prompt that asks a signed-in person for a further proof of identity. */
export const stepUp = 'step_up'
/** The prompt that asks the person to sign up (Initiating User Registration via OpenID Connect 1.0). */
export const createAccount = 'create'

const hosted: Readonly<Record<string, string>> = {
  consent: '/consent',
  [selectOrganization]: '/choose-organization',
  [selectAccount]: '/select-account',
  [createAccount]: '/sign-up',
  [stepUp]: '/two-factor',
}

/** Pages of the operator's own that replace hosted pages. Each is a path on this server or a URL elsewhere. */
export interface OwnPages {
  readonly loginPage?: string | undefined
  readonly consentPage?: string | undefined
}

/** Makes the URL of the page that shows a prompt of the interaction `uid`. `params` are the parameters of the authorization request. */
export type PageOf = (prompt: string, uid: string, params: Readonly<Record<string, unknown>>) => string

/** Parameters that are not passed to pages: an internal parameter, and a token with data about a person. */
const withheld = new Set(['gatehouse_scope_check', 'id_token_hint'])

/**
 * Adds parameters to the URL of a page. The operator's own pages get the id of the interaction and all parameters of the request
 * (accounts specification, section 2). Hosted pages get only the id and the requested language (`ui_locales`, OpenID Connect Core 1.0,
 * section 3.1.2.1).
 */
export const createPages =
  ({ loginPage, consentPage }: OwnPages): PageOf =>
  (prompt, uid, params) => {
    const own = prompt === 'consent' ? consentPage : ['login', createAccount].includes(prompt) ? loginPage : undefined
    if (own !== undefined) {
      const sent = Object.entries(params).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
      const query = new URLSearchParams(sent.filter(([name]) => !withheld.has(name)))
      query.set('interaction', uid)
      // A person who was asked to sign up may have switched to sign-in. The page must not switch back.
      if (prompt === 'login' && hasPrompt(params['prompt'], createAccount)) query.delete('prompt')
      return withQuery(own, query)
    }
    const uiLocales = typeof params['ui_locales'] === 'string' ? params['ui_locales'].slice(0, 100) : ''
    return withQuery(hosted[prompt] ?? '/sign-in', { interaction: uid, ui_locales: uiLocales === '' ? undefined : uiLocales })
  }

/** Returns the reason why a page of the operator's own is refused; undefined for a valid page. */
export const ownPageProblem = (page: string): string | undefined =>
  /^\/[^/\\]/.test(page) && !/[#\s\\]/.test(page) ? undefined : redirectUriProblem(page, 'web')

/**
 * True if the consent covers this organization. If `agreed` is null, all organizations are covered. Every consent covers a sign-in
 * without an organization.
 */
export const isCovered = (agreed: readonly string[] | null | undefined, organizationId: string | null | undefined): boolean =>
  !organizationId || agreed === null || agreed === undefined || agreed.includes(organizationId)

/**
 * True if the consent for a code has ended since the code was issued. `issuedAt` is the time of issue in seconds since the epoch.
 * `isAsked` means that the client needs consent.
 */
export const isConsentEnded = (
  { consentGiven, notBefore }: { readonly consentGiven: boolean | null; readonly notBefore: Date | null },
  isAsked: boolean,
  issuedAt: number,
): boolean => (isAsked && consentGiven !== true) || (notBefore !== null && issuedAt < Math.floor(notBefore.getTime() / 1000))
