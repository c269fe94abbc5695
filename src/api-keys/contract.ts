import { z } from 'zod'
import { type KeyPermission, keyOwnerKinds, keyPermissions } from '../access/key-permissions.ts'
import { errorsOf } from '../core/errors.ts'
import { counted, sortedPage } from '../core/page.ts'
import { resourceTag } from '../core/resource-tag.ts'
import { daySeconds } from '../core/time.ts'
import { instant, Named, nameInput, organizationName, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

/** A permission that an API key can have. */
const Permission = z.enum(keyPermissions as readonly [KeyPermission, ...KeyPermission[]]).meta({ id: 'ApiKeyPermission' })

/** A secret of an API key, without its text. A key has at most two secrets. */
const Secret = z.object({ createdAt: instant, expiresAt: instant.nullable(), lastUsedAt: instant.nullable() })

/** An API key, without its secret. `prefix` is the beginning of the key's text. It identifies the key and gives no access. */
export const ApiKey = z
  .object({
    id: z.string(),
    prefix: z.string(),
    name: z.string(),
    ownerKind: z.enum(keyOwnerKinds),
    userId: z.string().nullable(),
    organizationId: z.string().nullable(),
    permissions: z.array(z.string()),
    /** The IP addresses and networks (CIDR) from which the API key can be used. If the list is empty, from everywhere. */
    allowedNetworks: z.array(z.string()),
    /** Largest number of requests in a minute. Null: the limit in `apiKeys.requestsPerMinute`. */
    requestsPerMinute: z.int().nullable(),
    enabled: z.boolean(),
    expiresAt: instant.nullable(),
    createdBy: z.string().nullable(),
    createdAt: instant,
    updatedAt: instant,
    /** When the API key was last used. The time is stored at most once a minute. */
    lastUsedAt: instant.nullable(),
    /** The secrets of the API key, the newest first. */
    secrets: z.array(Secret),
  })
  .meta({ id: 'ApiKey' })

const tag = resourceTag(ApiKey, { except: ['lastUsedAt', 'secrets', 'updatedAt'] })

/** An API key, with the names of its owner and of the person who created it. */
const ListedApiKey = ApiKey.extend({ owner: Named.nullable(), creator: Named.nullable() }).meta({ id: 'ListedApiKey' })

/** An API key with its complete text. No other answer contains the text. */
const ApiKeyWithSecret = ApiKey.extend({ key: z.string() }).meta({ id: 'ApiKeyWithSecret' })

const Network = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'an IP address or a CIDR range')
  .refine((text) => !/^::ffff:\d+\./i.test(text), 'an IPv4 address is written without ::ffff:')

const seconds = (min: number, max: number) => z.int().min(min).max(max)

const settings = {
  name: nameInput,
  permissions: z.array(Permission).min(1).max(200),
  allowedNetworks: z.array(Network).max(100).optional(),
  requestsPerMinute: z.int().min(1).max(1_000_000).nullable().optional(),
  /** How long the API key will be valid, in seconds. Null: without an end. */
  expiresIn: seconds(60, 3_650 * daySeconds)
    .nullable()
    .optional(),
} as const

export const CreateApiKey = z.object(settings)
export const UpdateApiKey = z.object({
  ...settings,
  name: settings.name.optional(),
  permissions: settings.permissions.optional(),
  enabled: z.boolean().optional(),
})
export const RotateApiKey = z.object({
  /** For how many seconds the former secret stays valid. 0: it ends at once. */
  overlapSeconds: seconds(0, 90 * daySeconds).optional(),
})

const keyId = plainText(64, 1)
const byId = z.object({ id: keyId })

const ownKeys = sortedPage('apiKeys', ApiKey, { filter: { organizationId: organizationName.optional() }, sorts: ['createdAt'] })
const allKeys = counted(
  sortedPage('apiKeys', ListedApiKey, {
    filter: {
      search: plainText(200, 1)
        .optional()
        .meta({ description: 'Text in the name. A text of one or two characters matches only the beginning of a word.' }),
      ownerKind: z.enum(keyOwnerKinds).optional(),
      userId: plainText(64, 1).optional(),
      organizationId: organizationName.optional(),
    },
    sorts: ['createdAt'],
  }),
)

const creating = [
  'SESSION_IS_NOT_FRESH',
  'API_KEYS_ARE_DISABLED',
  'API_KEY_LIMIT_REACHED',
  'API_KEY_CANNOT_HAVE_THESE_PERMISSIONS',
  'YOU_CANNOT_GIVE_THESE_PERMISSIONS',
  'API_KEY_NEEDS_A_MAKER_WITH_A_VERIFIED_ADDRESS',
  'API_KEY_LIFE_IS_TOO_LONG',
] as const
const changing = [
  'SESSION_IS_NOT_FRESH',
  'API_KEY_NOT_FOUND',
  'YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY',
  'API_KEY_CANNOT_HAVE_THESE_PERMISSIONS',
  'YOU_CANNOT_GIVE_THESE_PERMISSIONS',
  'API_KEY_LIFE_IS_TOO_LONG',
] as const
const rotating = [
  'SESSION_IS_NOT_FRESH',
  'API_KEY_NOT_FOUND',
  'YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY',
  'API_KEY_HAS_TWO_SECRETS_ALREADY',
] as const

