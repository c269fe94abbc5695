import type { Application } from '../application.ts'
import type { ListedSecret } from '../secrets.ts'

/** Client metadata as OAuth spells it (RFC 7591); everything else is camelCase. */
export const rowOf = (client: Application) => ({
  client_id: client.clientId,
  name: client.name,
  type: client.type,
  redirect_uris: client.redirectUris,
  post_logout_redirect_uris: client.postLogoutRedirectUris,
  web_origins: client.webOrigins,
  scope: client.scopes.join(' '),
  id_token_signed_response_alg: client.idTokenAlg,
  pkce: client.pkce ?? 'default',
  unknown_scopes: client.unknownScopes ?? 'default',
  without_pkce_at: client.withoutPkceAt?.toISOString() ?? null,
  require_acr: client.requireAcr ?? 'none',
  skip_consent: client.skipConsent,
  understands_act: client.understandsAct,
  permissions: client.permissions,
  disabled: client.disabled,
  client_uri: client.uri,
  logo_uri: client.icon,
  logo: client.logo,
  logo_problem: client.logoProblem,
  color: client.color,
  policy_uri: client.policyUri,
  tos_uri: client.tosUri,
  contacts: client.contacts,
  software_id: client.softwareId,
  software_version: client.softwareVersion,
  default_max_age: client.defaultMaxAge,
  require_auth_time: client.requireAuthTime,
  device_flow: client.deviceFlow,
  claims_in: client.claimsIn,
  jwks: client.jwks,
  translations: client.translations,
  registered_by: client.registeredBy,
  registrant_id: client.registrantId,
  review: client.review,
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
