import type { JWK } from 'jose'
import { sha256 } from '../../core/crypto.ts'
import { locales } from '../../core/locale.ts'
import { assertionAlgs } from '../metadata/rules.ts'
import { authMethods, deviceGrant, dpopAlgs, idTokenAlgs, requestObjectAlgs, subjectTypes, userinfoAlgs } from '../rules.ts'
import { tokenExchange } from '../token-exchange/rules.ts'

/** A public document as text and headers. It is made when keys change, and not at each request. */
export interface PreparedDocument {
  /** The document as text. Headers and body can so be sent in one write. */
  readonly body: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/** The paths of the provider's endpoints. */
export const endpoints = {
  authorization: '/oauth2/authorize',
  device_authorization: '/oauth2/device',
  token: '/oauth2/token',
  userinfo: '/oauth2/userinfo',
  introspection: '/oauth2/introspect',
  revocation: '/oauth2/revoke',
  pushed_authorization_request: '/oauth2/par',
  end_session: '/oauth2/end-session',
  registration: '/oauth2/register',
  jwks: '/jwks',
} as const

export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant, tokenExchange] as const
export const responseModes = ['query', 'fragment', 'form_post'] as const
const confidentialMethods = authMethods.filter((method) => method !== 'none')
/** The algorithms of the assertions with which clients authenticate. */
export const clientAssertionAlgs = [...assertionAlgs, 'HS256'] as const

/** Facts about this server that the public documents state. */
export interface Offered {
  readonly scopes: readonly string[]
  readonly claims: readonly string[]
  readonly prompts: readonly string[]
  readonly acrValues: readonly string[]
  /** The metadata documents of protected resources on this server, by path (RFC 9728). */
  readonly resources: ReadonlyMap<string, object>
  /** True if clients can register themselves. */
  readonly registration: boolean
  /** True if a `client_id` may be the URL of a metadata document. */
  readonly metadataDocuments: boolean
}

/** The discovery document (OpenID Connect Discovery 1.0, section 3; RFC 8414). It lists only features that are enabled. */
export const discoveryDocument = (
  issuer: string,
  { scopes, claims, prompts, acrValues, registration, metadataDocuments }: Offered,
) => ({
  issuer,
  authorization_endpoint: issuer + endpoints.authorization,
  device_authorization_endpoint: issuer + endpoints.device_authorization,
  token_endpoint: issuer + endpoints.token,
  userinfo_endpoint: issuer + endpoints.userinfo,
  jwks_uri: issuer + endpoints.jwks,
  introspection_endpoint: issuer + endpoints.introspection,
  revocation_endpoint: issuer + endpoints.revocation,
  end_session_endpoint: issuer + endpoints.end_session,
  pushed_authorization_request_endpoint: issuer + endpoints.pushed_authorization_request,
  ...(registration ? { registration_endpoint: issuer + endpoints.registration } : {}),
  scopes_supported: scopes,
  response_types_supported: ['code'],
  response_modes_supported: responseModes,
  grant_types_supported: grantTypes,
  acr_values_supported: acrValues,
  subject_types_supported: subjectTypes,
  id_token_signing_alg_values_supported: idTokenAlgs,
  token_endpoint_auth_methods_supported: authMethods,
  token_endpoint_auth_signing_alg_values_supported: clientAssertionAlgs,
  introspection_endpoint_auth_methods_supported: confidentialMethods,
  introspection_endpoint_auth_signing_alg_values_supported: clientAssertionAlgs,
  revocation_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_signing_alg_values_supported: clientAssertionAlgs,
  userinfo_signing_alg_values_supported: userinfoAlgs,
  dpop_signing_alg_values_supported: dpopAlgs,
  code_challenge_methods_supported: ['S256'],
  // This name is defined in Initiating User Registration via OpenID Connect 1.0, section 4.
  prompt_values_supported: ['none', ...prompts],
  claim_types_supported: ['normal'],
  ui_locales_supported: locales,
  claims_supported: [...claims, 'iss', 'aud', 'exp', 'iat', 'nonce'],
  claims_parameter_supported: true,
  request_parameter_supported: true,
  request_object_signing_alg_values_supported: requestObjectAlgs,
  request_uri_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  ...(metadataDocuments ? { client_id_metadata_document_supported: true } : {}),
})

const prepare = (value: unknown, type: string, cacheSeconds: number): PreparedDocument => {
  const body = JSON.stringify(value)
  const etag = `"${sha256(body).slice(0, 32)}"`
  return {
    body,
    etag,
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': `public, max-age=${cacheSeconds}`,
      ETag: etag,
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  }
}

/** The public documents by their paths. */
export const prepareDocuments = (
  issuer: string,
  offered: Offered,
  keys: readonly JWK[],
  cacheSeconds: number,
): ReadonlyMap<string, PreparedDocument> => {
  const discovery = prepare(discoveryDocument(issuer, offered), 'application/json', cacheSeconds)
  return new Map([
    ['/.well-known/openid-configuration', discovery],
    ['/.well-known/oauth-authorization-server', discovery],
    ...[...offered.resources].map(([path, document]) => [path, prepare(document, 'application/json', cacheSeconds)] as const),
    [endpoints.jwks, prepare({ keys }, 'application/jwk-set+json', cacheSeconds)],
  ])
}
