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

/** The scope with which a token of the command line administers. No other client has it. */
export const administrationScope = 'administration'

/** Scopes about the user and their tokens; claim sources add further ones. */
export const standardScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

interface ClaimScopes {
  readonly byScope: ReadonlyMap<string, readonly string[]>
}

/** Scopes with claims about organizations and purchases. */
export const claimScopes = ({ byScope }: ClaimScopes): readonly string[] => missingScopes([...byScope.keys()], standardScopes)

/** Scopes with claims about an organization: a mapping may add such a claim to any of them. */
export const organizationScopesOf = (claims: ClaimScopes & { readonly mappedOfOrganizations: readonly string[] }) => [
  ...new Set([...claimScopes(claims), ...claims.mappedOfOrganizations]),
]

/** Every scope of this installation. */
export const knownScopes = ({ byScope }: ClaimScopes): readonly string[] => [...byScope.keys(), 'offline_access']

export type IdTokenAlg = (typeof idTokenAlgs)[number]

export type ClientType = (typeof clientTypes)[number]

/** True for applications that cannot keep a secret: they do not authenticate and must use PKCE. */
export const isPublic = (type: ClientType): boolean => type === 'spa' || type === 'native'

export type PkceMode = (typeof pkceModes)[number]

export type UnknownScopes = (typeof unknownScopesModes)[number]

export type Review = (typeof reviews)[number]

export type RequiredAcr = (typeof requiredAcrs)[number]

/**
 * True when the authorization requests of the client need a code challenge: always for a public client, else as registered, else (null)
 * by `oidc.requirePkce`.
 */
export const needsPkce = (client: { readonly type: ClientType; readonly pkce: PkceMode | null }, byDefault: boolean): boolean =>
  isPublic(client.type) || (client.pkce === null ? byDefault : client.pkce === 'required')

/** The error description for a missing code challenge. */
export const missingChallenge = (type: ClientType): string =>
  isPublic(type)
    ? `PKCE is required: send code_challenge (S256); a ${type} client has no secret in its place`
    : 'PKCE is required: send code_challenge (S256), or register the client with --pkce optional'

export const splitScope = (scope: string): string[] => scope.split(' ').filter((part) => part !== '')

/** Scopes that an application of this type may request. A machine acts for no user, so that claims about a user are excluded. */
export const scopesFor = (type: ClientType, sourceScopes: readonly string[]): readonly string[] =>
  type === 'machine' ? standardScopes : [...standardScopes, ...sourceScopes]

/** Scopes that every application of an operator may request without registering them: proxies and Kubernetes request them by default. */
const openScopes: readonly string[] = ['groups']

/** The scopes of an application that an administrator has restricted: the person's identity, and no access after they have signed out. */
const restrictedScopes: readonly string[] = ['openid', 'profile', 'email']

/** True for an application that an administrator registered, in person or by an API key; other applications have to register each scope. */
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

/** Scopes that tell a machine about its organizations. */
const organizationScopes: readonly string[] = ['organizations', 'billing']

/** The scopes that a registered application may request now: a feature may have been switched off since. */
export const allowedScopes = (
  { type, scope, review, registeredBy, metadata, clientId, redirectUrls }: ScopedClient,
  sourceScopes: readonly string[],
): readonly string[] => {
  const known = review === 'restricted' ? restrictedScopes : scopesFor(type, sourceScopes)
  const open = isOfOperator(registeredBy) ? openScopes : []
  const isAsking = type === 'machine' && review !== 'restricted' && metadata.organizations.length > 0
  const ofOrganizations = isAsking ? organizationScopes.filter((name) => sourceScopes.includes(name)) : []
  // Only a client without a redirect address is the command line: its tokens then need a device code.
  const isCommandLine = clientId === commandLineId && type === 'native' && redirectUrls.length === 0 && review === null
  const scopes = [...new Set([...splitScope(scope), ...open])].filter((name) => known.includes(name))
  return [...scopes, ...ofOrganizations, ...(isCommandLine ? [administrationScope] : [])]
}

/** True while a refresh token may be used again after a first use at `usedAt`. */
export const isInGrace = (usedAt: Date, now: Date, graceSeconds: number): boolean =>
  graceSeconds > 0 && now.getTime() - usedAt.getTime() <= graceSeconds * 1000

/** The requested scopes without a consent. */
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

