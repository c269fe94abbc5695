import { z } from 'zod'
import { type Permission, permissions } from '../../access/permissions.ts'
import { errorsOf } from '../../core/errors.ts'
import { counted, sortedPage } from '../../core/page.ts'
import { resourceTag } from '../../core/resource-tag.ts'
import { daySeconds } from '../../core/time.ts'
import { instant, lineInput, Named, nameInput, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { ApplicationSecret, maxOverlapSeconds } from '../clients/contract.ts'
import { languageTag } from '../metadata/contract.ts'

/** The longest lifetime in seconds of a token for an API. A signing key stays published for at least this time after its last signature. */
export const longestApiTokenSeconds = daySeconds

/** `jwt`: the API verifies the token with the public keys (RFC 9068). `opaque`: the API introspects each token (RFC 7662). */
export const tokenFormats = ['jwt', 'opaque'] as const

/** The algorithms that can sign access tokens. All of them use a key pair. */
export const tokenAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

/**
 * `all`: every application that acts for people may request tokens for the API. `listed`: only the applications in the list may. Machines
 * may request tokens only if they are in the list.
 */
export const accessModes = ['all', 'listed'] as const

const organizationPermissions = Object.entries(permissions).flatMap(([name, area]) =>
  area === 'organization' ? [name as Permission] : [],
)

/** The name of a scope (RFC 6749, section 3.3). */
const scopeName = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'a name without blanks, quotes and backslashes')

const scopeFields = {
  name: scopeName,
  /** The description of the scope on the consent page. */
  description: lineInput(200),
  /** The description of the scope in other languages. */
  translations: z
    .record(z.string().regex(languageTag, 'a language tag such as de or pt-BR'), lineInput(200))
    .refine((languages) => Object.keys(languages).length <= 50, 'at most 50 languages'),
  /** The permission that a person needs in the organization of the sign-in to get this scope; null if none is needed. */
  permission: z.enum(organizationPermissions as [Permission, ...Permission[]]).nullable(),
  /**
   * The roles in the organization of the sign-in, one of which the person needs to get this scope. If the list is empty, the person needs
   * no role.
   */
  roles: z.array(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'the name of a role of members')).max(20),
}
const Scope = z.strictObject(scopeFields)
/** A scope of an API. */
export type Scope = z.output<typeof Scope>

/** A scope in a request. If `permission` is absent, the person needs no permission to get it. If `roles` is absent, the person needs no role. */
export const ScopeInput = z.strictObject({
  ...scopeFields,
  translations: scopeFields.translations.default({}),
  permission: scopeFields.permission.default(null),
  roles: scopeFields.roles.default([]),
})

/** An audience: the identifier of an API, or the URL of this server for tokens without an audience. */
const audience = plainText(500, 1)

const callerFields = {
  clientId: plainText(255, 1),
  /** The scopes that the application may request; null for all scopes of the API. */
  scopes: z.array(scopeName).max(200).nullable(),
  /**
   * The audiences whose tokens the application may exchange for tokens of this API (RFC 8693). The URL of this server stands for tokens
   * without an audience.
   */
  exchangeFrom: z.array(audience).max(50),
  /** True if administrators may act as users at the API through this application. */
  mayImpersonate: z.boolean(),
}
const Caller = z.strictObject(callerFields)
const CallerInput = z.strictObject({
  ...callerFields,
  scopes: callerFields.scopes.default(null),
  exchangeFrom: callerFields.exchangeFrom.default([]),
  mayImpersonate: callerFields.mayImpersonate.default(false),
})

const fields = {
  name: nameInput,
  scopes: z.array(Scope).max(200),
  tokenFormat: z.enum(tokenFormats),
  signingAlg: z.enum(tokenAlgs),
  tokenTtlSeconds: z.int().min(30).max(longestApiTokenSeconds),
  access: z.enum(accessModes),
  clients: z.array(Caller).max(500),
}
const inputs = { ...fields, scopes: z.array(ScopeInput).max(200), clients: z.array(CallerInput).max(500) }

