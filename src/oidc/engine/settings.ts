import type { JWK } from 'jose'
import {
  type AdapterFactory,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type Client as LibraryClient,
  type Provider,
} from 'oidc-provider'
import { acrValues, meetsAcr } from '../../core/authentication-classes.ts'
import type { Core } from '../../core/core.ts'
import type { Claims } from '../../identity/claims/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Client, Clients } from '../clients/service.ts'
import type { OidcConfig } from '../config.ts'
import { devicePath } from '../device/codes.ts'
import type { Interactions } from '../interactions/service.ts'
import { claimsOfRequest, consentedClaims, consentScopes, readRequestedClaims, scopeOfClaim } from '../requested-claims.ts'
import {
  administrationScope,
  authMethods,
  type ClientType,
  dpopAlgs,
  idTokenAlgs,
  isConsentEnded,
  knownScopes,
  missingChallenge,
  requestObjectAlgs,
  splitScope,
  standardScopes,
  subjectTypes,
  userinfoAlgs,
} from '../rules.ts'
import { type IsReachable, requireReachable } from '../step-up/prompt.ts'
import { classOf } from '../step-up/rules.ts'
import type { Subjects } from '../subjects/service.ts'
import { agreedByResource, claimsInToken, type requestedScopes, resourceIndicators } from './api-tokens.ts'
import { assertionProblem, clockSkewSeconds } from './assertions.ts'
import { originsProperty, pkceProperty } from './describe.ts'
import { deviceFlow } from './devices.ts'
import { clientAssertionAlgs, endpoints } from './documents.ts'
import { proofs } from './dpop.ts'
import { checkFapiAssertion, codeSeconds, isFapi, profileProperty, rotateUnlessBound } from './fapi.ts'
import { belowRequiredAcr, type CookieKeys, codeDescriptions, endedConsent, secretsProperty } from './library.ts'
import { chooseOrganizationOfMachine, claimsOfMachine } from './machine-organizations.ts'
import { type ChooseOrganization, interactionPolicy } from './policy.ts'
import { checkRequestObject, claimRequestObject } from './request-objects.ts'
import type { GrantAuthentication, ProviderRequests } from './requests.ts'
import type { Resources } from './resources.ts'
import { errorPageOf, isBrowserRoute } from './responses.ts'
import { checkApiScopes, checkRequest, ignoresScopesProperty, type RestoreOfflineAccess } from './scopes.ts'

/** An interaction that the library has started, because a person has to answer a prompt. */
export interface StartedInteraction {
  readonly uid: string
  readonly prompt: { readonly name: string }
  readonly params: Readonly<Record<string, unknown>>
}

export interface SettingsDeps extends Pick<Core, 'db' | 'clock'> {
  readonly issuer: string
  readonly config: OidcConfig
  readonly clients: Clients
  readonly requests: ProviderRequests
  readonly adapter: AdapterFactory
  readonly cookieKeys: CookieKeys
  /** Returns true for the first request with this id on any node. `expiresAt` is in seconds since the epoch. */
  readonly claimOnce: (id: string, expiresAt: number) => Promise<boolean>
  /** The secret from which every node derives the nonces for DPoP proofs. */
  readonly nonceSecret: Buffer
  /** Binds the started interaction to the browser. Returns the URL of the page to which the browser is sent. */
  readonly startInteraction: (ctx: KoaContextWithOIDC, interaction: StartedInteraction) => Promise<string>
  /** Returns the requested scopes to which the user has agreed. For a client that needs no consent, it returns all requested scopes. */
  readonly agreedScopes: Interactions['agreedScopes']
  readonly requestedScopes: (params: Readonly<Record<string, unknown>>) => ReturnType<typeof requestedScopes>
  readonly restoreOfflineAccess: RestoreOfflineAccess
  readonly newGrantId: () => string
  readonly claims: Claims
  /** Undefined if organizations are disabled. */
  readonly chooseOrganization: ChooseOrganization | undefined
  /** Tells which authentication classes the user can reach here. */
  readonly isReachable: IsReachable
  /** True if people can sign up. */
  readonly isSignUpOpen: boolean
  readonly resources: Resources
  /** Undefined if organizations are disabled. */
  readonly memberships: Memberships | undefined
  readonly subjects: Subjects
}

