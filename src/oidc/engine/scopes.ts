import { errors, type KoaContextWithOIDC, type Client as LibraryClient } from 'oidc-provider'
import type { Log } from '../../core/log.ts'
import type { Clients } from '../clients/service.ts'
import type { OidcConfig } from '../config.ts'
import { missingScopes, splitScope } from '../rules.ts'
import { sentParameters } from './request-objects.ts'
import type { ProviderRequests } from './requests.ts'

const offline = 'offline_access'

interface Deps {
  readonly log: Log
  readonly config: OidcConfig
  readonly clients: Clients
  readonly requests: ProviderRequests
  /** Returns the requested scopes to which the user has agreed. For a client that needs no consent, it returns all requested scopes. */
  readonly agreedScopes: (clientId: string, userId: string, requested: readonly string[]) => Promise<readonly string[]>
}

/**
 * The name of a client metadata field that only this server knows. If the field is true, scopes that the client may not request are left
 * out instead of causing an error.
 */
export const ignoresScopesProperty = 'gatehouse_ignores_scopes'

const invalidScopes = (scopes: readonly string[]) =>
  new errors.InvalidScope(
    `The following scopes are invalid: ${scopes.join(', ')}; oidc.unknownScopes or --unknown-scopes of the client can have them left out`,
    scopes.join(' '),
  )

const refuseForeign = ({ oidc }: KoaContextWithOIDC, client: LibraryClient, ownScopes: readonly string[]): void => {
  const { params, route } = oidc
  const sent = params?.['scope']
  if (params === undefined || typeof sent !== 'string') return
  const isGrant = route === 'token'
  const isDevice = route === 'device_authorization'
  const allowed = splitScope(client.scope ?? '')
  const asked = splitScope(sent)
  // The library leaves out `offline_access` if the request lacks `prompt=consent`, even for a client that has registered the scope.
  const isLeftOut = (scope: string) => scope === offline && !isGrant && !isDevice && !oidc.prompts.has('consent')
  // Scopes of APIs are checked later, when the requested APIs are known.
  const isOfApi = (scope: string) => params['resource'] !== undefined && !ownScopes.includes(scope)
  const foreign = missingScopes(asked, allowed).filter((scope) => !isLeftOut(scope) && !isOfApi(scope))
  if (foreign.length === 0) return
  // At a refresh, the library itself refuses scopes that were not granted.
  if (client[ignoresScopesProperty] !== true) {
    if (isGrant && params['grant_type'] === 'refresh_token') return
    throw invalidScopes(foreign)
  }
  const kept = missingScopes(asked, foreign)
  // The answer to a client credentials grant cannot have an empty scope (RFC 6749, section 5.1). A sign-in always has the scope `openid`.
  if (kept.length === 0 && params['grant_type'] === 'client_credentials') throw invalidScopes(foreign)
  params['scope'] = kept.join(' ') || undefined
}

/**
 * A machine gets no refresh token (RFC 6749, section 4.4.3), so `offline_access` is not granted to it. Other scopes about people have no
 * effect for a machine, but are accepted, because some clients always send them. Throws invalid_scope if `offline_access` is the only
 * requested scope.
 */
const leaveOutOffline = (params: NonNullable<KoaContextWithOIDC['oidc']['params']>): void => {
  const asked = splitScope(String(params['scope'] ?? ''))
  if (params['grant_type'] !== 'client_credentials' || !asked.includes(offline)) return
  const others = missingScopes(asked, [offline])
  if (others.length === 0)
    throw new errors.InvalidScope('a machine gets no refresh token: it asks for another access token instead', offline)
  params['scope'] = others.join(' ')
}

/**
 * Refuses scopes that are unknown, or that the client may not request. The library would accept unknown scopes. If the operator wants it
 * for a client, such scopes are left out instead of refused (RFC 6749, section 3.3; accounts specification, sections 8 and 9). Throws
 * invalid_scope.
 */
