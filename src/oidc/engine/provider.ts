import type { EventEmitter } from 'node:events'
import type { JWK } from 'jose'
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { SignInFailures } from '../../authentication/failures/index.ts'
import { sha256 } from '../../core/crypto.ts'
import { isForeignKeyViolation, isUnavailable } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { Log } from '../../core/log.ts'
import { waitHeaders } from '../../core/web.ts'
import type { Exchanged, Writer, Writes } from '../artifacts/batches.ts'
import { sidOf } from '../artifacts/parts.ts'
import type { ClientKeys } from '../clients/keys.ts'
import { type DeviceCodes, devicePage } from '../device/codes.ts'
import { apiIdPrefix, type ResourceServers } from '../resource-servers/service.ts'
import { deviceGrant, knownScopes, missingScopes, splitScope, standardScopes } from '../rules.ts'
import { parameters, tokenExchange } from '../token-exchange/rules.ts'
import { replaceReplayDetection } from './assertions.ts'
import { actorOf, answerDevice, deviceEvents } from './devices.ts'
import { claimProofs } from './dpop.ts'
import { exchangeToken } from './exchange.ts'
import { deviceStates, recordFailure } from './failures.ts'
import type { ImpersonationDeps } from './impersonation-exchange.ts'
import {
  acceptRedirects,
  cacheClients,
  currentContext,
  hookClients,
  readError,
  replaceSessions,
  storeStructuredTokens,
  unreadableKeys,
} from './library.ts'
import { replaceSids } from './logout-tokens.ts'
import { claimsOfMachine } from './machine-organizations.ts'
import type { ProviderRequest } from './requests.ts'
import { spelledAlike } from './resources.ts'
import { finishAnswer, isBrowserRoute, isDeviceRoute, retryRequest, sendError } from './responses.ts'
import { checkScopes } from './scopes.ts'
import { authenticationClaims, providerSettings, type SettingsDeps } from './settings.ts'
import { type Throttling, throttledAnswer, throttledError } from './throttling.ts'

export interface ProviderDeps extends SettingsDeps, ImpersonationDeps {
  readonly log: Log
  readonly writer: Writer
  readonly throttling: Throttling
  readonly deviceCodes: DeviceCodes
  readonly apis: Pick<ResourceServers, 'findById' | 'authenticate'>
  readonly clientKeys: ClientKeys
  /** The redirect URI of administrators' test sign-ins. */
  readonly testAddress: string
  /** Undefined if failed attempts are not stored. */
  readonly signInFailures?: SignInFailures
  /** Counts a request of the token endpoint in the metrics. */
  readonly countGrant: (labels: { readonly grant_type: string; readonly outcome: string }) => void
}

type Context = KoaContextWithOIDC

/** The grant types that the metrics show by name. All others are counted as `other`. */
const grantTypes = new Set(['authorization_code', 'refresh_token', 'client_credentials', deviceGrant, tokenExchange])
/** The library's routes at which clients authenticate. */
const clientRoutes = new Set(['token', 'introspection', 'revocation', 'pushed_authorization_request', 'device_authorization'])

/** The library's routes whose errors keep a person out of an application. */
const keepingOut = new Set(['authorization', 'token', 'par'])

/** True if the answer says that a client secret, code or refresh token was wrong. */
const isWrongCredential = (ctx: Context) =>
  clientRoutes.has(ctx.oidc?.route ?? '') &&
  ['invalid_client', 'invalid_grant'].includes((ctx.body as { error?: string } | undefined)?.error ?? '')

const grantTypeOf = (ctx: Context) => {
  const type = ctx.oidc.route === 'device_authorization' ? deviceGrant : String(ctx.oidc.params?.['grant_type'])
  return grantTypes.has(type) ? type : 'other'
}

/** Normalizes the spelling of the requested resources, so that they can be compared. */
const spellAlike = ({ oidc: { params } }: Context) => {
  // A token exchange may name its resource in the parameter `audience` instead of `resource`.
  if (params?.['grant_type'] === tokenExchange && params['resource'] === undefined) params['resource'] = params['audience']
  if (params?.['resource'] !== undefined) params['resource'] = spelledAlike(params['resource'])
}

