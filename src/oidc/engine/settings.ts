import type { JWK } from 'jose'
import type {
  AdapterFactory,
  AdapterPayload,
  Configuration,
  Client as EngineClient,
  KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../core/database.ts'
import type { Client, Clients } from '../clients/service.ts'
import type { OidcConfig } from '../config.ts'
import { idTokenAlgs, isPublic, needsPkce, scopesFor, splitScope } from '../rules.ts'
import { type ClaimSource, claimsByScope, claimsOf, knownScopes, sourceClaims } from './claims.ts'
import type { CookieKeys } from './cookie-keys.ts'
import { endpoints } from './documents.ts'
import type { KeepOfflineAccess } from './offline-access.ts'
import type { ChooseOrganization } from './organization.ts'
import { createRequestCheck, interactionPolicy } from './policy.ts'
import type { EngineRequests } from './request.ts'

/** A sign-in or consent that a person has to give. */
export interface Begun {
  readonly uid: string
  readonly prompt: { readonly name: string }
  readonly params: Readonly<Record<string, unknown>>
}

export interface SettingsDeps {
  readonly db: Db
  readonly issuer: string
  readonly config: OidcConfig
  readonly clock: Clock
  readonly clients: Clients
  readonly requests: EngineRequests
  readonly adapter: AdapterFactory
  readonly cookieKeys: CookieKeys
  /** Binds the sign-in that begins to the browser, and says where the browser goes. */
  readonly beginInteraction: (ctx: KoaContextWithOIDC, interaction: Begun) => string
  /** Which of the scopes need no more asking: somebody agreed to them, or the client needs no consent. */
  readonly agreedScopes: (clientId: string, userId: string, asked: readonly string[]) => Promise<readonly string[]>
  readonly keepOfflineAccess: KeepOfflineAccess
  readonly newGrantId: () => string
  readonly claimSources: readonly ClaimSource[]
  /** Undefined where there are no organizations. */
  readonly chooseOrganization: ChooseOrganization | undefined
  /** True when strangers may create an account. */
  readonly isSignUpOpen: boolean
}

/** The library has no such metadata of its own: whether PKCE is needed, and whose pages may call. */
const pkceProperty = 'gatehouse_needs_pkce'
const originsProperty = 'gatehouse_web_origins'

/** A client as the library knows it, with the scopes that are there now: a feature may have been switched off since.  The secret never is: `compareClientSecret` asks `clients`, and only HS256 needs the text. */
export const describeClient = (client: Client, sourceScopes: readonly string[], requirePkce: boolean): AdapterPayload => {
  const scopes = scopesFor(client.type, sourceScopes)
  const publicClient = isPublic(client.type)
  const isMachine = client.type === 'machine'
  return {
    client_id: client.clientId,
    client_name: client.name,
    ...(publicClient ? {} : { client_secret: client.secretOrHash }),
    application_type: client.type === 'native' ? 'native' : 'web',
    token_endpoint_auth_method: publicClient ? 'none' : 'client_secret_basic',
    redirect_uris: [...client.redirectUrls],
    grant_types: isMachine ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
    response_types: isMachine ? [] : ['code'],
    id_token_signed_response_alg: client.idTokenAlg,
    [pkceProperty]: needsPkce(client, requirePkce),
    [originsProperty]: client.webOrigins,
    scope: splitScope(client.scope)
      .filter((scope) => scopes.includes(scope))
      .join(' '),
  } as AdapterPayload
}

/** Seconds a renewed refresh token lives: as every one, but not beyond the absolute end of its family. */
const refreshTtl = (config: OidcConfig, begunAt: number, now: number) =>
  Math.max(1, Math.min(config.refreshTokenTtlSeconds, begunAt + config.refreshAbsoluteTtlSeconds - now))

/** Only pages of a public client itself may call from a browser (security baseline, section 5), and those an administrator registered. */
const isOriginOf = (client: EngineClient, origin: string) =>
  origin !== 'null' &&
  ((client[originsProperty] as readonly string[]).includes(origin) ||
    (client.tokenEndpointAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => /^https?:/.test(uri) && URL.canParse(uri) && new URL(uri).origin === origin)))

const grantIdOf = (token: unknown): string => (token as { readonly grantId?: string } | undefined)?.grantId ?? ''

