import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { resourceTag } from '../../core/resource-tag.ts'
import { daySeconds } from '../../core/time.ts'
import { instant, Named, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { clientTypes, metadataSchemas, registrants, reviews } from '../metadata/contract.ts'

/** The longest time in seconds for which an old and a new secret can both be valid: one year. */
export const maxOverlapSeconds = 366 * daySeconds

/** An application as administrators see it. */
export const Application = z.object({
  clientId: z.string(),
  type: z.enum(clientTypes),
  ...metadataSchemas,
  // Stored values are not checked, because they may come from an earlier version with other rules.
  ...{ name: z.string(), color: z.string().nullable(), contacts: z.array(z.string()) },
  /** The time of the last sign-in without PKCE; null if there was none. The time is at most an hour late. */
  withoutPkceAt: instant.nullable(),
  /** While true, nobody can sign in to the application, and its tokens are invalid. */
  disabled: z.boolean(),
  /** The URL of the logo on this server. The server stores a copy of the image in its own encoding. */
  logo: z.string().nullable(),
  /** The reason why the last attempt to fetch a logo from `icon` failed. The previous logo stays. */
  logoProblem: z.string().nullable(),
  /** The kind of registrant. `anonymous` means that nobody knows who registered the application. */
  registeredBy: z.enum(registrants),
  /** The id of the person, API key or initial access token that registered the application, if it is known. */
  registrantId: z.string().nullable(),
  /** The decision of an administrator about an application that registered itself; null if there is no decision yet. */
  review: z.enum(reviews).nullable(),
  createdAt: instant,
  updatedAt: instant,
})

/** An application, with the name of the person, API key or initial access token that registered it. */
export const ListedApplication = Application.extend({ registrant: Named.nullable() })

export const applicationTag = resourceTag(Application, { except: ['updatedAt', 'withoutPkceAt'] })

/** A client secret without its value. */
export const ApplicationSecret = z.object({
  id: z.string(),
  /** The first characters of the secret; null if only the hash of the secret is stored. */
  hint: z.string().nullable(),
  /** `ending` means that the secret is valid until `expiresAt`. */
  state: z.enum(['active', 'ending', 'ended']),
  createdAt: instant,
  expiresAt: instant.nullable(),
  /** The time at which the secret was last used, at most a few minutes late; null if it was never used. */
  lastUsedAt: instant.nullable(),
})

/** The claims that an application gets about a person if it requests all of its scopes. */
export const ClaimsPreview = z.object({
  user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  organization: z.object({ id: z.string(), name: z.string(), slug: z.string() }).nullable(),
  /** The scopes that the application may request. */
  scopes: z.array(z.string()),
  claims: z.array(
    z.object({
      name: z.string(),
      value: z.unknown(),
      /** The scope that adds the claim to the application's tokens. */
      scope: z.string(),
      /** The name of the feature that adds the claim. */
      feature: z.string(),
      /** The rules that produce the value, with the database rows that they read. */
      origins: z.array(z.object({ rule: z.string(), row: z.string() })),
    }),
  ),
  /** True if claims about purchases are left out because the caller may not read customers. */
  isPartial: z.boolean(),
})

export const CreateApplication = z.object({
  ...z.object(metadataSchemas).partial().shape,
  name: metadataSchemas.name,
  type: z.enum(clientTypes),
  /** A client id that the operator chooses, for an application whose configuration already has this id. */
  clientId: plainText(255, 1).optional(),
  clientSecret: plainText(256, 1).optional(),
})

/** The changes of an application. An absent field leaves the stored value unchanged. */
export const UpdateApplication = z
  .object({ ...metadataSchemas, disabled: z.boolean(), review: z.enum(reviews).nullable() })
  .partial()

const params = z.object({ clientId: plainText(255, 1) })
const list = counted(
  sortedPage('clients', ListedApplication, {
    filter: {
      /** A part of the name. A search text of one or two characters matches only at the beginning of a word. */
      search: plainText(200, 1).optional(),
      type: z.enum(clientTypes).optional(),
      disabled: z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional(),
    },
    sorts: ['createdAt', 'name'],
  }),
)
/** The error code for a caller who lacks a permission that the application has or would get. */
const beyond = 'YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE'
const metadataErrors = [
  ...(['INVALID_REDIRECT_URI', 'REDIRECT_URI_IS_REQUIRED', 'INVALID_SCOPE', 'INVALID_CLIENT_METADATA'] as const),
  beyond,
] as const

export const applicationContract = contract('Administration of applications', {
  listApplications: {
    method: 'GET',
    path: '/admin/clients',
    summary: 'The registered applications, page by page',
    access: { permission: 'clients:read' },
    query: list.query,
    response: list.response,
    errors: [],
  },
  getApplication: {
    method: 'GET',
    path: '/admin/clients/:clientId',
    summary: 'An application',
    access: { permission: 'clients:read' },
    params,
    response: ListedApplication,
    errors: ['APPLICATION_NOT_FOUND'],
    etag: applicationTag,
  },
  previewClaims: {
    method: 'GET',
    path: '/admin/clients/:clientId/claims',
    summary: 'The claims that an application gets about a person, and where each comes from',
    access: { permission: 'clients:read' },
    params,
    query: z.object({
      /** The id, address or user name of the person. */
      user: plainText(320, 1),
      /** The id or slug of the organization for which the person signs in; absent for a sign-in without an organization. */
      organization: plainText(200, 1).optional(),
    }),
    response: ClaimsPreview,
    errors: ['APPLICATION_NOT_FOUND', '401 USER_NOT_FOUND', 'ORGANIZATION_CANNOT_BE_CHOSEN'],
  },
  createApplication: {
    method: 'POST',
    path: '/admin/clients',
    summary: 'Register an application; its secret is shown once',
    access: { permission: 'clients:create', fresh: true },
    body: CreateApplication,
    response: z.object({ client: Application, clientSecret: z.string().nullable() }),
    errors: [...metadataErrors, 'CLIENT_ID_IS_TAKEN', 'CLIENT_HAS_NO_SECRET', 'CLIENT_SECRET_IS_TOO_WEAK'],
  },
  updateApplication: {
    method: 'PATCH',
    path: '/admin/clients/:clientId',
    summary: 'Change an application, or switch it off and on',
    access: { permission: 'clients:update', fresh: 'person' },
    params,
    body: UpdateApplication,
    response: Application,
    errors: [...metadataErrors, 'APPLICATION_NOT_FOUND'],
    etag: applicationTag,
    ifMatch: applicationTag,
  },
  deleteApplication: {
    method: 'DELETE',
    path: '/admin/clients/:clientId',
    summary: 'Delete an application with its secrets, tokens and consents',
    access: { permission: 'clients:delete', fresh: true },
    params,
    response: z.object({ clientId: z.string() }),
    errors: ['APPLICATION_NOT_FOUND', beyond],
    ifMatch: applicationTag,
  },
  countDependents: {
    method: 'GET',
    path: '/admin/clients/:clientId/dependents',
    summary: 'How many codes, tokens and consents end with an application',
    access: { permission: 'clients:read' },
    params,
    response: z.object({
      tokens: z.int(),
      consents: z.int(),
      /** The server does not count further than this number. */
      countedUpTo: z.int(),
    }),
    errors: ['APPLICATION_NOT_FOUND'],
  },
  setLogo: {
    method: 'PUT',
    path: '/admin/clients/:clientId/logo',
    summary: 'Upload the logo of an application, in the place of the one from an address',
    access: { permission: 'clients:update', fresh: 'person' },
    params,
    encoding: 'upload',
    response: Application,
    errors: ['APPLICATION_NOT_FOUND', 'INVALID_IMAGE', beyond],
    etag: applicationTag,
    ifMatch: applicationTag,
  },
  removeLogo: {
    method: 'DELETE',
    path: '/admin/clients/:clientId/logo',
    summary: 'Remove the logo of an application, wherever it is from',
    access: { permission: 'clients:update', fresh: 'person' },
    params,
    response: Application,
    errors: ['APPLICATION_NOT_FOUND', beyond],
    etag: applicationTag,
    ifMatch: applicationTag,
  },
  listSecrets: {
    method: 'GET',
    path: '/admin/clients/:clientId/secrets',
    summary: 'The secrets of an application, newest first, with the last use of each',
    access: { permission: 'clients:read' },
    params,
    response: z.object({ secrets: z.array(ApplicationSecret) }),
    errors: ['APPLICATION_NOT_FOUND'],
  },
  rotateSecret: {
    method: 'POST',
    path: '/admin/clients/:clientId/secrets',
    summary: 'Give an application another secret, shown once; the one before counts for the overlap',
    access: { permission: 'clients:update', fresh: true },
    params,
    body: z.object({
      /** Seconds for which the previous secret stays valid. The default is `oidc.secretOverlapSeconds`. */
      overlapSeconds: z.int().min(0).max(maxOverlapSeconds).optional(),
      clientSecret: plainText(256, 1).optional(),
    }),
    response: z.object({
      clientId: z.string(),
      secretId: z.string(),
      clientSecret: z.string(),
      secrets: z.array(ApplicationSecret),
    }),
    errors: [
      'APPLICATION_NOT_FOUND',
      'CLIENT_HAS_NO_SECRET',
      'CLIENT_SECRET_IS_TOO_WEAK',
      'SECRET_ROTATION_IS_UNDER_WAY',
      beyond,
    ],
  },
  revokeSecret: {
    method: 'DELETE',
    path: '/admin/clients/:clientId/secrets/:secretId',
    summary: 'Take one secret of an application back at once',
    access: { permission: 'clients:update', fresh: 'person' },
    params: z.object({ clientId: plainText(255, 1), secretId: plainText(64, 1) }),
    response: z.object({ secrets: z.array(ApplicationSecret) }),
    errors: ['APPLICATION_NOT_FOUND', 'SECRET_NOT_FOUND', beyond],
  },
})