/** The lifetime in seconds of a refresh token that replaces another one. No token outlives the absolute end of its family. */
const refreshTtl = (config: OidcConfig, startedAt: number, now: number) =>
  Math.max(1, Math.min(config.refreshTokenTtlSeconds, startedAt + config.refreshAbsoluteTtlSeconds - now))

/**
 * Only two kinds of pages may call the endpoints from a browser (CORS): pages at a redirect URI of a public client, and pages whose
 * origin an administrator has registered (security baseline, section 5).
 */
const isOriginOf = (client: LibraryClient, origin: string) =>
  origin !== 'null' &&
  ((client[originsProperty] as readonly string[]).includes(origin) ||
    (client.tokenEndpointAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => /^https?:/.test(uri) && URL.canParse(uri) && new URL(uri).origin === origin)))

/** Claims about the user's authentication at the time of the grant, for introspection and ID tokens. */
export const authenticationClaims = ({ acr, amr, authTime }: GrantAuthentication) => ({
  ...(acr === undefined ? {} : { acr }),
  ...(amr === undefined ? {} : { amr }),
  ...(authTime === undefined ? {} : { auth_time: authTime }),
})

/** The lifetime in seconds of an access token for an administrator's command line. */
const administrationTtlSeconds = 600

const grantIdOf = (token: unknown): string => (token as { readonly grantId?: string } | undefined)?.grantId ?? ''

/** Shows errors that must not be sent to the client: as a page for a browser, as JSON for a program. */
const renderError: NonNullable<Configuration['renderError']> = (ctx, out) => {
  if (!isBrowserRoute(ctx)) {
    ctx.body = out
    return
  }
  ctx.status = 303
  ctx.redirect(errorPageOf(ctx, out.error, out.error_description ?? codeDescriptions[out.error] ?? ''))
}

/** Refuses assertions that the library wrongly accepts, and notes which of two secrets signed the assertion. Throws invalid_client. */
const checkAssertion =
  ({ clock, clients, requests }: SettingsDeps): NonNullable<Configuration['assertJwtClientAuthClaimsAndHeader']> =>
  async (ctx, claims, header, libraryClient) => {
    const { clientId } = libraryClient
    checkFapiAssertion(ctx, claims, header, libraryClient)
    const now = Math.floor(clock.now().getTime() / 1000)
    const problem = assertionProblem(claims, header, { now, accepted: ctx.oidc.clientJwtAuthExpectedAudience() })
    if (problem !== undefined) throw new errors.InvalidClientAuth(problem)
    const client = await clients.find(clientId)
    if (client?.metadata.authMethod !== 'client_secret_jwt') return
    requests.of(ctx.req).signingSecret = clients.noteSigned(client, String(ctx.oidc.params?.['client_assertion']))?.plain
  }

/** Refuses a code or refresh token if its sign-in was below the authentication class that the application requires now. Throws invalid_grant. */
const requireClassOfClient = async (deps: SettingsDeps, { oidc, req }: KoaContextWithOIDC) => {
  const { requests } = deps
  const { requireAcr = null } = (await deps.clients.find(oidc.client?.clientId ?? '')) ?? {}
  if (requireAcr === null) return
  const request = requests.of(req)
  const isEnough = [...request.grants.values()].every(({ authentication: { sessionAcr = '' } }) =>
    meetsAcr(sessionAcr, classOf(requireAcr)),
  )
  if (isEnough) return
  request.isRightCredential = true
  throw new errors.InvalidGrant(belowRequiredAcr)
}

/** Refuses a code whose consent ended while the code was issued. Throws invalid_grant. */
const requireConsent = async (deps: SettingsDeps, { oidc, req }: KoaContextWithOIDC) => {
  const { requests } = deps
  const code = oidc.entities.AuthorizationCode ?? oidc.entities.DeviceCode
  const request = requests.of(req)
  const { consent, grantedAt } = request.grants.get(grantIdOf(code)) ?? {}
  if (code === undefined || consent === undefined) return
  const isAsked = (await deps.clients.find(oidc.client?.clientId ?? ''))?.skipConsent !== true
  if (!isConsentEnded(consent, isAsked, grantedAt ?? code.iat)) return
  request.isRightCredential = true
  throw new errors.InvalidGrant(endedConsent)
}