/** Where errors go that must not go to the client: a page for people, JSON for programs. */
const renderError: NonNullable<Configuration['renderError']> = (ctx, out) => {
  const route = ctx['oidc']?.route
  if (route !== 'authorization' && route !== 'resume') {
    ctx.body = out
    return
  }
  const query = new URLSearchParams({ error: out.error, error_description: out.error_description ?? '' })
  ctx.status = 303
  ctx.redirect(`/error?${query}`)
}

/** Everything the library is told. What is not enabled here is not announced by `documents.ts` either. */
export const providerSettings = (deps: SettingsDeps, keys: readonly JWK[], provider: () => Provider): Configuration => {
  const { db, config, clock, requests, claimSources, chooseOrganization } = deps
  const claims = claimsByScope(claimSources)
  const scopes = knownScopes(claimSources)
  const checkRequest = createRequestCheck(scopes, config.unknownScopes === 'ignore')
  return {
    adapter: deps.adapter,
    jwks: { keys: keys.map((key) => ({ ...key })) as NonNullable<Configuration['jwks']>['keys'] },
    routes: endpoints,
    scopes,
    claims: Object.fromEntries(Object.entries(claims).map(([scope, names]) => [scope, [...names]])),
    responseTypes: ['code'],
    subjectTypes: ['public'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: [...idTokenAlgs] },
    formats: { bitsOfOpaqueRandomness: 192 },
    conformIdTokenClaims: false,
    clockTolerance: 0,
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: true,
    // Tokens end with their session because the database deletes them with it: no read for each use.
    expiresWithSession: async () => false,
    issueRefreshToken: async (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    extraClientMetadata: { properties: [pkceProperty, originsProperty] },
    pkce: { required: (_ctx, client) => client[pkceProperty] !== false },
    cookies: {
      keys: deps.cookieKeys,
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
      long: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    ttl: {
      AuthorizationCode: config.codeTtlSeconds,
      AccessToken: config.accessTokenTtlSeconds,
      ClientCredentials: config.accessTokenTtlSeconds,
      IdToken: config.idTokenTtlSeconds,
      RefreshToken: (_ctx, token) => {
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
      dPoP: { enabled: false },
      // Each client sees and ends its own tokens only (security baseline, section 9).
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) =>
          token.clientId === client.clientId && client.tokenEndpointAuthMethod !== 'none',
      },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: false },
    },
    // The library has no other place for a check of the whole request: no parameter of this name exists.
    extraParams: {
      gatehouse_scope_check: async (ctx) => {
        await deps.keepOfflineAccess(ctx)
        checkRequest(ctx)
      },
      ...(chooseOrganization === undefined ? {} : { organization: null }),
    },
    interactions: {
      policy: interactionPolicy(deps),
      url: (ctx, interaction) => deps.beginInteraction(ctx, interaction),
    },
    clientBasedCORS: (_ctx, origin, client) => origin === deps.issuer || isOriginOf(client, origin),
    extraTokenClaims: async () => undefined,
    revokeGrantPolicy: () => true,
    loadExistingGrant: async (ctx) => {
      const { account, client } = ctx.oidc
      if (account === undefined || client === undefined) return undefined
      const scopes = await deps.agreedScopes(client.clientId, account.accountId, [...ctx.oidc.requestParamOIDCScopes])
      if (scopes.length === 0) return undefined
      const grant = new (provider().Grant)({ accountId: account.accountId, clientId: client.clientId })
      grant.jti = deps.newGrantId()
      grant.addOIDCScope(scopes.join(' '))
      return grant
    },
    findAccount: async (ctx, sub, token) => {
      const { accounts, signedIn, grants } = requests.of(ctx.req)
      const user = accounts.get(sub) ?? (signedIn?.user.id === sub ? signedIn.user : undefined)
      if (user === undefined) return undefined
      const organizationId = grants.get(grantIdOf(token))?.organizationId ?? null
      return {
        accountId: sub,
        claims: async (_use, scope) => ({
          ...(await sourceClaims(db, claimSources, scope, { userId: sub, organizationId })),
          ...claimsOf(user, splitScope(scope)),
        }),
      }
    },
    renderError,
  }
}
