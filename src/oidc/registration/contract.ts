import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { plainText } from '../../core/wire.ts'
import { contract, jsonCreated, noContent } from '../../http/contract.ts'
import { clientMetadata, protocolMetadata } from '../metadata/contract.ts'

const named: readonly (readonly [name: string, meaning: string])[] = [
  ...Object.values(clientMetadata).flatMap(({ wire, meaning, sender }) =>
    sender === 'registrant' && !wire.includes('#') ? [[wire, meaning] as const] : [],
  ),
  ...Object.entries(protocolMetadata),
]

/** The schema accepts everything. `registration/rules.ts` checks the values, so that errors have the form of RFC 7591. */
const Metadata = z.looseObject(
  Object.fromEntries(named.map(([name, meaning]) => [name, z.unknown().optional().meta({ description: meaning })])),
)

/** The answer to a registration, called client information (RFC 7591, section 3.2.1; RFC 7592, section 3). */
const Information = z.looseObject({
  client_id: z.string(),
  client_id_issued_at: z.int(),
  registration_client_uri: z.string(),
  registration_access_token: z.string(),
})
const Registration = Information.extend({
  client_secret: z.string().optional(),
  client_secret_expires_at: z.literal(0).optional(),
})

const params = z.object({ clientId: plainText(255, 1) })
const common = { access: 'public', anyOrigin: true } as const
const managed = ['REGISTRATION_TOKEN_IS_INVALID'] as const

export const registrationContract = contract('Applications', {
  registerClient: {
    ...common,
    method: 'POST',
    path: '/oauth2/register',
    summary: 'Register a client (RFC 7591); its secret and the token that manages it are shown once',
    body: Metadata,
    response: jsonCreated(Registration),
    errors: [
      ...(['INVALID_REGISTRATION', 'INVALID_REGISTERED_ADDRESS'] as const),
      ...(['AUTHENTICATION_REQUIRED_FOR_CLIENT_REGISTRATION', 'CLIENT_REGISTRATION_NOT_ALLOWED', 'UNAUTHORIZED'] as const),
      ...(['TOO_MANY_REGISTRATIONS', 'TOO_MANY_UNKNOWN_CLIENTS'] as const),
    ],
  },
  readClient: {
    ...common,
    method: 'GET',
    path: '/oauth2/register/:clientId',
    summary: 'Get what is registered about a client (RFC 7592), with its registration access token',
    params,
    response: Information,
    errors: [...managed],
  },
  replaceClient: {
    ...common,
    method: 'PUT',
    path: '/oauth2/register/:clientId',
    summary: 'Replace the metadata of a client (RFC 7592); it gets a new registration access token',
    params,
    body: Metadata,
    response: Information,
    errors: [
      ...managed,
      ...(['INVALID_REGISTRATION', 'INVALID_REGISTERED_ADDRESS'] as const),
      ...(['CLIENT_REGISTRATION_NOT_ALLOWED', 'TOO_MANY_REGISTRATIONS'] as const),
    ],
  },
  removeClient: {
    ...common,
    method: 'DELETE',
    path: '/oauth2/register/:clientId',
    summary: 'Delete a client (RFC 7592) with its codes, tokens and consents',
    params,
    response: noContent,
    errors: [...managed],
  },
})

/** Errors of refused registrations, in the form of OAuth (RFC 7591, section 3.2.2; RFC 6750, section 3.1). */
export const registrationErrors = errorsOf({
  INVALID_REGISTRATION: [400, 'Invalid registration', 'invalid_client_metadata'],
  INVALID_REGISTERED_ADDRESS: [400, 'Invalid registered address', 'invalid_redirect_uri'],
  AUTHENTICATION_REQUIRED_FOR_CLIENT_REGISTRATION: [401, 'Authentication required for client registration', 'invalid_token'],
  REGISTRATION_TOKEN_IS_INVALID: [401, 'Registration token is invalid', 'invalid_token'],
  CLIENT_REGISTRATION_NOT_ALLOWED: [403, 'Client registration not allowed', 'access_denied'],
  TOO_MANY_REGISTRATIONS: [429, 'Too many registrations', 'temporarily_unavailable'],
  TOO_MANY_UNKNOWN_CLIENTS: [503, 'Too many unknown clients', 'temporarily_unavailable'],
})

const sent = {
  ...{ client_name: 'Shop', 'client_name#de': 'Laden', redirect_uris: ['https://shop.example.com/callback'] },
  ...{ client_uri: 'https://shop.example.com/', contacts: ['it@example.com'] },
}
const kept = {
  ...{ client_id: 'x8TgPp2dLw6sRt3YbKd0ZnHf1JmUe9Ai', client_id_issued_at: 1_795_424_400, ...sent },
  ...{ scope: 'openid profile email offline_access', id_token_signed_response_alg: 'RS256', require_auth_time: false },
  ...{ token_endpoint_auth_method: 'client_secret_basic', grant_types: ['authorization_code'], response_types: ['code'] },
  ...{ application_type: 'web', subject_type: 'public' },
  registration_client_uri: 'https://id.example.com/oauth2/register/x8TgPp2dLw6sRt3YbKd0ZnHf1JmUe9Ai',
}

/** Descriptions and examples for the API document. */
export const registrationDocumentation = {
  registerClient: {
    description:
      'docs/how-to/registration.md says who may register clients: people with a session, API keys with `clients:create`, and initial access tokens as Bearer token. With `oidc.registration: open` anybody may. Unknown metadata is left out of the response. Metadata that only administrators set, such as `skip_consent`, is refused.',
    example: {
      body: sent,
      response: {
        ...kept,
        registration_access_token: 'r4Xw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO',
        ...{ client_secret: 'q7ZrB1m0pXw2eYv6KQhT8sZcJ4dRfUaL', client_secret_expires_at: 0 as const },
      },
    },
  },
  readClient: { example: { response: { ...kept, registration_access_token: 'r4Xw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO' } } },
  replaceClient: {
    description:
      'The body contains all of the metadata. Absent metadata counts as never registered. `client_id` is required. `client_secret` is optional and has to be that of the client. The token of the request becomes invalid, and the response contains a new one. If an administrator had approved the client, it has to be approved again.',
    example: {
      body: { client_id: kept.client_id, ...sent },
      response: { ...kept, registration_access_token: 'n9Pw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO' },
    },
  },
  removeClient: {},
}