/** The calls for a person's own API keys. With `organizationId`, they are for the keys of that organization. */
export const apiKeyContract = contract('API keys', {
  createApiKey: {
    method: 'POST',
    path: '/api-key/create',
    summary: 'Create an API key for yourself or for an organization; the key is shown once',
    access: { permission: 'own-api-keys:create', session: true },
    body: z.object({ ...CreateApiKey.shape, organizationId: organizationName.optional() }),
    response: ApiKeyWithSecret,
    errors: ['YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY', ...creating],
  },
  listApiKeys: {
    method: 'GET',
    path: '/api-key/list',
    summary: 'List your own API keys, or the API keys of an organization, newest first',
    access: { permission: 'own-api-keys:read' },
    ...ownKeys,
    errors: ['YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY'],
  },
  updateApiKey: {
    method: 'POST',
    path: '/api-key/update',
    summary: 'Change, disable or enable an API key',
    access: { permission: 'own-api-keys:update', session: true },
    body: z.object({ keyId, ...UpdateApiKey.shape }),
    response: ApiKey,
    errors: changing,
  },
  rotateApiKey: {
    method: 'POST',
    path: '/api-key/rotate',
    summary: 'Give an API key a new secret, which is shown once; the former secret works for a while',
    access: { permission: 'own-api-keys:update', session: true },
    body: z.object({ keyId, ...RotateApiKey.shape }),
    response: ApiKeyWithSecret,
    errors: rotating,
  },
  deleteApiKey: {
    method: 'POST',
    path: '/api-key/delete',
    summary: 'Revoke an API key at once',
    access: { permission: 'own-api-keys:delete' },
    body: z.object({ keyId }),
    response: z.object({ success: z.boolean() }),
    errors: ['API_KEY_NOT_FOUND', 'YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY'],
  },
})

/** Calls for all keys. Administrators manage the keys of the instance, and can see and revoke all other keys. */
export const adminApiKeyContract = contract('Administration: API keys', {
  adminListApiKeys: {
    method: 'GET',
    path: '/admin/api-keys',
    summary: 'List the API keys of all owners, newest first',
    access: { permission: 'api-keys:read' },
    ...allKeys,
    errors: [],
  },
  adminGetApiKey: {
    method: 'GET',
    path: '/admin/api-keys/:id',
    summary: 'Get one API key',
    access: { permission: 'api-keys:read' },
    params: byId,
    response: ListedApiKey,
    etag: tag,
    errors: ['API_KEY_NOT_FOUND'],
  },
  adminCreateApiKey: {
    method: 'POST',
    path: '/admin/api-keys',
    summary: 'Create an API key of the instance; the key is shown once',
    access: { permission: 'api-keys:create', session: 'person' },
    body: CreateApiKey,
    response: ApiKeyWithSecret,
    errors: ['YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY', ...creating],
  },
  adminUpdateApiKey: {
    method: 'PATCH',
    path: '/admin/api-keys/:id',
    summary: 'Change an API key of the instance, or disable any other API key',
    access: { permission: 'api-keys:update', session: true },
    params: byId,
    body: UpdateApiKey,
    response: ApiKey,
    etag: tag,
    ifMatch: tag,
    errors: changing,
  },
  adminRotateApiKey: {
    method: 'POST',
    path: '/admin/api-keys/:id/rotate',
    summary: 'Give an API key of the instance a new secret, which is shown once; the former secret works for a while',
    access: { permission: 'api-keys:update', session: 'person' },
    params: byId,
    body: RotateApiKey,
    response: ApiKeyWithSecret,
    errors: rotating,
  },
  adminDeleteApiKey: {
    method: 'DELETE',
    path: '/admin/api-keys/:id',
    summary: 'Revoke any API key at once',
    access: { permission: 'api-keys:delete' },
    params: byId,
    ifMatch: tag,
    response: z.object({ success: z.boolean() }),
    errors: ['API_KEY_NOT_FOUND', 'YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY'],
  },
})

export const apiKeyErrors = errorsOf({
  INVALID_API_KEY: [401, 'Invalid API key'],
  API_KEY_HAS_EXPIRED: [401, 'API key has expired'],
  API_KEY_IS_DISABLED: [401, 'API key is disabled'],
  API_KEY_IS_NOT_ALLOWED_FROM_THIS_ADDRESS: [403, 'API key is not allowed from this address'],
  API_KEY_NOT_FOUND: [404, 'API key not found'],
  API_KEY_LIMIT_REACHED: [403, 'API key limit reached'],
  API_KEYS_ARE_DISABLED: [403, 'API keys are disabled'],
  API_KEY_CANNOT_HAVE_THESE_PERMISSIONS: [400, 'API key cannot have these permissions'],
  YOU_CANNOT_GIVE_THESE_PERMISSIONS: [403, 'You cannot give these permissions'],
  YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY: [403, 'You are not allowed to manage this API key'],
  API_KEY_NEEDS_A_MAKER_WITH_A_VERIFIED_ADDRESS: [403, 'API key needs a maker with a verified address'],
  API_KEY_LIFE_IS_TOO_LONG: [400, 'API key life is too long'],
  API_KEY_HAS_TWO_SECRETS_ALREADY: [409, 'API key has two secrets already'],
})
