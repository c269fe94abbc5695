import type { ListedSecret } from '../secrets.ts'
import type { Client } from '../service.ts'

/** Client metadata as OAuth spells it (RFC 7591); everything else is camelCase. */
export const rowOf = (client: Omit<Client, 'secrets'>) => ({
  client_id: client.clientId,
  name: client.name,
  type: client.type,
  redirect_uris: client.redirectUrls,
  post_logout_redirect_uris: client.postLogoutRedirectUrls,
  web_origins: client.webOrigins,
  scope: client.scope,
  id_token_signed_response_alg: client.idTokenAlg,
  pkce: client.pkce ?? 'default',
  skip_consent: client.skipConsent,
  disabled: client.disabled,
  created_at: client.createdAt.toISOString(),
})

/** A secret, which is never shown itself: `hint` are its first characters. */
export const secretRow = ({ id, hint, state, createdAt, expiresAt, lastUsedAt }: ListedSecret) => ({
  secretId: id,
  hint: hint === null ? null : `${hint}…`,
  state,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})
