/** Undocumented parts of oidc-provider that are needed to notify clients of ended sessions. `library.ts` has all other undocumented parts. */
import type { Provider } from 'oidc-provider'

/** Replaces the claim `sid`, so that each client gets a different identifier of a session. */
export const replaceSids = (provider: Provider, sidOf: (sessionId: string, clientId: string) => string): void => {
  Object.assign(provider.Session.prototype, {
    sidFor(this: { readonly uid: string }, clientId: string) {
      return sidOf(this.uid, clientId)
    },
  })
}

/**
 * Makes a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4). It is signed as the client's ID tokens are signed.
 * Undefined for an unknown client.
 */
export const issueLogoutToken = async (
  provider: Provider,
  { clientId, userId, sid, id }: Readonly<Record<'clientId' | 'userId' | 'sid' | 'id', string>>,
): Promise<string | undefined> => {
  const client = await provider.Client.find(clientId)
  if (client === undefined) return undefined
  const token = Object.assign(new provider.IdToken({ sub: userId }, { client }), { mask: { sub: null } })
  token.set('events', { 'http://schemas.openid.net/event/backchannel-logout': {} })
  token.set('jti', id)
  token.set('sid', sid)
  return token.issue({ use: 'logout' })
}
