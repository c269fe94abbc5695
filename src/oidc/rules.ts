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

/** The grant type of devices (RFC 8628, section 3.4). */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The scope of tokens with which the command line administers. No other client has it. */
export const administrationScope = 'administration'

/** The scopes about the user and their tokens. Claim sources add further scopes. */
export const standardScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

interface ClaimScopes {
  readonly byScope: ReadonlyMap<string, readonly string[]>
}

/** The scopes with claims about organizations and purchases. */
export const claimScopes = ({ byScope }: ClaimScopes): readonly string[] => missingScopes([...byScope.keys()], standardScopes)

/** The scopes with claims about an organization. A mapping may add such a claim to any scope. */
export const organizationScopesOf = (claims: ClaimScopes & { readonly mappedOfOrganizations: readonly string[] }) => [
  ...new Set([...claimScopes(claims), ...claims.mappedOfOrganizations]),
]

/** All scopes of this installation. */
export const knownScopes = ({ byScope }: ClaimScopes): readonly string[] => [...byScope.keys(), 'offline_access']

export type IdTokenAlg = (typeof idTokenAlgs)[number]

export type ClientType = (typeof clientTypes)[number]

/** True for applications that cannot keep a secret. They do not authenticate and have to use PKCE. */
export const isPublic = (type: ClientType): boolean => type === 'spa' || type === 'native'

export type PkceMode = (typeof pkceModes)[number]

export type UnknownScopes = (typeof unknownScopesModes)[number]

export type Review = (typeof reviews)[number]

export type RequiredAcr = (typeof requiredAcrs)[number]

/**
 * True if the authorization requests of the client need a code challenge. A public client always needs one. For other clients the
 * registered setting decides, and `oidc.requirePkce` if it is null.
 */
export const needsPkce = (client: { readonly type: ClientType; readonly pkce: PkceMode | null }, byDefault: boolean): boolean =>
  isPublic(client.type) || (client.pkce === null ? byDefault : client.pkce === 'required')

/** The description of the error for a missing code challenge. */
export const missingChallenge = (type: ClientType): string =>
  isPublic(type)
    ? `PKCE is required: send code_challenge (S256); a ${type} client has no secret in its place`
    : 'PKCE is required: send code_challenge (S256), or register the client with --pkce optional'

export const splitScope = (scope: string): string[] => scope.split(' ').filter((part) => part !== '')

/** The scopes that an application of this type may request. A machine acts for no user, so it cannot have claims about a user. */
export const scopesFor = (type: ClientType, sourceScopes: readonly string[]): readonly string[] =>
  type === 'machine' ? standardScopes : [...standardScopes, ...sourceScopes]

/** Scopes that every application of an operator may request without registering them, because proxies and Kubernetes request them by default. */
const openScopes: readonly string[] = ['groups']

/**
 * The scopes of an application that an administrator has restricted. They identify the person, and give no access after the person has
 * signed out.
 */
const restrictedScopes: readonly string[] = ['openid', 'profile', 'email']

/** True for an application that an administrator has registered, in person or with an API key. Other applications have to register each scope. */
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

/** The scopes with which a machine gets data about its organizations. */
const organizationScopes: readonly string[] = ['organizations', 'billing']

/** The scopes that a registered application may request now. A feature may have been disabled since it was registered. */
export const allowedScopes = (
  { type, scope, review, registeredBy, metadata, clientId, redirectUrls }: ScopedClient,
  sourceScopes: readonly string[],
): readonly string[] => {
  const known = review === 'restricted' ? restrictedScopes : scopesFor(type, sourceScopes)
  const open = isOfOperator(registeredBy) ? openScopes : []
  const isAsking = type === 'machine' && review !== 'restricted' && metadata.organizations.length > 0
  const ofOrganizations = isAsking ? organizationScopes.filter((name) => sourceScopes.includes(name)) : []
  // The command line is the only such client without a redirect address. Without one, its tokens need a device code.
  const isCommandLine = clientId === commandLineId && type === 'native' && redirectUrls.length === 0 && review === null
  const scopes = [...new Set([...splitScope(scope), ...open])].filter((name) => known.includes(name))
  return [...scopes, ...ofOrganizations, ...(isCommandLine ? [administrationScope] : [])]
}

/** True while a refresh token may be used again after its first use at `usedAt`. */
export const isInGrace = (usedAt: Date, now: Date, graceSeconds: number): boolean =>
  graceSeconds > 0 && now.getTime() - usedAt.getTime() <= graceSeconds * 1000

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

/** Returns the reason why an application cannot have this redirect address, and undefined if it can (security baseline, section 9). */
export const redirectUriProblem = (value: string, type: ClientType): string | undefined => {
  const problem = redirectProblem(value, type === 'native')
  return problem === undefined ? undefined : redirectProblems[problem]
}

/** Returns the reason why pages of this origin cannot call for an application, and undefined if they can (RFC 6454, section 6.1). */
export const webOriginProblem = (value: string): string | undefined => {
  const problem = redirectUriProblem(value, 'web')
  if (problem !== undefined) return problem
  const origin = originInstead(value)
  return origin === undefined ? undefined : `is no origin as browsers send it; that would be ${origin}`
}