/** Why an application may not have this redirect address (security baseline, section 9), or undefined when it may. */
export const redirectUriProblem = (value: string, type: ClientType): string | undefined => {
  const problem = redirectProblem(value, type === 'native')
  return problem === undefined ? undefined : redirectProblems[problem]
}

/** Why pages of this origin may not call for an application (RFC 6454, section 6.1), or undefined when they may. */
export const webOriginProblem = (value: string): string | undefined => {
  const problem = redirectUriProblem(value, 'web')
  if (problem !== undefined) return problem
  const origin = originInstead(value)
  return origin === undefined ? undefined : `is no origin as browsers send it; that would be ${origin}`
}

/** True for web addresses; all others open a program on the device, whatever their host part says. */
const isOnWeb = (protocol: string) => /^https?:$/.test(protocol)

/** The destination of an address: the host, or the scheme of a program on the device; empty for an invalid address. */
export const destinationOf = (address: string): string => {
  const url = parseUrl(address)
  if (url === undefined) return ''
  return isOnWeb(url.protocol) ? url.hostname : url.protocol.slice(0, -1)
}

/** The destination in a form that people recognise on the consent page: the host, or the scheme with its colon. */
export const displayHost = (redirectUri: string): string => {
  const url = parseUrl(redirectUri)
  if (url === undefined) return redirectUri
  return isOnWeb(url.protocol) ? url.host : url.protocol
}

/** Key of the prompts of a request: `prompt=login consent`. */
export const hasPrompt = (prompt: unknown, name: string): boolean =>
  typeof prompt === 'string' && prompt.split(' ').includes(name)

/** The prompt for the organization of the sign-in. */
export const selectOrganization = 'select_organization'

/** True when the application uses the organization of the sign-in: it requests claims about the organization, or the choice. */
export const asksForOrganization = (params: Readonly<Record<string, unknown>>, sourceScopes: readonly string[]): boolean =>
  hasPrompt(params['prompt'], selectOrganization) ||
  splitScope(String(params['scope'] ?? '')).some((scope) => sourceScopes.includes(scope))

/** The prompt for the account of the sign-in (OpenID Connect Core 1.0, section 3.1.2.1). */
export const selectAccount = 'select_account'
/** The prompt for a further proof from the signed-in person. */
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

/** Pages of the operator's own that replace hosted ones: paths here, or addresses elsewhere. */
export interface OwnPages {
  readonly loginPage?: string | undefined
  readonly consentPage?: string | undefined
}

/** Address of the page for a prompt of the interaction `uid`; `params` are those of the authorization request. */
export type PageOf = (prompt: string, uid: string, params: Readonly<Record<string, unknown>>) => string

/** Parameters that pages do not get: an internal one, and a token with data about a person. */
const withheld = new Set(['gatehouse_scope_check', 'id_token_hint'])

/**
 * The operator's pages get the id of the sign-in and the parameters of the request (accounts specification, section 2); hosted pages get
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
      // After a change from sign-up to sign-in, the page must not go back to sign-up.
      if (prompt === 'login' && hasPrompt(params['prompt'], createAccount)) query.delete('prompt')
      return withQuery(own, query)
    }
    const uiLocales = typeof params['ui_locales'] === 'string' ? params['ui_locales'].slice(0, 100) : ''
    return withQuery(hosted[prompt] ?? '/sign-in', { interaction: uid, ui_locales: uiLocales === '' ? undefined : uiLocales })
  }

/** Why this page of the operator's own is refused, or undefined. */
export const ownPageProblem = (page: string): string | undefined =>
  /^\/[^/\\]/.test(page) && !/[#\s\\]/.test(page) ? undefined : redirectUriProblem(page, 'web')

/** True when the consent covers this organization, null for none; `agreed` is null for all organizations. */
export const isCovered = (agreed: readonly string[] | null | undefined, organizationId: string | null | undefined): boolean =>
  !organizationId || agreed === null || agreed === undefined || agreed.includes(organizationId)

/** True when the consent behind a code, issued at `issuedAt` in seconds, has ended; `isAsked` means that the client needs a consent. */
export const isConsentEnded = (
  { consentGiven, notBefore }: { readonly consentGiven: boolean | null; readonly notBefore: Date | null },
  isAsked: boolean,
  issuedAt: number,
): boolean => (isAsked && consentGiven !== true) || (notBefore !== null && issuedAt < Math.floor(notBefore.getTime() / 1000))
