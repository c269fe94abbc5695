import { decodeJwt } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Log } from '../../core/log.ts'
import type { Clients } from '../clients/service.ts'
import type { OidcConfig } from '../config.ts'
import { splitScope } from '../rules.ts'
import type { EngineRequests } from './request.ts'

interface Deps {
  readonly log: Log
  readonly config: OidcConfig
  readonly clients: Clients
  readonly requests: EngineRequests
  /** Which of the scopes somebody has agreed to, or all for a client that needs no consent. */
  readonly agreedScopes: (clientId: string, userId: string, asked: readonly string[]) => Promise<readonly string[]>
}

/** Takes `offline_access` up again where the library left it out; the log says once a client when it stays out. */
export type KeepOfflineAccess = (ctx: KoaContextWithOIDC) => Promise<void>

const offline = 'offline_access'

/** The scope as the application sent it; a pushed request keeps it. */
const sentScope = ({ query, oidc: { route, body, entities } }: KoaContextWithOIDC): string => {
  const request = entities.PushedAuthorizationRequest?.request
  const sent = request !== undefined ? decodeJwt(request) : route === 'authorization' ? query : (body ?? {})
  return typeof sent['scope'] === 'string' ? sent['scope'] : ''
}

/**
 * The library gives `offline_access` with `prompt=consent` only (OpenID Connect Core 1.0, section 11). The same section lets other conditions
 * stand in for it: the operator vouches for the application, or the person has agreed to it or is about to.
 */
export const createOfflineAccess = ({ log, config, clients, requests, agreedScopes }: Deps): KeepOfflineAccess => {
  const told = new Set<string>()

  const isAllowed = async (ctx: KoaContextWithOIDC, clientId: string): Promise<boolean> => {
    // Who signs in is known when the pushed request is used: it is decided then.
    if (ctx.oidc.route === 'pushed_authorization_request') return true
    if ((await clients.find(clientId))?.skipConsent === true) return true
    if (config.offlineAccess !== 'consented') return false
    const { signedIn } = requests.of(ctx.req)
    // Without the right to ask only what was agreed to before counts.
    if (!ctx.oidc.prompts.has('none')) return true
    return signedIn !== undefined && (await agreedScopes(clientId, signedIn.user.id, [offline])).length > 0
  }

  return async (ctx) => {
    const { params, client } = ctx.oidc
    const asked = splitScope(sentScope(ctx))
    const kept = splitScope(String(params?.['scope'] ?? ''))
    if (params === undefined || client === undefined || !asked.includes(offline) || kept.includes(offline)) return
    const isRegistered = splitScope(client.scope ?? '').includes(offline)
    if (isRegistered && (await isAllowed(ctx, client.clientId))) {
      params['scope'] = [...kept, offline].join(' ')
      return
    }
    if (told.has(client.clientId)) return
    told.add(client.clientId)
    log.warn(
      { clientId: client.clientId, requestId: requests.of(ctx.req).source.requestId },
      isRegistered
        ? 'offline_access was left out, so there is no refresh token: the application has to send prompt=consent with it, unless it is registered with --skip-consent or oidc.offlineAccess is consented. This is said once a client'
        : 'offline_access was left out, so there is no refresh token: the client is not registered for that scope. This is said once a client',
    )
  }
}