/** True for web addresses. Every other address opens a program on the device, whatever its host part says. */
const isOnWeb = (protocol: string) => /^https?:$/.test(protocol)

/** The destination of an address: the host, or the scheme of a program on the device. Empty for an invalid address. */
export const destinationOf = (address: string): string => {
  const url = parseUrl(address)
  if (url === undefined) return ''
  return isOnWeb(url.protocol) ? url.hostname : url.protocol.slice(0, -1)
}

/** The destination of an address, in a form that people recognize on the consent page: the host, or the scheme with its colon. */
export const displayHost = (redirectUri: string): string => {
  const url = parseUrl(redirectUri)
  if (url === undefined) return redirectUri
  return isOnWeb(url.protocol) ? url.host : url.protocol
}

/** True if the parameter `prompt`, such as `login consent`, contains this prompt. */
export const hasPrompt = (prompt: unknown, name: string): boolean =>
  typeof prompt === 'string' && prompt.split(' ').includes(name)

/** The prompt for the organization of the sign-in. */
export const selectOrganization = 'select_organization'

/** True if the application uses the organization of the sign-in. It requests claims about the organization, or asks for the choice. */
export const asksForOrganization = (params: Readonly<Record<string, unknown>>, sourceScopes: readonly string[]): boolean =>
  hasPrompt(params['prompt'], selectOrganization) ||
  splitScope(String(params['scope'] ?? '')).some((scope) => sourceScopes.includes(scope))

/** The prompt for the account of the sign-in (OpenID Connect Core 1.0, section 3.1.2.1). */
export const selectAccount = 'select_account'
/** The prompt for a further proof of the signed-in person. */
export const stepUp = 'step_up'
/** The prompt that leads to a new account (Initiating User Registration via OpenID Connect 1.0). */
export const createAccount = 'create'

const hosted: Readonly<Record<string, string>> = {
  consent: '/consent',
  [selectOrganization]: '/choose-organization',
  [selectAccount]: '/select-account',
  [createAccount]: '/sign-up',
  [stepUp]: '/two-factor',
}

/** Pages of the operator's own that replace hosted pages. Each is a path on this server or an address elsewhere. */
export interface OwnPages {
  readonly loginPage?: string | undefined
  readonly consentPage?: string | undefined
}

/** Makes the address of the page for a prompt of the interaction `uid`. `params` are the parameters of the authorization request. */
export type PageOf = (prompt: string, uid: string, params: Readonly<Record<string, unknown>>) => string

/** Parameters that pages do not get: an internal one, and a token with data about a person. */
const withheld = new Set(['gatehouse_scope_check', 'id_token_hint'])

/**
 * The operator's pages get the id of the sign-in and the parameters of the request (accounts specification, section 2). Hosted pages get
 * the id and the requested language (`ui_locales`, OpenID Connect Core 1.0, section 3.1.2.1).
 */
export const createPages =
  ({ loginPage, consentPage }: OwnPages): PageOf =>
  (prompt, uid, params) => {
    const own = prompt === 'consent' ? consentPage : ['login', createAccount].includes(prompt) ? loginPage : undefined
    if (own !== undefined) {
      const sent = Object.entries(params).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
      const query = new URLSearchParams(sent.filter(([name]) => !withheld.has(name)))
      query.set('interaction', uid)
      // After the person has changed from sign-up to sign-in, the page must not go back to sign-up.
      if (prompt === 'login' && hasPrompt(params['prompt'], createAccount)) query.delete('prompt')
      return withQuery(own, query)
    }
    const uiLocales = typeof params['ui_locales'] === 'string' ? params['ui_locales'].slice(0, 100) : ''
    return withQuery(hosted[prompt] ?? '/sign-in', { interaction: uid, ui_locales: uiLocales === '' ? undefined : uiLocales })
  }

/** Returns the reason why this page of the operator's own is refused, and undefined for a valid page. */
export const ownPageProblem = (page: string): string | undefined =>
  /^\/[^/\\]/.test(page) && !/[#\s\\]/.test(page) ? undefined : redirectUriProblem(page, 'web')

/** True if the consent covers this organization. A null `agreed` covers all organizations, and every consent covers a sign-in without one. */
export const isCovered = (agreed: readonly string[] | null | undefined, organizationId: string | null | undefined): boolean =>
  !organizationId || agreed === null || agreed === undefined || agreed.includes(organizationId)

/** True if the consent behind a code has ended. `issuedAt` is the time of the code in seconds. `isAsked` says that the client needs a consent. */
export const isConsentEnded = (
  { consentGiven, notBefore }: { readonly consentGiven: boolean | null; readonly notBefore: Date | null },
  isAsked: boolean,
  issuedAt: number,
): boolean => (isAsked && consentGiven !== true) || (notBefore !== null && issuedAt < Math.floor(notBefore.getTime() / 1000))
