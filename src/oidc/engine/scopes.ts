import { decodeJwt } from 'jose'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Log } from '../../core/log.ts'
import type { Clients } from '../clients/service.ts'
import type { OidcConfig } from '../config.ts'
import { missingScopes, splitScope } from '../rules.ts'
import type { ProviderRequests } from './requests.ts'

interface Deps {
  readonly log: Log
  readonly config: OidcConfig
  readonly clients: Clients
  readonly requests: ProviderRequests
  /** Those of the scopes that the user has agreed to, or all for a client that needs no consent. */
  readonly agreedScopes: (clientId: string, userId: string, requested: readonly string[]) => Promise<readonly string[]>
}

/** Those of the scopes that this installation has. */
const onlyKnown = (scope: string, scopes: readonly string[]): string =>
  splitScope(scope)
    .filter((one) => scopes.includes(one))
    .join(' ')

/** Leaves unknown scopes out at the token endpoint, where the library answers with an error at renewal. */
export const forgetUnknownScopes = ({ oidc }: KoaContextWithOIDC, scopes: readonly string[]): void => {
  const sent = oidc.route === 'token' ? oidc.params?.['scope'] : undefined
  if (oidc.params !== undefined && typeof sent === 'string') oidc.params['scope'] = onlyKnown(sent, scopes) || undefined
}

/**
 * Form of max_age, default scope, and an error for unknown ones (accounts specification, sections 8 and 9), or without them where the operator
 * wants that; the library would carry them along. The library has filtered `params.scope` by now: this reads what was sent.
 */
export const createRequestCheck =
  (scopes: readonly string[], areUnknownIgnored: boolean) =>
  (ctx: KoaContextWithOIDC): void => {
    const { params, route } = ctx.oidc
    const { scope: sent, max_age: maxAge } = route === 'authorization' ? ctx.query : (ctx.oidc.body ?? {})
    // The library takes whatever JavaScript reads as a number.
    if (typeof maxAge === 'string' && !/^\d*$/.test(maxAge)) throw new errors.InvalidRequest('invalid max_age parameter value')
    const unknown = missingScopes(splitScope(typeof sent === 'string' ? sent : ''), scopes)
    if (unknown.length > 0 && !areUnknownIgnored)
      throw new errors.InvalidScope(`The following scopes are invalid: ${unknown.join(', ')}`, unknown.join(' '))
    if (unknown.length > 0 && typeof params?.['scope'] === 'string') params['scope'] = onlyKnown(params['scope'], scopes)
    if (params !== undefined && (params['scope'] === undefined || params['scope'] === '')) params['scope'] = 'openid'
  }

/** Puts `offline_access` back where the library left it out; a warning is logged once a client where it stays out. */
export type RestoreOfflineAccess = (ctx: KoaContextWithOIDC) => Promise<void>

const offline = 'offline_access'

/** The scope as the application sent it; a pushed request keeps it. */
const sentScope = ({ query, oidc: { route, body, entities } }: KoaContextWithOIDC): string => {
  const request = entities.PushedAuthorizationRequest?.request
  const sent = request !== undefined ? decodeJwt(request) : route === 'authorization' ? query : (body ?? {})
  return typeof sent['scope'] === 'string' ? sent['scope'] : ''
}

/**
 * The library gives `offline_access` with `prompt=consent` only (OpenID Connect Core 1.0, section 11). The same section lets other conditions
 * stand in for it: the operator registered the application with --skip-consent, or the person has agreed to it or is being asked.
 */
export const createRestoreOfflineAccess = ({ log, config, clients, requests, agreedScopes }: Deps): RestoreOfflineAccess => {
  const warned = new Set<string>()

  const isAllowed = async (ctx: KoaContextWithOIDC, clientId: string): Promise<boolean> => {
    // Who signs in is known when the pushed request is used: it is decided then.
    if (ctx.oidc.route === 'pushed_authorization_request') return true
    if ((await clients.find(clientId))?.skipConsent === true) return true
    if (config.offlineAccess !== 'consented') return false
    const { signedIn } = requests.of(ctx.req)
    // With prompt=none only what was agreed to before counts.
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