/**
 * Refuses a client after too many wrong credentials, before its credential is checked. A throttled client must not learn whether its
 * credential is correct.
 */
const throttleClient = ({ requests, throttling }: ProviderDeps, clientId: string | undefined) => {
  const ctx = currentContext()
  if (ctx === undefined || !clientRoutes.has(ctx.oidc.route) || ctx.oidc.client !== undefined) return
  const seconds = throttling.wait(requests.of(ctx.req).networkKey, clientId)
  if (seconds === 0) return
  ctx.set(waitHeaders(seconds))
  throw throttledError()
}

const countFailure = async ({ throttling }: ProviderDeps, ctx: Context, { networkKey }: ProviderRequest) => {
  const seconds = await throttling.count(networkKey, ctx.oidc.client?.clientId)
  if (seconds === 0) return
  ctx.set(waitHeaders(seconds))
  sendError(ctx, 429, ...throttledAnswer)
}

const onError = (deps: ProviderDeps, event: string) => (ctx: Context, error: Error) => {
  const { description, detail, unauthenticated, invalidatesCode } = readError(error)
  if (typeof ctx.body === 'object' && ctx.body !== null && 'error' in ctx.body && description !== undefined)
    Object.assign(ctx.body, { error_description: description })
  if (unauthenticated !== undefined) {
    sendError(ctx, 401, 'invalid_client', unauthenticated)
    if (ctx.headers.authorization !== undefined) ctx.set('www-authenticate', `Basic realm="${deps.issuer}"`)
  }
  const request = deps.requests.of(ctx.req)
  if (invalidatesCode && ctx.oidc.route === 'token') request.invalidatedCode = sha256(String(ctx.oidc.params?.['code']))
  const { requestId, address } = request.source
  const userId = ctx.oidc.account?.accountId ?? request.signedIn?.user.id ?? null
  const clientId = ctx.oidc.client?.clientId
  const isWaiting = deviceStates.has((error as { readonly error?: string }).error ?? '')
  if (!isWaiting) deps.log.info({ requestId, event, error: error.message, detail, clientId, userId, address }, 'provider refused')
  if (keepingOut.has(event)) recordFailure(deps.signInFailures, ctx, request, error)
}

/**
 * Adds the claims of other features to an introspection. They are the claims of userinfo, because a resource server cannot get them
 * anywhere else (RFC 7662, section 2.2). Of the claims about the user, only `sub` is added.
 */
const addClaims = async (deps: ProviderDeps, ctx: Context, { grants, accounts, audience }: ProviderRequest) => {
  const { claims } = deps
  if (ctx.oidc?.route !== 'introspection' || (ctx.body as { active?: boolean } | undefined)?.active !== true) return
  if (audience !== undefined) Object.assign(ctx.body as object, { aud: audience })
  const { AccessToken, RefreshToken, ClientCredentials } = ctx.oidc.entities
  if (ClientCredentials !== undefined) {
    const values = await claimsOfMachine(deps, ctx, ClientCredentials.scope ?? '')
    ctx.body = { ...values, ...(ctx.body as object) }
  }
  const token = AccessToken ?? RefreshToken
  const grant = grants.get(token?.grantId ?? '')
  const user = accounts.get(grant?.accountId ?? '')
  if (token === undefined || grant === undefined || user === undefined) return
  const scopes = missingScopes(splitScope(token.scope ?? ''), standardScopes)
  const values = await claims.values(deps.db, { user, organizationId: grant.organizationId, clientId: grant.clientId }, scopes)
  const ofGrant = RefreshToken === undefined ? {} : authenticationClaims(grant.authentication)
  ctx.body = { ...values, ...ofGrant, ...(ctx.body as object) }
}

/**
 * Consumes the code of a request with a wrong verifier or redirect URI. If another request has redeemed the code meanwhile, the code
 * counts as used twice.
 */
const consumeInvalidatedCode = async ({ writer }: ProviderDeps, { found }: ProviderRequest, from: Writes['from'], id: string) => {
  const grantId = (await found.get(id))?.artifact.grantId ?? null
  await writer.commit({ inserts: [], consumes: [{ id, grantId }], deletes: [], from })
}

