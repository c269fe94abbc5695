import { z } from 'zod'
import { json } from '../core/json-value.ts'
import { instant, nameInput, organizationName, pictureInput, plainText } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

/** Slugs that organizations cannot have: parts of gatehouse's own URLs, and words that suggest the operator. */
export const reservedSlugs: readonly string[] = [
  ...['account', 'admin', 'api', 'assets', 'auth', 'check-email', 'consent', 'console', 'device', 'docs', 'error', 'gatehouse'],
  ...[
    'health',
    'hosted',
    'interaction',
    'invitation',
    'jwks',
    'livez',
    'login',
    'logout',
    'me',
    'metrics',
    'new',
    'null',
    'oauth2',
  ],
  ...['ok', 'openapi', 'organization', 'organizations', 'readyz', 'root', 'security', 'settings', 'setup', 'sign-in', 'sign-up'],
  ...['static', 'support', 'system', 'undefined', 'user', 'users', 'webhooks', 'well-known', 'www'],
]

/** A slug. It is converted to lower case before it is checked, so that two slugs never differ only in upper and lower case. */
export const Slug = z
  .string()
  .max(256)
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'letters, digits, - and _, beginning with a letter or digit, at most 64 characters')
  .refine((slug) => !reservedSlugs.includes(slug), 'this word is reserved')

export const CreateOrganization = z.object({ name: nameInput, slug: Slug })

/** An id that a query or body contains. */
export const Id = plainText(64, 1)

/**
 * Names the organization of a call. When absent: the organization in the header `Gatehouse-Organization` (id or slug), or else the active
 * organization of the session.
 */
export const ofOrganization = { organizationId: organizationName.optional() } as const

/** In responses: a JSON object that an application has stored. Its size has no limit here, because earlier versions accepted larger objects. */
export const Metadata = z.record(z.string(), json)

/** In requests: a JSON object that an application stores, with at most 16 kB. */
export const MetadataInput = z
  .record(z.string().max(200), json)
  .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= 16_384, 'at most 16384 bytes as JSON')

/** An organization (accounts specification, section 3). */
export const Organization = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    logo: z.string().nullable(),
    metadata: Metadata.nullable(),
    createdAt: instant,
    /** True if members have to use two factors to act for the organization. */
    requiresSecondFactor: z.boolean(),
  })
  .meta({ id: 'Organization' })

/** True if members have to use two factors to act for the organization. Only a person who has signed in with two factors can set this to true. */
export const requiresSecondFactorInput = z.boolean()

/** What the members of an organization see of another member. */
export const MemberUser = z
  .object({ id: z.string(), name: z.string(), email: z.string(), image: z.string().nullable() })
  .meta({ id: 'MemberUser' })

/**
 * A member of an organization. Several roles are one text in their stored order, such as `member,admin`. `teamId` is the team that the
 * member joined first.
 */
export const Member = z
  .object({
    id: z.string(),
    organizationId: z.string(),
    userId: z.string(),
    role: z.string(),
    teamId: z.string().nullable(),
    createdAt: instant,
  })
  .meta({ id: 'Member' })

export const MemberWithUser = Member.extend({ user: MemberUser }).meta({ id: 'MemberWithUser' })

export const InvitationStatus = z.enum(['pending', 'accepted', 'rejected', 'canceled'])
/** The status of an invitation as answers show it: the stored status, or `expired`, which is not stored. */
export const InvitationState = z.enum([...InvitationStatus.options, 'expired'])

/**
 * An invitation. `teamId` contains the ids of the teams that the invited person will join, separated by commas. `inviterId` is null if an
 * operator sent the invitation.
 */
export const Invitation = z
  .object({
    id: z.string(),
    organizationId: z.string(),
    email: z.string(),
    role: z.string(),
    teamId: z.string().nullable(),
    status: InvitationStatus,
    expiresAt: instant,
    inviterId: z.string().nullable(),
    createdAt: instant,
  })
  .meta({ id: 'Invitation' })

export const Team = z
  .object({
    id: z.string(),
    name: z.string(),
    organizationId: z.string(),
    createdAt: instant,
    updatedAt: instant.nullable(),
  })
  .meta({ id: 'Team' })

/**
 * An organization with its first 100 members, pending invitations and teams. Each of the three lists also has a call of its own that
 * returns all pages.
 */
export const FullOrganization = Organization.extend({
  members: z.array(MemberWithUser),
  invitations: z.array(Invitation),
  teams: z.array(Team),
}).meta({ id: 'FullOrganization' })

