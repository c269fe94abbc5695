import { z } from 'zod'
import { plainText } from '../../core/wire.ts'
import { contract, jsonCreated, noContent } from '../../http/contract.ts'
import { clientMetadata, protocolMetadata } from '../metadata/contract.ts'

const named: readonly (readonly [name: string, meaning: string])[] = [
  ...Object.values(clientMetadata).flatMap(({ wire, meaning, sender }) =>
    sender === 'registrant' && !wire.includes('#') ? [[wire, meaning] as const] : [],
  ),
  ...Object.entries(protocolMetadata),
]

/** Values are read by `registration/rules.ts`: what is wrong with them is said in the form of RFC 7591. */
const Metadata = z.looseObject(
  Object.fromEntries(named.map(([name, meaning]) => [name, z.unknown().optional().meta({ description: meaning })])),
)

/** Client information (RFC 7591, section 3.2.1; RFC 7592, section 3). */
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
    summary: 'Register a client by itself (RFC 7591); its secret and the token that manages it are shown once',
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
    summary: 'What is registered of a client (RFC 7592), for the bearer of its registration access token',
    params,
    response: Information,
    errors: [...managed],
  },
  replaceClient: {
    ...common,
    method: 'PUT',
    path: '/oauth2/register/:clientId',
    summary: 'Replace the metadata of a client (RFC 7592); it gets another registration access token',
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