/** The `sub` of a user for a client. */
const subjectFor = async ({ clients, subjects }: SettingsDeps, clientId: string, userId: string): Promise<string> => {
  const client = await clients.find(clientId)
  return client === undefined ? userId : subjects.of(client, userId)
}

// The additional claims in introspections of opaque tokens. ID tokens and userinfo get these claims from the claim sources instead.
const extraTokenClaims =
  (deps: SettingsDeps): NonNullable<Configuration['extraTokenClaims']> =>
  async (ctx, token) => {
    const { grants, exchange } = deps.requests.of(ctx.req)
    if (exchange !== undefined) return { ...exchange.claims }
    if (token.kind === 'ClientCredentials') return void (await chooseOrganizationOfMachine(deps, ctx, token.scope ?? ''))
    const grant = grants.get(grantIdOf(token))
    if (grant === undefined) return undefined
    const { impersonation, authentication } = grant
    const { mayAct = null } = (await deps.clients.find(grant.clientId))?.metadata ?? {}
    return {
      ...(mayAct === null ? {} : { may_act: { sub: mayAct } }),
      ...(impersonation === undefined ? {} : { act: { sub: await subjectFor(deps, grant.clientId, impersonation.by) } }),
      // With these claims an API can require a higher authentication class or a more recent authentication (RFC 9470, section 6.2).
      ...authenticationClaims(authentication),
    }
  }

/** Adds claims to a token that an API verifies itself. */
const completeToken =
  (deps: SettingsDeps) =>
  async (ctx: KoaContextWithOIDC, token: unknown, { payload }: { payload: object }) => {
    const grant = deps.requests.of(ctx.req).grants.get(grantIdOf(token))
    const { scope = '', clientId } = token as { readonly scope?: string; readonly clientId?: string }
    const found =
      grant === undefined ? await claimsOfMachine(deps, ctx, scope) : await claimsInToken(deps, ctx, { grant, scope, clientId })
    for (const [name, value] of Object.entries(found))
      if (!Object.hasOwn(payload, name)) Object.assign(payload, { [name]: value })
  }
/**
 * True if claims of this scope are part of the ID token. If the client also gets an access token, claims about the person are normally
 * part of userinfo only (OpenID Connect Core 1.0, section 5.4).
 */
const isInIdToken = (client: Client | undefined, scope: string) =>
  client?.metadata.claimsIn === 'id-token' || scope === 'openid' || !standardScopes.includes(scope)

const findAccount = (deps: SettingsDeps): Configuration['findAccount'] => {
  const { db, requests, claims } = deps
  const scopeOf = scopeOfClaim(claims.byScope)
  return async (ctx, sub, token) => {
    const { accounts, signedIn, grants } = requests.of(ctx.req)
    if (ctx.oidc.route === 'token') {
      await requireClassOfClient(deps, ctx)
      await requireConsent(deps, ctx)
    }
    if (ctx.oidc.route === 'userinfo' && !deps.resources.isOwn(requests.of(ctx.req).audience))
      throw new errors.InvalidToken('the token is for another audience')
    const user = accounts.get(sub) ?? (signedIn?.user.id === sub ? signedIn.user : undefined)
    if (user === undefined) return undefined
    const grant = grants.get(grantIdOf(token))
    const by = grant?.impersonation?.by
    const impersonatorId = grant && by && (await subjectFor(deps, grant.clientId, by))
    const clientId = grant?.clientId ?? ctx.oidc.client?.clientId
    const subject = { user, organizationId: grant?.organizationId ?? null, impersonatorId, clientId }
    return {
      accountId: sub,
      // The library demands `sub`, even for scopes without any claim.
      claims: async (use, scope, requested) => {
        const client = use === 'id_token' ? await deps.clients.find(ctx.oidc.client?.clientId ?? '') : undefined
        const given = splitScope(scope).filter((name) => use !== 'id_token' || isInIdToken(client, name))
        const asked = Object.keys(requested)
        const scopes = [...new Set([...given, ...asked.flatMap((name) => scopeOf.get(name) ?? [])])]
        const values = Object.entries(await claims.values(db, subject, scopes))
        const isGiven = (name: string) => given.includes(scopeOf.get(name) ?? '') || asked.includes(name)
        return { sub, ...Object.fromEntries(values.filter(([name]) => isGiven(name))) }
      },
    }
  }
}