/** Selects a page. When absent: the first 100 rows. Numbers may be given as text, because in a query they are. */
export const paged = {
  limit: z.coerce.number<string | number>().int().min(1).max(1000).default(100),
  offset: z.coerce.number<string | number>().int().min(0).max(1_000_000).default(0),
} as const

const byIdOrSlug = z.object({ organizationId: organizationName.optional(), organizationSlug: plainText(256, 1).optional() })

export const organizationContract = contract('Organizations', {
  createOrganization: {
    method: 'POST',
    path: '/organization/create',
    summary: 'Create an organization and become its owner',
    access: { permission: 'organizations:create' },
    body: z.object({
      ...CreateOrganization.shape,
      /** Not used: the signed-in user becomes the creator. */
      userId: z.string().optional(),
      logo: pictureInput.nullable().optional(),
      metadata: MetadataInput.nullable().optional(),
      /** True if the session should keep its present active organization. */
      keepCurrentActiveOrganization: z.boolean().optional(),
    }),
    response: Organization.extend({ members: z.array(Member) }),
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION',
      'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
      'ORGANIZATION_ALREADY_EXISTS',
    ],
  },
  checkSlug: {
    method: 'POST',
    path: '/organization/check-slug',
    summary: 'Check whether a slug is free',
    access: { permission: 'organizations:create' },
    body: z.object({ slug: Slug }),
    response: z.object({ status: z.boolean() }),
    errors: ['SLUG_IS_TAKEN'],
  },
  updateOrganization: {
    method: 'POST',
    path: '/organization/update',
    summary: 'Change name, slug, logo or metadata, or require a second factor of its members',
    /**
     * The call is public so that it can answer a request without a session in the way that the specification prescribes (wire behaviour,
     * section 1).
     */
    access: 'public',
    body: z.object({
      data: z.object({
        name: nameInput.optional(),
        slug: Slug.optional(),
        logo: pictureInput.nullable().optional(),
        metadata: MetadataInput.nullable().optional(),
        requiresSecondFactor: requiresSecondFactorInput.optional(),
        /**
         * This was the name of `requiresSecondFactor` until 2026-11-26. A request with the old name is refused. If the old name were
         * ignored, the organization would not require a second factor.
         */
        requireSecondFactor: z.never('the name is requiresSecondFactor').optional(),
      }),
      ...ofOrganization,
    }),
    response: Organization,
    errors: [
      'SESSION_IS_NOT_FRESH',
      'UNAUTHORIZED',
      '401 USER_NOT_FOUND',
      'ORGANIZATION_NOT_FOUND',
      '400 USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION',
      'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION',
      'ORGANIZATION_ALREADY_EXISTS',
      'SECOND_FACTOR_REQUIRED',
    ],
  },
  deleteOrganization: {
    method: 'POST',
    path: '/organization/delete',
    summary: 'Delete an organization with everything in it',
    access: { permission: 'organization:delete' },
    body: z.object({ organizationId: organizationName }),
    response: Organization,
    errors: [
      'SESSION_IS_NOT_FRESH',
      'FORBIDDEN',
      '400 USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION',
      'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION',
    ],
  },
  listOrganizations: {
    method: 'GET',
    path: '/organization/list',
    summary:
      'List the organizations of the principal with the roles in each, oldest membership first; a page ends after about 1 MB, and `offset` continues it',
    access: { permission: 'organizations:read' },
    query: z.object({ ...paged, limit: paged.limit.prefault(1000) }),
    response: z.array(Organization.extend({ role: z.string() })),
    errors: [],
  },
  getOrganization: {
    method: 'GET',
    path: '/organization/get-organization',
    summary: 'Get one organization of the signed-in user; null if none is named or active',
    access: { permission: 'organization:read' },
    query: byIdOrSlug,
    response: Organization.nullable(),
    errors: ['403 USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'],
  },
  getFullOrganization: {
    method: 'GET',
    path: '/organization/get-full-organization',
    summary: 'Get one organization of the signed-in user with members, invitations and teams; null if none is named or active',
    access: { permission: 'organization:read' },
    query: byIdOrSlug,
    response: FullOrganization.nullable(),
    errors: ['403 USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'],
  },
  setActiveOrganization: {
    method: 'POST',
    path: '/organization/set-active',
    summary: 'Choose the organization that the session acts for; null for none',
    access: { permission: 'sessions:update' },
    body: z.object({ organizationId: organizationName.nullable().optional(), organizationSlug: plainText(256, 1).optional() }),
    response: FullOrganization.nullable(),
    errors: ['403 USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION', 'SECOND_FACTOR_REQUIRED'],
  },
})
