import type { EventEmitter } from 'node:events'
import type { JWK } from 'jose'
import { type Client as EngineClient, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { sha256 } from '../../core/crypto.ts'
import { isForeignKeyViolation, isUnavailable } from '../../core/database.ts'
import type { Log } from '../../core/log.ts'
import type { Writer } from '../models/writer.ts'
import { knownScopes, sourceClaims } from './claims.ts'
import type { Failures } from './failures.ts'
import { allowFormTo } from './form-target.ts'
import { forgetUnknownScopes } from './policy.ts'
import { describeError, describeUnauthenticated, retryHeaders, tooMany, tooManyFailures, usesCodeUp } from './refusals.ts'
import type { EngineRequest } from './request.ts'
import { providerSettings, type SettingsDeps } from './settings.ts'

export interface ProviderDeps extends SettingsDeps {
  readonly log: Log
  readonly writer: Writer
  readonly failures: Failures
}

type Context = KoaContextWithOIDC

/** Cookies of the library that nothing reads: the gatehouse session is the session. */
const unusedCookie = /^_(session|interaction)(\.sig)?=/

const dropUnusedCookies = (ctx: Context) => {
  const lines = ctx.res.getHeader('set-cookie')
  if (!Array.isArray(lines)) return
  const kept = lines.filter((line) => !unusedCookie.test(line))
  if (kept.length === 0) ctx.res.removeHeader('set-cookie')
  else ctx.res.setHeader('set-cookie', kept)
}

/** `form_post` sends a form to the client: the content policy names that one target. */
const allowFormPost = (ctx: Context) => {
  const redirectUri = ctx.oidc?.params?.['redirect_uri']
  if (ctx.oidc?.params?.['response_mode'] !== 'form_post' || typeof redirectUri !== 'string' || !URL.canParse(redirectUri)) return
  allowFormTo(ctx.res, [], new URL(redirectUri))
}

/** The library puts errors of response types we do not have into the fragment; an application that expects a code reads the query. */
const errorsInQuery = (ctx: Context) => {
  const location = String(ctx.res.getHeader('location') ?? '')
  if (!location.includes('#error=') || ctx.oidc?.params?.['response_mode'] === 'fragment') return
  const url = new URL(location)
  for (const [name, value] of new URLSearchParams(url.hash.slice(1))) url.searchParams.set(name, value)
  url.hash = ''
  ctx.set('location', url.href)
}

const refuse = (ctx: Context, status: number, error: string, description: string) => {
  const isPage = ctx.oidc?.route === 'authorization' || ctx.oidc?.route === 'resume'
  if (isPage) {
    ctx.status = 303
    ctx.redirect(`/error?${new URLSearchParams({ error, error_description: description })}`)
    return
  }
  ctx.status = status
  ctx.body = { error, error_description: description }
}

/** The browser asks once more: what this request read has changed meanwhile. */
const again = (ctx: Context) => {
  ctx.remove('set-cookie')
  ctx.redirect(ctx.url)
}

/** Where clients authenticate. */
const clientRoutes = new Set(['token', 'introspection', 'revocation', 'pushed_authorization_request'])

/** True when the answer says that secret, code or refresh token was wrong. */
const isGuess = (ctx: Context) =>
  clientRoutes.has(ctx.oidc?.route ?? '') &&
  ['invalid_client', 'invalid_grant'].includes((ctx.body as { error?: string } | undefined)?.error ?? '')

const sessionOf = (provider: Provider, { signedIn }: EngineRequest) =>
  signedIn === undefined
    ? new provider.Session()
    : Object.assign(new provider.Session(), {
        jti: signedIn.session.id,
        uid: signedIn.session.id,
        accountId: signedIn.user.id,
        loginTs: Math.floor(signedIn.session.createdAt.getTime() / 1000),
      })

/** One library instance for one set of keys, the first of each algorithm signing. It is replaced, never changed. */
export const createProvider = (deps: ProviderDeps, keys: readonly JWK[]): Provider => {
  const { log, requests, writer, clients, failures } = deps
  const provider: Provider = new Provider(
    deps.issuer,
    providerSettings(deps, keys, () => provider),
  )
  provider.proxy = true

  // The gatehouse session is the library's session too: signing out ends single sign-on because there is nothing else to end.
  provider.Session.get = async (ctx) => {
    const session = sessionOf(provider, requests.of(ctx.req))
    ctx['oidc'].entity('Session', session)
    return session
  }
  provider.Session.prototype.save = async function save() {
    Object.assign(this, { touched: false })
    return this.jti
  }
  /** A client that has guessed too often does not learn whether this guess is right. */
  const refuseGuesser = (clientId: string | undefined) => {
    const { ctx } = Provider
    if (ctx === undefined || !clientRoutes.has(ctx.oidc.route) || ctx.oidc.client !== undefined) return
    const seconds = failures.wait(requests.of(ctx.req).limitedAs, clientId)
    if (seconds === 0) return
    ctx.set(retryHeaders(seconds))
    throw tooManyFailures()
  }
  const countGuess = async (ctx: Context, { limitedAs }: EngineRequest) => {
    const seconds = await failures.count(limitedAs, ctx.oidc.client?.clientId)
    if (seconds === 0) return
    ctx.set(retryHeaders(seconds))
    refuse(ctx, 429, ...tooMany)
  }
  const ignored = deps.config.unknownScopes === 'ignore' ? knownScopes(deps.claimSources) : undefined
  // The library would describe and hash a client anew at each use; ours are the same object until another node changes them.
  const findDescribed = provider.Client.find.bind(provider.Client)
  const described = new WeakMap<object, EngineClient>()
  provider.Client.find = async (id) => {
    const client = typeof id === 'string' ? await clients.find(id) : undefined
    refuseGuesser(client?.clientId)
    if (ignored !== undefined && Provider.ctx?.oidc !== undefined) forgetUnknownScopes(Provider.ctx, ignored)
    const known = client === undefined || client.disabled ? undefined : described.get(client)
    if (known !== undefined) return known
    const fresh = await findDescribed(id)
    if (client !== undefined && fresh !== undefined) described.set(client, fresh)
    return fresh
  }
  Object.assign(provider.Client.prototype, {
    async compareClientSecret(this: EngineClient, secret: string) {
      const client = await clients.find(this.clientId)
      return client !== undefined && clients.isSecret(client, secret)
    },
  })

  const onRefusal = (event: string) => (ctx: Context, error: Error) => {
    const { description, detail } = describeError(error)
    if (typeof ctx.body === 'object' && ctx.body !== null && 'error' in ctx.body && description !== undefined)
      Object.assign(ctx.body, { error_description: description })
    const unauthenticated = describeUnauthenticated(error)
    if (unauthenticated !== undefined) {
      refuse(ctx, 401, 'invalid_client', unauthenticated)
      if (ctx.headers.authorization !== undefined) ctx.set('www-authenticate', `Basic realm="${deps.issuer}"`)
    }
    const request = requests.of(ctx.req)
    if (usesCodeUp(error)) request.usedUp = sha256(String(ctx.oidc.params?.['code']))
    const { requestId, address } = request.source
    const userId = ctx.oidc.account?.accountId ?? request.signedIn?.user.id ?? null
    const clientId = ctx.oidc.client?.clientId
    log.info({ requestId, event, error: error.message, detail, clientId, userId, address }, 'provider refused')
  }
  provider.on('authorization.error', onRefusal('authorization'))
  provider.on('grant.error', onRefusal('token'))
  provider.on('userinfo.error', onRefusal('userinfo'))
  provider.on('introspection.error', onRefusal('introspection'))
  provider.on('revocation.error', onRefusal('revocation'))
  provider.on('pushed_authorization_request.error', onRefusal('par'))
  const emitter: EventEmitter = provider
  emitter.on('error', (err: unknown) => log.error({ err }, 'provider could not answer'))
  provider.on('server_error', (ctx, err) => {
    const request = requests.of(ctx.req)
    request.failure = err
    log.error({ err, requestId: request.source.requestId, route: ctx.oidc?.route }, 'provider failed')
  })

  /** The claims of other features' scopes, as userinfo gives them: an API that is handed a token asks only here (RFC 7662, section 2.2). */
  const addClaims = async (ctx: Context, { grants }: EngineRequest) => {
    if (ctx.oidc?.route !== 'introspection' || (ctx.body as { active?: boolean } | undefined)?.active !== true) return
    const { AccessToken, RefreshToken } = ctx.oidc.entities
    const token = AccessToken ?? RefreshToken
    const grant = grants.get(token?.grantId ?? '')
    if (token === undefined || grant === undefined) return
    const subject = { userId: grant.accountId, organizationId: grant.organizationId }
    ctx.body = { ...(await sourceClaims(deps.db, deps.claimSources, token.scope ?? '', subject)), ...(ctx.body as object) }
  }

  /** A code that came with a wrong verifier or address. When it was redeemed meanwhile, it has been used twice. */
  const consumeCode = async ({ found }: EngineRequest, id: string) => {
    const grantId = (await found.get(id))?.model.grantId ?? null
    await writer.commit({ inserts: [], consumes: [{ id, grantId }], deletes: [] })
  }

  /** Writes what the request collected, before its answer leaves. */
  const settle = async (ctx: Context, request: EngineRequest) => {
    const { inserts, consumes, deletes, usedUp } = request
    if (usedUp !== undefined) return consumeCode(request, usedUp)
    if (ctx.status >= 400 || inserts.length + consumes.length + deletes.length === 0) return
    try {
      const outcome = await writer.commit({ inserts, consumes, deletes })
      const by = { requestId: request.source.requestId, clientId: ctx.oidc.client?.clientId }
      if (outcome === 'again') log.info(by, 'a refresh token was used again within its grace')
      if (outcome !== 'refused') return
      if (ctx.oidc?.route === 'resume') return again(ctx)
      log.warn(by, 'used twice; the authorization is revoked')
      refuse(ctx, 400, 'invalid_grant', 'it was used before')
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error
      // Session, user or client ended while the request ran.
      if (ctx.oidc?.route === 'authorization' || ctx.oidc?.route === 'resume') again(ctx)
      else refuse(ctx, 400, 'invalid_grant', 'the authorization has ended')
    }
  }

  provider.use(async (ctx, next) => {
    const context = ctx as unknown as Context
    const request = requests.of(ctx.req)
    try {
      await next()
      await addClaims(context, request)
      await settle(context, request)
      if (isGuess(context)) await countGuess(context, request)
    } catch (err) {
      request.failure = err
      log.error({ err, requestId: request.source.requestId }, 'provider failed')
      refuse(context, 500, 'server_error', 'Internal server error')
    }
    if (request.failure !== undefined && isUnavailable(request.failure)) {
      ctx.status = 503
      ctx.remove('location')
      ctx.set('retry-after', '2')
      ctx.body = { error: 'temporarily_unavailable', error_description: 'The database does not answer' }
    }
    // A revocation is answered by its status alone (RFC 7009, section 2.2); clients refuse a type that is not JSON.
    if (ctx.body === '') ctx.remove('content-type')
    dropUnusedCookies(context)
    allowFormPost(context)
    errorsInQuery(context)
  })
  return provider
}