export const checkScopes = (ctx: KoaContextWithOIDC, client: LibraryClient, ownScopes: readonly string[]): void => {
  refuseForeign(ctx, client, ownScopes)
  if (ctx.oidc.route === 'token' && ctx.oidc.params !== undefined) leaveOutOffline(ctx.oidc.params)
}

/**
 * Checks the scopes of a request that names APIs. `available` has the scopes of this server, and the scopes of the named APIs that the
 * client may request. Throws invalid_scope.
 */
export const checkApiScopes = ({ oidc }: KoaContextWithOIDC, client: LibraryClient, available: readonly string[]): void => {
  const { params } = oidc
  const sent = params?.['scope']
  if (params === undefined || typeof sent !== 'string') return
  const asked = splitScope(sent)
  const foreign = missingScopes(asked, available)
  if (foreign.length === 0) return
  const kept = missingScopes(asked, foreign)
  if (client[ignoresScopesProperty] !== true || kept.length === 0) throw invalidScopes(foreign)
  params['scope'] = kept.join(' ')
}

/** Refuses a malformed `max_age`, and sets the default scope. */
export const checkRequest = (ctx: KoaContextWithOIDC): void => {
  const { params } = ctx.oidc
  const { max_age: maxAge } = sentParameters(ctx)
  // The library accepts every text that JavaScript can convert to a number.
  if (typeof maxAge === 'string' && !/^\d*$/.test(maxAge)) throw new errors.InvalidRequest('invalid max_age parameter value')
  if (params !== undefined && (params['scope'] === undefined || params['scope'] === '')) params['scope'] = 'openid'
}

/** Restores `offline_access` if the library has dropped it wrongly. If the scope stays dropped, a warning is logged once for each client. */
export type RestoreOfflineAccess = (ctx: KoaContextWithOIDC) => Promise<void>

/** The scope as the application has sent it. It survives in a pushed request. */
const sentScope = (ctx: KoaContextWithOIDC): string => {
  const { scope } = sentParameters(ctx)
  return typeof scope === 'string' ? scope : ''
}

/**
 * The library grants `offline_access` only with `prompt=consent`, but the standard allows other conditions too (OpenID Connect Core 1.0,
 * section 11). Here it is granted if the operator has registered the application with --skip-consent, if the person has agreed to it
 * before, or if the person is asked in this request.
 */
export const createRestoreOfflineAccess = ({ log, config, clients, requests, agreedScopes }: Deps): RestoreOfflineAccess => {
  const warned = new Set<string>()

  const isAllowed = async (ctx: KoaContextWithOIDC, clientId: string): Promise<boolean> => {
    // When a request is pushed, its user is not known yet. The scope is decided when the request is used.
    if (ctx.oidc.route === 'pushed_authorization_request') return true
    if ((await clients.find(clientId))?.skipConsent === true) return true
    if (config.offlineAccess !== 'consented') return false
    const { signedIn } = requests.of(ctx.req)
    // With `prompt=none` nobody can be asked, so only a stored consent counts.
    if (!ctx.oidc.prompts.has('none')) return true
    return signedIn !== undefined && (await agreedScopes(clientId, signedIn.user.id, [offline])).length > 0
  }

  return async (ctx) => {
    const { params, client } = ctx.oidc
    const requested = splitScope(sentScope(ctx))
    const kept = splitScope(String(params?.['scope'] ?? ''))
    if (params === undefined || client === undefined || !requested.includes(offline) || kept.includes(offline)) return
    const isRegistered = splitScope(client.scope ?? '').includes(offline)
    if (isRegistered && (await isAllowed(ctx, client.clientId))) {
      params['scope'] = [...kept, offline].join(' ')
      return
    }
    if (warned.has(client.clientId)) return
    warned.add(client.clientId)
    log.warn(
      { clientId: client.clientId, requestId: requests.of(ctx.req).source.requestId },
      isRegistered
        ? 'offline_access was left out, so there is no refresh token: the application has to send prompt=consent with it, unless it is registered with --skip-consent or oidc.offlineAccess is consented. This is said once a client'
        : 'offline_access was left out, so there is no refresh token: the client is not registered for that scope. This is said once a client',
    )
  }
}
