import { z } from 'zod'
import { defaultRoles, joinRoles, resources } from './rules.ts'

const permissions = z.strictObject(
  Object.fromEntries(Object.entries(resources).map(([resource, actions]) => [resource, z.array(z.enum(actions)).default([])])),
)

const role = permissions.extend({ grants: z.array(z.string()).optional() })

const limit = z.int().min(1).max(1_000_000).nullable()

export const organizationsConfig = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Organizations; off, their calls and pages do not exist.')
      .meta({ weakened: 'never' }),
    teamsEnabled: z.boolean().default(true).describe('Teams inside organizations.').meta({ weakened: 'never' }),
    creation: z
      .enum(['verified', 'everybody', 'admins', 'nobody'])
      .default('verified')
      .describe(
        'Who may create organizations: people with a verified address, everybody signed in, administrators and others with the permission ' +
          '`all-organizations:create`, or nobody (the command line still can).',
      ),
    limitPerUser: limit
      .default(20)
      .describe(
        'How many organizations a person may belong to with the creator role before creating another is refused; null is no limit.',
      )
      .meta({ weakened: 'never' }),
    creatorRole: z
      .string()
      .min(1)
      .default('owner')
      .describe('Role of the member who creates an organization. At least one member always has this role.'),
    membershipLimit: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe('Most members of one organization.')
      .meta({ weakened: 'never' }),
    pendingInvitationLimit: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe('Most invitations of one organization that wait for an answer.')
      .meta({ weakened: 'never' }),
    invitationsPerHour: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(200)
      .describe('Most mails with an invitation in an hour for one organization, where limits apply.')
      .meta({ weakened: 'higher' }),
    invitationsPerMemberAndHour: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe(
        'Most mails with an invitation in an hour that one person sends for all organizations together, where limits apply.',
      )
      .meta({ weakened: 'higher' }),
    invitationsPerRecipientAndHour: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(5)
      .describe(
        'Largest number of mailed invitations to one address in an hour, where limits apply. `mail.requestsPerHour` and, for one ' +
          'person, `mail.requestsPerAskerAndHour` hold as well.',
      )
      .meta({ weakened: 'higher' }),
    invitationsPerNetworkAndHour: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe('Most mails with an invitation in an hour from one network (/24 of IPv4, /48 of IPv6), where limits apply.')
      .meta({ weakened: 'higher' }),
    invitationsInAllPerHour: z
      .int()
      .min(1)
      .max(10_000_000)
      .default(1000)
      .describe('Most mails with an invitation in an hour in the whole installation, where limits apply.')
      .meta({ weakened: 'higher' }),
    inviteNeedsVerifiedEmail: z
      .boolean()
      .default(true)
      .describe('Only a member with a verified address invites.')
      .meta({ weakened: 'off' }),
    invitationTtlSeconds: z
      .int()
      .min(60)
      .max(34_560_000)
      .default(172_800)
      .describe('Life of an invitation; two days when not set.')
      .meta({ weakened: 'higher' }),
    acceptNeedsVerifiedEmail: z
      .boolean()
      .default(false)
      .describe('Only a verified address accepts or rejects an invitation; the link of the mail verifies it.')
      .meta({ weakened: 'off' }),
    invitedSignUpEnabled: z
      .boolean()
      .default(false)
      .describe('Invited people may sign up although accounts.signUpEnabled is off.')
      .meta({ weakened: 'on' }),
    deletionEnabled: z
      .boolean()
      .default(true)
      .describe('Whether organizations can be deleted by their members.')
      .meta({ weakened: 'never' }),
    teamLimit: limit.default(null).describe('Most teams of one organization; null is no limit.').meta({ weakened: 'never' }),
    teamMemberLimit: limit.default(null).describe('Most members of one team; null is no limit.').meta({ weakened: 'never' }),
    removingAllTeamsEnabled: z
      .boolean()
      .default(false)
      .describe('Whether the last team of an organization can be removed.')
      .meta({ weakened: 'never' }),
    roles: z
      .record(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/), role)
      .default({})
      .describe(
        'Custom roles and their permissions. A role named owner, admin or member replaces the built-in role. Members may give a role if they ' +
          'have all of its permissions. A role without permissions, such as `payroll_admin: {}`, has a meaning for applications only: members ' +
          'with this role, with the creator role, or with a role in its list `grants` give it. Such a list binds any other role too.',
      ),
  })
  .superRefine(({ creatorRole, roles }, context) => {
    const names = new Set(Object.keys({ ...defaultRoles, ...roles }))
    if (!names.has(creatorRole))
      context.addIssue({ code: 'custom', path: ['creatorRole'], message: `one of the roles: ${joinRoles(names)}` })
    for (const [name, { grants = [] }] of Object.entries(roles))
      if (!grants.every((grantor) => names.has(grantor)))
        context.addIssue({ code: 'custom', path: ['roles', name, 'grants'], message: `roles among: ${joinRoles(names)}` })
    // A member may have all roles at once, and they are stored in one column with 255 characters.
    if (joinRoles(names).length > 255)
      context.addIssue({
        code: 'custom',
        path: ['roles'],
        message: 'names of at most 255 characters together, commas and built-in roles counted',
      })
  })
  .prefault({})

export type OrganizationsConfig = z.output<typeof organizationsConfig>