/** Keeps the claims in the parameter `claims` that the client can get (OpenID Connect Core 1.0, section 5.5). Throws invalid_request. */
const readClaims =
  (scopeOf: ReadonlyMap<string, string>) =>
  async ({ oidc: { params } }: KoaContextWithOIDC, sent: object, client: LibraryClient): Promise<void> => {
    // Claims about an organization cannot be requested one by one: only their scope leads to the choice of the organization.
    const ofPerson = splitScope(client.scope ?? '').filter((scope) => standardScopes.includes(scope))
    const scopes = [...ofPerson, ...splitScope(String(params?.['scope'] ?? ''))]
    const read = readRequestedClaims(sent as Readonly<Record<string, unknown>>, scopeOf, scopes)
    if (typeof read === 'string') throw new errors.InvalidRequest(read)
    if (params !== undefined) params['claims'] = Object.keys(read).length === 0 ? undefined : JSON.stringify(read)
  }

/** The settings of the library. `documents.ts` lists only features that these settings enable. */
export const providerSettings = (deps: SettingsDeps, keys: readonly JWK[], provider: () => Provider): Configuration => {
  const { config, clock, requests, claims, chooseOrganization } = deps
  const scopes = knownScopes(claims)
  const scopeOf = scopeOfClaim(claims.byScope)

  return {
    adapter: deps.adapter,
    jwks: { keys: keys.map((key) => ({ ...key })) as NonNullable<Configuration['jwks']>['keys'] },
    routes: { ...endpoints, code_verification: devicePath },
    scopes: [...scopes, administrationScope],
    claims: Object.fromEntries([...claims.byScope].map(([scope, names]) => [scope, [...names]])),
    acrValues: [...acrValues],
    responseTypes: ['code'],
    subjectTypes: [...subjectTypes],
    pairwiseIdentifier: async (_ctx, userId, client) => deps.subjects.inSector(String(client['sectorIdentifier']), userId),
    // This server checks the sector at registration and at each change, so the library does not check it.
    sectorIdentifierUriValidate: () => false,
    clientAuthMethods: [...authMethods],
    assertJwtClientAuthClaimsAndHeader: checkAssertion(deps),
    // The library must not fetch anything. Other code of this server fetches documents of clients, because it checks their URLs.
    fetch: async () => {
      throw new Error('the library does not call other servers')
    },
    enabledJWA: {
      idTokenSigningAlgValues: [...idTokenAlgs],
      clientAuthSigningAlgValues: [...clientAssertionAlgs],
      dPoPSigningAlgValues: [...dpopAlgs],
      requestObjectSigningAlgValues: [...requestObjectAlgs],
      userinfoSigningAlgValues: [...userinfoAlgs],
    },
    formats: { bitsOfOpaqueRandomness: 192, customizers: { jwt: completeToken(deps) } },
    ...{ conformIdTokenClaims: false, clockTolerance: clockSkewSeconds },
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: rotateUnlessBound(requests),
    // The database deletes tokens together with their session. The library therefore need not check the session at each use.
    expiresWithSession: async () => false,
    issueRefreshToken: async (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') &&
      // The scope of the command line also gives a refresh token. That refresh token ends with the session.
      (source.scopes.has('offline_access') || source.scopes.has(administrationScope)),
    extraClientMetadata: { properties: [profileProperty, pkceProperty, originsProperty, ignoresScopesProperty, secretsProperty] },
    pkce: {
      // Called only for a request without a code challenge. The library's own message does not say that the challenge is missing.
      required: (_ctx, client) => {
        const type = client[pkceProperty] as ClientType | undefined
        if (type !== undefined) throw new errors.InvalidRequest(missingChallenge(type))
        return false
      },
    },
    cookies: {
      keys: deps.cookieKeys,
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
      long: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    ttl: {
      AuthorizationCode: (_ctx, _code, client) => codeSeconds(client, config.codeTtlSeconds),
      AccessToken: (ctx, token) => {
        const until = requests.of(ctx.req).grants.get(grantIdOf(token))?.impersonation?.until
        const most = token.scopes.has(administrationScope) ? administrationTtlSeconds : Number.POSITIVE_INFINITY
        const seconds = Math.min(most, token.resourceServer?.accessTokenTTL ?? config.accessTokenTtlSeconds)
        return until === undefined ? seconds : Math.max(1, Math.min(seconds, Math.floor((until - clock.now().getTime()) / 1000)))
      },
      ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? config.accessTokenTtlSeconds,
      DeviceCode: config.deviceCodeTtlSeconds,
      IdToken: config.idTokenTtlSeconds,
      RefreshToken: (_ctx, token, client) => {
        if (isFapi(client)) return config.refreshAbsoluteTtlSeconds
        const now = Math.floor(clock.now().getTime() / 1000)
        return refreshTtl(config, token.iiat ?? now, now)
      },
      Interaction: config.interactionTtlSeconds,
      Session: config.interactionTtlSeconds,
      Grant: config.refreshAbsoluteTtlSeconds,
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: deviceFlow(requests),
      dPoP: proofs(deps.nonceSecret, config.dpopNonce),
      jwtUserinfo: { enabled: true },
      fapi: { enabled: true, profile: (_ctx, client) => (isFapi(client) ? '2.0' : undefined) },
      claimsParameter: { enabled: true, assertClaimsParameter: readClaims(scopeOf) },
      // A client can introspect and revoke only its own tokens (security baseline, section 9). A resource server can also introspect the
      // tokens that were issued for it.
      introspection: {
        enabled: true,
        allowedPolicy: async (ctx, client, token) =>
          client.tokenEndpointAuthMethod !== 'none' &&
          (token.clientId === client.clientId || (await deps.resources.isReader(client.clientId, requests.of(ctx.req).audience))),
      },
      pushedAuthorizationRequests: { enabled: true },
      requestObjects: { enabled: true, assertJwtClaimsAndHeader: checkRequestObject(deps.issuer, clock) },
      resourceIndicators: resourceIndicators(deps, scopes),
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: false },
      // `logout/` sends the logout tokens. With this setting the library formats them and adds `sid` to ID tokens.
      backchannelLogout: { enabled: true },
    },
    // The library has no hook that checks a whole request. It calls a check for each extra parameter, so this parameter exists only for
    // its check. No request contains it.
    extraParams: {
      gatehouse_scope_check: async (ctx) => {
        requireReachable(ctx, deps.isReachable)
        await deps.restoreOfflineAccess(ctx)
        checkRequest(ctx)
        await claimRequestObject(ctx, deps.claimOnce)
        const { client, resourceServers = {} } = ctx.oidc
        const available = Object.values(resourceServers).flatMap((server) => [...server.scopes])
        if (client !== undefined && available.length > 0) checkApiScopes(ctx, client, [...scopes, ...available])
      },
      ...(chooseOrganization === undefined ? {} : { organization: null }),
    },
    interactions: {
      policy: interactionPolicy(deps),
      url: (ctx, interaction) => deps.startInteraction(ctx, interaction),
    },
    clientBasedCORS: (_ctx, origin, client) => origin === deps.issuer || isOriginOf(client, origin),
    extraTokenClaims: extraTokenClaims(deps),
    revokeGrantPolicy: () => true,
    loadExistingGrant: async (ctx) => {
      const { account, client } = ctx.oidc
      if (account === undefined || client === undefined) return undefined
      const { params = {}, requestParamOIDCScopes } = ctx.oidc
      const scope = [...requestParamOIDCScopes].join(' ')
      const agreed = await agreedByResource(ctx, consentScopes({ ...params, scope }, scopeOf), (asked) =>
        deps.agreedScopes(client.clientId, account.accountId, asked, (ids) => {
          requests.of(ctx.req).agreedOrganizations = ids
        }),
      )
      if (agreed.isNothing) return undefined
      const grant = new (provider().Grant)({ accountId: account.accountId, clientId: client.clientId })
      grant.jti = deps.newGrantId()
      grant.addOIDCScope(agreed.own.join(' '))
      for (const { key, scopes: ofResource } of agreed.ofResources) grant.addResourceScope(key, ofResource.join(' '))
      const isAgreed = (name: string) => agreed.own.includes(scopeOf.get(name) ?? '')
      grant.addOIDCClaims(consentedClaims(claimsOfRequest(params)).filter(isAgreed))
      return grant
    },
    findAccount: findAccount(deps),
    renderError,
  }
}
