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

/** A prompt that a person has to answer, such as sign-in or consent. */
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
  /** Returns true for the first request with this id on any node. `expiresAt` is in epoch seconds. */
  readonly claimOnce: (id: string, expiresAt: number) => Promise<boolean>
  /** The secret from which every node derives the nonces for DPoP proofs. */
  readonly nonceSecret: Buffer
  /** Binds the started sign-in to the browser. Returns the address to which the browser is sent. */
  readonly startInteraction: (ctx: KoaContextWithOIDC, interaction: StartedInteraction) => Promise<string>
  /** The requested scopes to which the user has agreed. For a client that needs no consent these are all of them. */
  readonly agreedScopes: Interactions['agreedScopes']
  readonly requestedScopes: (params: Readonly<Record<string, unknown>>) => ReturnType<typeof requestedScopes>
  readonly restoreOfflineAccess: RestoreOfflineAccess
  readonly newGrantId: () => string
  readonly claims: Claims
  /** Undefined where organizations are disabled. */
  readonly chooseOrganization: ChooseOrganization | undefined
  /** Tells which authentication classes the user can reach here. */
  readonly isReachable: IsReachable
  /** True if people can sign up. */
  readonly isSignUpOpen: boolean
  readonly resources: Resources
  /** Undefined where organizations are disabled. */
  readonly memberships: Memberships | undefined
  readonly subjects: Subjects
}

/** The lifetime of a renewed refresh token in seconds. It is the usual lifetime, but never goes beyond the absolute end of the token's family. */
const refreshTtl = (config: OidcConfig, startedAt: number, now: number) =>
  Math.max(1, Math.min(config.refreshTokenTtlSeconds, startedAt + config.refreshAbsoluteTtlSeconds - now))

/**
 * Only two kinds of pages may call from a browser: pages of a public client (security baseline, section 5), and pages whose origin an
 * administrator has registered.
 */
const isOriginOf = (client: LibraryClient, origin: string) =>
  origin !== 'null' &&
  ((client[originsProperty] as readonly string[]).includes(origin) ||
    (client.tokenEndpointAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => /^https?:/.test(uri) && URL.canParse(uri) && new URL(uri).origin === origin)))

/** The authentication of the grant's user, for introspection and ID tokens. */
export const authenticationClaims = ({ acr, amr, authTime }: GrantAuthentication) => ({
  ...(acr === undefined ? {} : { acr }),
  ...(amr === undefined ? {} : { amr }),
  ...(authTime === undefined ? {} : { auth_time: authTime }),
})

/** The lifetime in seconds of an access token for an administrator's command line. */
const administrationTtlSeconds = 600

const grantIdOf = (token: unknown): string => (token as { readonly grantId?: string } | undefined)?.grantId ?? ''

/** Shows errors that the client must not get: a page for people, JSON for programs. */
const renderError: NonNullable<Configuration['renderError']> = (ctx, out) => {
  if (!isBrowserRoute(ctx)) {
    ctx.body = out
    return
  }
  ctx.status = 303
  ctx.redirect(errorPageOf(ctx, out.error, out.error_description ?? codeDescriptions[out.error] ?? ''))
}

/** Refuses invalid assertions that the library accepts, and notes which of two secrets has signed. Throws invalid_client. */
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

/** Refuses a code or refresh token from a sign-in below the authentication class that the application requires now. Throws invalid_grant. */
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

// The claims in the introspection of opaque tokens. ID tokens and userinfo get them from the claim sources.
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
      // An API can require a higher class or a newer authentication (RFC 9470, section 6.2).
      ...authenticationClaims(authentication),
    }
  }

/** Adds further claims to a token that an API verifies itself. */
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
/** If the client also gets an access token, claims about the person are part of userinfo (OpenID Connect Core 1.0, section 5.4). */
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
      // The library demands `sub` whatever the scopes are.
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

/** Keeps those claims of the parameter `claims` that the client can get (OpenID Connect Core 1.0, section 5.5). Throws invalid_request. */
const readClaims =
  (scopeOf: ReadonlyMap<string, string>) =>
  async ({ oidc: { params } }: KoaContextWithOIDC, sent: object, client: LibraryClient): Promise<void> => {
    // Claims about an organization need the choice of one, and only their scope leads to that choice.
    const ofPerson = splitScope(client.scope ?? '').filter((scope) => standardScopes.includes(scope))
    const scopes = [...ofPerson, ...splitScope(String(params?.['scope'] ?? ''))]
    const read = readRequestedClaims(sent as Readonly<Record<string, unknown>>, scopeOf, scopes)
    if (typeof read === 'string') throw new errors.InvalidRequest(read)
    if (params !== undefined) params['claims'] = Object.keys(read).length === 0 ? undefined : JSON.stringify(read)
  }

/** The settings of the library. `documents.ts` lists only functions that are enabled here. */
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
    // The sector is checked at registration and at each change instead.
    sectorIdentifierUriValidate: () => false,
    clientAuthMethods: [...authMethods],
    assertJwtClientAuthClaimsAndHeader: checkAssertion(deps),
    // Other code of this server fetches and checks all documents of clients, because their addresses are not trusted.
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
    // The database deletes tokens together with their session, so no use needs a check.
    expiresWithSession: async () => false,
    issueRefreshToken: async (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') &&
      // The refresh token of the command line ends with the session.
      (source.scopes.has('offline_access') || source.scopes.has(administrationScope)),
    extraClientMetadata: { properties: [profileProperty, pkceProperty, originsProperty, ignoresScopesProperty, secretsProperty] },
    pkce: {
      // Called only for a request without a challenge. The library's own message does not say what is missing.
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
      // A client sees and ends only its own tokens (security baseline, section 9). A resource also sees the tokens for itself.
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
      // `logout/` sends the logout tokens. The library gives them their form, and ID tokens their `sid`.
      backchannelLogout: { enabled: true },
    },
    // The library has no hook for checking the whole request. This parameter, which no request contains, gives a place for the check.
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
