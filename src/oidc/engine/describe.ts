import type { AdapterPayload } from 'oidc-provider'
import { hasSecret, needsWholeSecret } from '../clients/rules.ts'
import type { Client } from '../clients/service.ts'
import type { OidcConfig } from '../config.ts'
import { isSigningKey } from '../metadata/rules.ts'
import type { ResourceServer } from '../resource-servers/service.ts'
import { deviceGrant, isPublic, needsPkce } from '../rules.ts'
import { tokenExchange } from '../token-exchange/rules.ts'
import { profileProperty } from './fapi.ts'
import { secretsProperty } from './library.ts'
import { ignoresScopesProperty } from './scopes.ts'

/**
 * Names of client metadata fields that only this server knows: the type of a client that needs PKCE, and the origins whose pages may call
 * for a client.
 */
export const pkceProperty = 'gatehouse_needs_pkce'
export const originsProperty = 'gatehouse_web_origins'

/** Authentication methods that use a signed assertion and do not send the secret. */
const byAssertion = ['private_key_jwt', 'client_secret_jwt'] as const

/**
 * Describes a client to the library, with the scopes that it may request now. Secrets are not compared with this `client_secret` (see
 * `cacheClients`). The library only signs ID tokens with it (HS256).
 */
export const describeClient = (
  client: Client,
  { requirePkce, unknownScopes }: Pick<OidcConfig, 'requirePkce' | 'unknownScopes'>,
  withoutSecret: string,
): AdapterPayload => {
  const publicClient = isPublic(client.type)
  const isMachine = client.type === 'machine'
  // A client for devices may have no redirect URI.
  const signsIn = !isMachine && client.redirectUrls.length > 0
  const secrets = client.secrets.map(({ plain, hash }) => plain ?? hash)
  const { authMethod, jwks, jwksUri, profile } = client.metadata
  const isFapi = profile === 'fapi2'
  return {
    client_id: client.clientId,
    client_name: client.name,
    // The library demands a `client_secret` for every confidential client. After all secrets have ended, a value is used that nobody
    // knows.
    ...(hasSecret({ type: client.type, authMethod }) ? { client_secret: secrets[0] ?? withoutSecret } : {}),
    application_type: client.type === 'native' ? 'native' : 'web',
    // A client may send its secret in the header or in the form, whichever of the two methods it has registered.
    token_endpoint_auth_method: publicClient
      ? 'none'
      : (byAssertion.find((method) => method === authMethod) ?? 'client_secret_basic'),
    redirect_uris: [...client.redirectUrls],
    grant_types: [
      ...(isMachine ? ['client_credentials'] : [...(signsIn ? ['authorization_code'] : []), 'refresh_token']),
      ...(client.metadata.deviceFlow ? [deviceGrant] : []),
      // The client may always call the grant. The API for which the new token is requested decides whether the exchange is allowed.
      ...(publicClient ? [] : [tokenExchange]),
    ],
    response_types: signsIn ? ['code'] : [],
    id_token_signed_response_alg: client.idTokenAlg,
    ...(needsWholeSecret({ ...client, authMethod }) ? { [secretsProperty]: secrets } : {}),
    ...(jwksUri === null ? {} : { jwks_uri: jwksUri }),
    ...(jwks === null ? {} : { jwks: { keys: jwks.keys.filter(isSigningKey) } }),
    ...(isFapi ? { [profileProperty]: profile } : {}),
    ...(isFapi || needsPkce(client, requirePkce) ? { [pkceProperty]: client.type } : {}),
    [originsProperty]: client.webOrigins,
    [ignoresScopesProperty]: (client.unknownScopes ?? unknownScopes) === 'ignore',
    scope: client.scopes.join(' '),
    ...(client.metadata.defaultMaxAge === null ? {} : { default_max_age: client.metadata.defaultMaxAge }),
    ...(client.metadata.requireAuthTime ? { require_auth_time: true } : {}),
    ...(client.metadata.backchannelLogoutUri === null
      ? {}
      : { backchannel_logout_uri: client.metadata.backchannelLogoutUri, backchannel_logout_session_required: true }),
    ...(client.metadata.subjectType === 'pairwise' ? { subject_type: 'pairwise' } : {}),
    ...(client.metadata.sectorIdentifierUri === null ? {} : { sector_identifier_uri: client.metadata.sectorIdentifierUri }),
    ...(isFapi || client.metadata.requirePushedAuthorizationRequests ? { require_pushed_authorization_requests: true } : {}),
    ...(client.metadata.requireSignedRequestObject ? { require_signed_request_object: true } : {}),
    ...(client.metadata.userinfoAlg === null ? {} : { userinfo_signed_response_alg: client.metadata.userinfoAlg }),
    ...(client.metadata.requestObjectAlg === null ? {} : { request_object_signing_alg: client.metadata.requestObjectAlg }),
    ...(isFapi || client.metadata.dpopBoundAccessTokens ? { dpop_bound_access_tokens: true } : {}),
  } as AdapterPayload
}

/** Describes an API to the library as a client. This client gets no tokens, and can only introspect the tokens that were issued for the API. */
export const describeApi = ({ id, name }: ResourceServer, withoutSecret: string): AdapterPayload =>
  ({
    ...{ client_id: id, client_name: name, client_secret: withoutSecret, token_endpoint_auth_method: 'client_secret_basic' },
    ...{ redirect_uris: [], grant_types: [], response_types: [] },
    ...{ [originsProperty]: [], [ignoresScopesProperty]: false },
  }) as AdapterPayload
