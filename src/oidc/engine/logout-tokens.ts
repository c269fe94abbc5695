/** What is used of oidc-provider for sessions that clients are told of, beyond what its documentation promises; as `library.ts`. */
import type { Provider } from 'oidc-provider'

/** Has each client know a session by an identifier of its own (`sid`). */
export const replaceSids = (provider: Provider, sidOf: (sessionId: string, clientId: string) => string): void => {
  Object.assign(provider.Session.prototype, {
    sidFor(this: { readonly uid: string }, clientId: string) {
      return sidOf(this.uid, clientId)
    },
  })
}

/** A logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4), signed as ID tokens of the client are; undefined without the client. */
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
