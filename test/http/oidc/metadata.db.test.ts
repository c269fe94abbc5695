/** The discovery document, read as strictly as by the strictest known library (Nimbus: Spring Security and most of Java). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deviceGrant } from '../../../src/oidc/rules.ts'
import { tokenExchange } from '../../../src/oidc/token-exchange/rules.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
let metadata: Readonly<Record<string, unknown>>
beforeAll(async () => {
  t = await testApp()
  metadata = (await t.client().request('/.well-known/openid-configuration')).json
})
afterAll(() => t.stop())

const secretMethods = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt']
const assertionAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519', 'HS256']

/** Registered values, by the specification that lists them. */
const registered: Readonly<Record<string, readonly string[]>> = {
  // OAuth 2.0 Multiple Response Type Encoding Practices; IANA: OAuth Authorization Endpoint Response Types.
  response_types_supported: ['code', 'id_token', 'token', 'code id_token', 'code token', 'id_token token', 'none'],
  // OAuth 2.0 Multiple Response Type Encoding Practices; OAuth 2.0 Form Post Response Mode.
  response_modes_supported: ['query', 'fragment', 'form_post'],
  // RFC 7591, section 2; RFC 8628; RFC 8693.
  grant_types_supported: [
    'authorization_code',
    'implicit',
    'password',
    'client_credentials',
    'refresh_token',
    deviceGrant,
    tokenExchange,
  ],
  // OpenID Connect Core 1.0, section 8.
  subject_types_supported: ['public', 'pairwise'],
  // IANA: JSON Web Signature and Encryption Algorithms.
  id_token_signing_alg_values_supported: [
    'RS256',
    'RS384',
    'RS512',
    'PS256',
    'PS384',
    'PS512',
    'ES256',
    'ES384',
    'EdDSA',
    'HS256',
  ],
  userinfo_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
  request_object_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
  dpop_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
  // IANA: OAuth Token Endpoint Authentication Methods.
  token_endpoint_auth_methods_supported: [
    'none',
    'client_secret_basic',
    'client_secret_post',
    'client_secret_jwt',
    'private_key_jwt',
  ],
  introspection_endpoint_auth_methods_supported: secretMethods,
  revocation_endpoint_auth_methods_supported: ['none', ...secretMethods],
  // IANA: JSON Web Signature and Encryption Algorithms; RFC 9864.
  token_endpoint_auth_signing_alg_values_supported: assertionAlgs,
  introspection_endpoint_auth_signing_alg_values_supported: assertionAlgs,
  revocation_endpoint_auth_signing_alg_values_supported: assertionAlgs,
  // RFC 7636, section 4.2.
  code_challenge_methods_supported: ['plain', 'S256'],
  // OpenID Connect Core 1.0, section 3.1.2.1; Initiating User Registration via OpenID Connect 1.0, section 4.1.
  prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
  // OpenID Connect Core 1.0, section 5.6.
  claim_types_supported: ['normal', 'aggregated', 'distributed'],
  // OpenID Connect Core 1.0, sections 5.4 and 11.
  scopes_supported: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
  // IANA: JSON Web Token Claims.
  claims_supported: [
    ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'name', 'given_name', 'family_name', 'middle_name', 'nickname'],
    ...['preferred_username', 'profile', 'picture', 'website', 'email', 'email_verified', 'gender', 'birthdate', 'zoneinfo'],
    ...['locale', 'phone_number', 'phone_number_verified', 'address', 'updated_at', 'azp', 'nonce', 'auth_time', 'at_hash'],
    ...['c_hash', 'acr', 'amr', 'act', 'sid', 'groups', 'roles', 'entitlements'],
  ],
  acr_values_supported: [],
}

/** Values defined by gatehouse, each with the reason why its list may contain them. */
const ours: Readonly<Record<string, { readonly because: string; readonly values: readonly string[] }>> = {
  acr_values_supported: {
    because: 'OpenID Connect Core 1.0, section 2: a class is an absolute URI or a registered name that the parties agree on',
    values: ['1fa', '2fa', 'phishing-resistant'].map((name) => `urn:gatehouse:acr:${name}`),
  },
  scopes_supported: {
    because: 'RFC 6749, section 3.3: the authorization server defines its scopes',
    values: ['organizations', 'billing', 'groups'],
  },
  claims_supported: {
    because: 'RFC 7519, section 4.3: private names',
    values: [
      ...['org_id', 'org_slug', 'org_name', 'org_roles', 'org_teams', 'plan', 'subscription_status', 'entitlement_values'],
    ],
  },
}

/** Keys of the document with a single value (RFC 8414, section 2; RFC 9207; RFC 9126; OpenID Connect Discovery 1.0, section 3). */
const singleKeys = [
  ...['issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri', 'introspection_endpoint'],
  ...[
    'revocation_endpoint',
    'end_session_endpoint',
    'device_authorization_endpoint',
    'pushed_authorization_request_endpoint',
    'registration_endpoint',
  ],
  ...['claims_parameter_supported', 'request_parameter_supported', 'request_uri_parameter_supported'],
  'authorization_response_iss_parameter_supported',
  // OpenID Connect Back-Channel Logout 1.0, section 2.1.
  ...['backchannel_logout_supported', 'backchannel_logout_session_supported'],
]

test('every list of the discovery document has only registered values, or values that the specification of the list allows', () => {
  const lists = Object.entries(metadata).filter(([, value]) => Array.isArray(value)) as [string, string[]][]
  const unknown = lists
    .filter(([name]) => name !== 'ui_locales_supported')
    .flatMap(([name, values]) => {
      const known = [...(registered[name] ?? []), ...(ours[name]?.values ?? [])]
      return values.filter((value) => !known.includes(value)).map((value) => `${name}: ${value}`)
    })
  expect(unknown).toEqual([])
})

test('no list of the discovery document is empty or has duplicates, and language codes are BCP 47 tags', () => {
  for (const [name, value] of Object.entries(metadata)) {
    if (!Array.isArray(value)) continue
    expect([name, value.length > 0, new Set(value).size]).toEqual([name, true, value.length])
  }
  const locales = metadata['ui_locales_supported'] as string[]
  expect(Intl.getCanonicalLocales(locales)).toEqual(locales)
})

test('the discovery document has only keys defined by a specification', () => {
  const single = Object.entries(metadata).filter(([, value]) => !Array.isArray(value))
  expect(single.map(([name]) => name).filter((name) => !singleKeys.includes(name))).toEqual([])
  const addresses = single.filter(([name]) => name.endsWith('_endpoint') || name.endsWith('_uri'))
  for (const [name, value] of addresses) expect([name, String(value).startsWith(`${t.url}/`)]).toEqual([name, true])
})