/** The data for the event about a token exchange. */
const exchangedOf = ({ exchange, inserts: [row], grants }: ProviderRequest, actor: Actor): Exchanged | undefined => {
  if (exchange === undefined || row?.accountId == null) return undefined
  const { accountId: userId, clientId, grantId, payload } = row
  const { impersonator, through } = exchange
  // If the exchanged token comes from an impersonation, the administrator acts, and not the user.
  const by = grants.get(grantId ?? '')?.impersonation?.by
  return {
    actor: impersonator ?? { ...actor, ...(by === undefined ? {} : { impersonatorId: by }) },
    ...{ userId, grantId: grantId ?? row.id },
    data: {
      ...{ clientId: clientId ?? '', audience: String(payload['audience']), through: impersonator ? null : through },
      ...{ scopes: splitScope(String(payload['scope'] ?? '')), isBound: payload['jkt'] !== undefined },
    },
  }
}

/** Commits the writes of the request before the answer is sent. */
const commitRequest = async (deps: ProviderDeps, ctx: Context, request: ProviderRequest) => {
  const { log, writer } = deps
  const { inserts, consumes, deletes, keeps, invalidatedCode } = request
  const clientId = ctx.oidc.client?.clientId
  const from = {
    actor: { ...request.source, kind: 'application', ...(clientId === undefined ? {} : { actorId: clientId }) },
    clientId,
  }
  if (invalidatedCode !== undefined) return consumeInvalidatedCode(deps, request, from, invalidatedCode)
  if (ctx.status >= 400 || (request.device === undefined && inserts.length + consumes.length + deletes.length === 0)) return
  try {
    if (request.device !== undefined && !(await deps.deviceCodes.store(actorOf(request, from.actor), request.device)))
      ctx.redirect(devicePage({ problem: 'used' }))
    if (inserts.length + consumes.length + deletes.length === 0) return
    const outcome = await writer.commit({ inserts, consumes, deletes, keeps, exchanged: exchangedOf(request, from.actor), from })
    const by = { requestId: request.source.requestId, clientId }
    if (outcome === 'within grace') log.info(by, 'a refresh token was used again within its grace')
    if (outcome !== 'replayed') return
    if (isDeviceRoute(ctx)) return ctx.redirect(devicePage({ problem: 'used' }))
    if (ctx.oidc?.route === 'resume') return retryRequest(ctx)
    log.warn(by, 'used twice; the authorization is revoked')
    sendError(ctx, 400, 'invalid_grant', 'it was used before')
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    // The write failed because the session, user or client was deleted during the request.
    if (isDeviceRoute(ctx)) ctx.redirect(devicePage({ problem: 'expired' }))
    else if (isBrowserRoute(ctx)) retryRequest(ctx)
    else sendError(ctx, 400, 'invalid_grant', 'the authorization has ended')
  }
}

/**
 * Makes an instance of the library for one set of keys. Of each algorithm, the first key in the list signs. When the keys change, a new
 * instance is made.
 */