/** An API that accepts access tokens of this server. OAuth calls it a resource server (RFC 6749, section 1.1). */
export const Api = z
  .object({
    id: z.string(),
    /** The value of `resource` in requests and of `aud` in tokens. It cannot be changed. */
    identifier: z.string(),
    ...fields,
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Api' })

/** An API with the names of its listed applications. `applications` has the order of `clients`. */
export const NamedApi = Api.extend({ applications: z.array(Named) })

export const apiTag = resourceTag(Api, { except: ['updatedAt'] })

/** Ten minutes. The time is short, because an API that verifies tokens itself accepts a revoked token until the token expires. */
const defaultTtlSeconds = 600

export const CreateApi = z.object({
  identifier: plainText(500, 1),
  name: fields.name,
  scopes: inputs.scopes.default([]),
  tokenFormat: fields.tokenFormat.default('jwt'),
  signingAlg: fields.signingAlg.default('RS256'),
  tokenTtlSeconds: fields.tokenTtlSeconds.default(defaultTtlSeconds),
  access: fields.access.default('listed'),
  clients: inputs.clients.default([]),
})

/** Changes of an API. An absent field stays unchanged. A given list replaces the whole stored list. */
export const UpdateApi = z.object(inputs).partial()

const params = z.object({ apiId: plainText(64, 1) })
const list = counted(sortedPage('apis', NamedApi, { filter: {}, sorts: ['createdAt'] }))
const Secrets = z.object({ secrets: z.array(ApplicationSecret) })

export const apiContract = contract('Administration of APIs', {
  listApis: {
    method: 'GET',
    path: '/admin/apis',
    summary: 'List the APIs that accept tokens of this server, page by page',
    access: { permission: 'apis:read' },
    query: list.query,
    response: list.response,
    errors: [],
  },
  getApi: {
    method: 'GET',
    path: '/admin/apis/:apiId',
    summary: 'Get an API',
    access: { permission: 'apis:read' },
    params,
    response: NamedApi,
    errors: ['API_NOT_FOUND'],
    etag: apiTag,
  },
  createApi: {
    method: 'POST',
    path: '/admin/apis',
    summary: 'Register an API',
    access: { permission: 'apis:create', fresh: true },
    body: CreateApi,
    response: Api,
    errors: ['INVALID_API', 'API_IDENTIFIER_IS_TAKEN', 'APPLICATION_NOT_FOUND'],
  },
  updateApi: {
    method: 'PATCH',
    path: '/admin/apis/:apiId',
    summary: 'Change an API: its scopes, its tokens, and the applications that may request them',
    access: { permission: 'apis:update', fresh: 'person' },
    params,
    body: UpdateApi,
    response: Api,
    errors: ['INVALID_API', 'API_NOT_FOUND', 'APPLICATION_NOT_FOUND'],
    etag: apiTag,
    ifMatch: apiTag,
  },
  deleteApi: {
    method: 'DELETE',
    path: '/admin/apis/:apiId',
    summary: 'Delete an API; no token is issued for it any more',
    access: { permission: 'apis:delete', fresh: true },
    params,
    response: z.object({ id: z.string() }),
    errors: ['API_NOT_FOUND'],
    ifMatch: apiTag,
  },
  listApiSecrets: {
    method: 'GET',
    path: '/admin/apis/:apiId/secrets',
    summary: 'List the secrets with which an API introspects tokens, newest first',
    access: { permission: 'apis:read' },
    params,
    response: Secrets,
    errors: ['API_NOT_FOUND'],
  },
  rotateApiSecret: {
    method: 'POST',
    path: '/admin/apis/:apiId/secrets',
    summary:
      'Give an API a new secret for introspecting tokens, which is shown once; the previous secret is valid for the overlap',
    access: { permission: 'apis:update', fresh: true },
    params,
    body: z.object({
      overlapSeconds: z
        .int()
        .min(0)
        .max(maxOverlapSeconds)
        .default(7 * daySeconds),
    }),
    response: z.object({ apiId: z.string(), secretId: z.string(), secret: z.string(), secrets: z.array(ApplicationSecret) }),
    errors: ['API_NOT_FOUND', 'SECRET_ROTATION_IS_UNDER_WAY'],
  },
  revokeApiSecret: {
    method: 'DELETE',
    path: '/admin/apis/:apiId/secrets/:secretId',
    summary: 'End one secret of an API at once',
    access: { permission: 'apis:update', fresh: 'person' },
    params: z.object({ ...params.shape, secretId: plainText(64, 1) }),
    response: Secrets,
    errors: ['API_NOT_FOUND', 'SECRET_NOT_FOUND'],
  },
})

export const apiErrors = errorsOf({
  API_NOT_FOUND: [404, 'API not found'],
  API_IDENTIFIER_IS_TAKEN: [409, 'API identifier is taken'],
  INVALID_API: [400, 'Invalid API'],
})

const api = {
  id: 'api_h4Tz8wQm2rVbY6cJ0kXe5nLsPa9uDgFi',
  identifier: 'https://orders.example.com',
  name: 'Orders',
  scopes: [
    {
      name: 'orders:read',
      description: 'See your orders',
      translations: { de: 'Ihre Bestellungen sehen' },
      permission: null,
      roles: [],
    },
    {
      name: 'orders:manage',
      description: 'Change orders of your organization',
      translations: {},
      permission: 'organization:update',
      roles: [],
    },
  ],
  ...{ tokenFormat: 'jwt', signingAlg: 'RS256', tokenTtlSeconds: 600, access: 'listed' },
  clients: [{ clientId: 'shop', scopes: null, exchangeFrom: [], mayImpersonate: false }],
  ...{ createdAt: '2026-11-27T09:00:00.000Z', updatedAt: '2026-11-27T09:00:00.000Z' },
}
const secret = {
  ...{ id: 'k3XwB1m0pXw2eYv6KQhT8sZcJ4dRfUaL', hint: 'Xh4a', state: 'active', createdAt: '2026-11-27T09:00:00.000Z' },
  ...{ expiresAt: null, lastUsedAt: null },
}

const named = { ...api, applications: [{ kind: 'client', id: 'shop', name: 'Shop' }] }

/** Descriptions and examples for the API document. */
export const apiDocumentation = {
  listApis: { example: { response: { apis: [named], next: null, total: null } } },
  getApi: { example: { response: named } },
  createApi: {
    description:
      '`identifier` is an absolute URI without a fragment (RFC 8707), such as `https://orders.example.com` or `urn:example:orders`. Nothing is fetched from it. Machines get a token only if they are listed in `clients`.',
    example: {
      body: { identifier: api.identifier, name: api.name, scopes: [{ name: 'orders:read', description: 'See your orders' }] },
      response: api,
    },
  },
  updateApi: {
    description: 'A list replaces the previous list. What an application loses is missing from its next token.',
    example: { body: { clients: [{ clientId: 'shop', scopes: ['orders:read'] }] }, response: api },
  },
  deleteApi: {
    description: 'Tokens that an API verifies itself are valid until they expire.',
    example: { response: { id: api.id } },
  },
  listApiSecrets: { example: { response: { secrets: [secret] } } },
  rotateApiSecret: {
    description: 'The API authenticates at `/oauth2/introspect` with `apiId` and `secret`.',
    example: {
      body: { overlapSeconds: 86_400 },
      response: { apiId: api.id, secretId: secret.id, secret: 'Xh4aB1m0pXw2eYv6KQhT8sZcJ4dRfUaL', secrets: [secret] },
    },
  },
  revokeApiSecret: { example: { response: { secrets: [] } } },
}