export const createProvider = (deps: ProviderDeps, keys: readonly JWK[]): Provider => {
  const { log, requests, clients } = deps
  const ownScopes = knownScopes(deps.claims)
  const provider: Provider = new Provider(
    deps.issuer,
    providerSettings(deps, keys, () => provider),
  )
  provider.proxy = true
  storeStructuredTokens(provider)
  provider.registerGrantType(
    tokenExchange,
    exchangeToken(deps, () => provider, ownScopes),
    [...parameters],
    ['resource', 'audience'],
  )

  // The session of this server is also the session of the library. Signing out therefore ends single sign-on.
  replaceSessions(provider, ({ req }) => {
    const { signedIn } = requests.of(req)
    return signedIn && { id: signedIn.session.id, accountId: signedIn.user.id, ...signedIn.authentication }
  })

  replaceSids(provider, sidOf)

  cacheClients(provider, {
    find: async (id) => {
      const api = typeof id === 'string' && id.startsWith(apiIdPrefix) ? await deps.apis.findById(id) : undefined
      if (api !== undefined) {
        throttleClient(deps, api.id)
        return api
      }
      const client = typeof id === 'string' ? await clients.find(id) : undefined
      throttleClient(deps, client?.clientId)
      // A disabled client is not cached. The library then looks it up through the adapter, and the adapter throws the error.
      return client?.disabled === true ? undefined : client
    },
    isSecret: async (clientId, secret) => {
      const api = clientId.startsWith(apiIdPrefix) ? await deps.apis.findById(clientId) : undefined
      if (api !== undefined) return deps.apis.authenticate(api, secret)
      const client = await clients.find(clientId)
      const match = client === undefined ? undefined : clients.authenticate(client, secret)
      const ctx = currentContext()
      if (ctx !== undefined && match !== undefined) requests.of(ctx.req).signingSecret = match.plain
      return match !== undefined
    },
    // If a client has two valid secrets, its ID token is signed with the secret that this request has sent.
    signingSecret: () => {
      const ctx = currentContext()
      return ctx === undefined ? undefined : requests.of(ctx.req).signingSecret
    },
    keysFor: async ({ clientId }, kid) => {
      const client = await clients.find(clientId)
      const keys = client === undefined ? undefined : await deps.clientKeys.read(client, kid)
      if (keys === undefined) throw new errors.InvalidClientAuth(unreadableKeys)
      return keys
    },
  })

  replaceReplayDetection(provider, claimProofs(deps.claimOnce, deps.clock))

  hookClients(provider, {
    onAuthorization: (ctx, client) => {
      spellAlike(ctx)
      checkScopes(ctx, client, ownScopes)
    },
    onGrant: (ctx, client, isAllowed) => {
      spellAlike(ctx)
      // The library would answer invalid_request. RFC 6749, section 5.2, defines unauthorized_client for this case.
      if (!isAllowed) throw new errors.UnauthorizedClient(`the client is not registered for ${grantTypeOf(ctx)}`)
      checkScopes(ctx, client, ownScopes)
    },
  })

  // A resumed request gets the stored redirect URI, which was checked at the start. Without the cookie of the interaction, the library
  // would read the parameters from the browser instead.
  acceptRedirects(provider, ({ oidc, req }, address) => {
    if (address !== deps.testAddress) return false
    if (oidc.route === 'resume') return oidc.entities.Interaction?.params['redirect_uri'] === address
    return oidc.route === 'authorization' && requests.of(req).isTestSignIn
  })

  const emitter: EventEmitter = provider
  provider.on('authorization.error', onError(deps, 'authorization'))
  provider.on('grant.error', onError(deps, 'token'))
  provider.on('grant.success', (ctx) => deps.countGrant({ grant_type: grantTypeOf(ctx), outcome: 'success' }))
  provider.on('grant.error', (ctx, error) => deps.countGrant({ grant_type: grantTypeOf(ctx), outcome: error.error }))
  provider.on('userinfo.error', onError(deps, 'userinfo'))
  provider.on('introspection.error', onError(deps, 'introspection'))
  provider.on('revocation.error', onError(deps, 'revocation'))
  provider.on('pushed_authorization_request.error', onError(deps, 'par'))
  for (const name of deviceEvents) emitter.on(name, onError(deps, 'device'))
  emitter.on('error', (err: unknown) => log.error({ err }, 'provider could not answer'))
  provider.on('server_error', (ctx, err) => {
    const request = requests.of(ctx.req)
    request.failure = err
    log.error({ err, requestId: request.source.requestId, route: ctx.oidc?.route }, 'provider failed')
  })

  provider.use(async (ctx, next) => {
    const context = ctx as typeof ctx & Context
    const request = requests.of(ctx.req)
    try {
      await next()
      await addClaims(deps, context, request)
      await commitRequest(deps, context, request)
      await answerDevice(deps, context)
      if (isWrongCredential(context) && !request.isRightCredential) await countFailure(deps, context, request)
    } catch (err) {
      request.failure = err
      log.error({ err, requestId: request.source.requestId }, 'provider failed')
      sendError(context, 500, 'server_error', 'Internal server error')
    }
    if (request.failure !== undefined && isUnavailable(request.failure)) {
      ctx.status = 503
      ctx.remove('location')
      ctx.set('retry-after', '2')
      ctx.body = { error: 'temporarily_unavailable', error_description: 'The database does not answer' }
    }
    finishAnswer(context)
  })
  return provider
}
