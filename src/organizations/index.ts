import type { Attempts } from '../authentication/attempts/index.ts'
import type { SignUp } from '../authentication/methods/password/index.ts'
import type { Sessions } from '../authentication/sessions/index.ts'
import type { BrandService } from '../brand/index.ts'
import { joining, type Tx } from '../core/db/database.ts'
import { reactTo } from '../core/events/record.ts'
import { createMailTexts, type MailTexts } from '../core/mail-texts.ts'
import { checkTexts, type TextsConfig, withOwnTexts } from '../core/own-texts.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { bind, documented } from '../http/handlers.ts'
import type { ManagedUsers, Users } from '../identity/users/index.ts'
import type { Images } from '../images/index.ts'
import type { RateLimits } from '../limits/index.ts'
import type { Mail, MailSamples } from '../mail/index.ts'
import { organizationAdministrationCommands } from './administration/cli.ts'
import { invitationAdministrationRoutes, organizationAdministrationRoutes } from './administration/routes.ts'
import { createOrganizationAdministration, type OrganizationAdministration } from './administration/service.ts'
import { createGroupClaims, createOrganizationClaims } from './claims.ts'
import { organizationCommands } from './cli.ts'
import { type OrganizationsConfig, organizationsConfig } from './config.ts'
import { organizationContract } from './contract.ts'
import { organizationDocumentation } from './documentation.ts'
import { organizationErrors } from './errors.ts'
import { organizationEvents } from './events.ts'
import { createOrganizationHoldings } from './holdings.ts'
import { hostedOrganizationRoutes } from './hosted/routes.ts'
import { createHostedOrganizations } from './hosted/service.ts'
import { invitationCommands } from './invitations/cli.ts'
import { createInvitationEndings } from './invitations/inviter.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { joinTeams } from './invitations/rules.ts'
import { createInvitations, type Invitations } from './invitations/service.ts'
import { ownInvitations } from './invitations/store.ts'
import { logoAdministrationRoutes, organizationLogoRoutes } from './logo/routes.ts'
import { createOrganizationLogos } from './logo/service.ts'
import { invitationSample, ownershipSamples } from './mails.ts'
import { createMemberAdder } from './members/add.ts'
import { createMemberChanges, createMemberOperator, type MemberOperator } from './members/operator.ts'
import { memberRoutes } from './members/routes.ts'
import { createMembers, type Members } from './members/service.ts'
import { ownMemberships } from './members/store.ts'
import { createOwnershipTransfer } from './members/transfer.ts'
import { type AllowedIn, createMemberships, type MembershipClaims, type Memberships } from './memberships.ts'
import { organizationRoleRoutes } from './roles/routes.ts'
import { createRoleTable } from './rules.ts'
import { createOrganizations, type FullOrganization, type Organization, type Organizations } from './service.ts'
import { findOrganization, listOrganizationNames } from './store.ts'
import { createTeamChanges } from './teams/changes.ts'
import { createTeamMemberships } from './teams/memberships.ts'
import { createTeamOperator, type TeamOperator } from './teams/operator.ts'
import { teamAdministrationRoutes, teamRoutes } from './teams/routes.ts'
import { createTeams } from './teams/service.ts'
import { listTeamNames, ownTeams } from './teams/store.ts'

const shown = (full: FullOrganization | undefined) =>
  full === undefined
    ? null
    : { ...full, invitations: full.invitations.map((one) => ({ ...one, teamId: joinTeams(one.teamIds) })) }

const organizationRoutes = (organizations: Organizations) =>
  bind(documented(organizationContract, organizationDocumentation), {
    createOrganization: (principal, { body }) => organizations.create(principal, body),
    checkSlug: async (_principal, { body }) => {
      await organizations.requireFreeSlug(body.slug)
      return { status: true }
    },
    updateOrganization: (principal, { body }) => organizations.update(principal, body),
    deleteOrganization: (principal, { body }) => organizations.remove(principal, body.organizationId),
    listOrganizations: ({ user }, { query }) => organizations.listOwn(user.id, query),
    getOrganization: async (principal, { query }) => (await organizations.find(principal, query)) ?? null,
    getFullOrganization: async (principal, { query, cookies }) => {
      try {
        return shown(await organizations.findFull(principal, query))
      } catch (error) {
        // The person may have left the active organization of the session. Then the session that is cached in a cookie is outdated, so
        // that cookie is cleared.
        if (principal.kind === 'user') cookies.clearCache()
        throw error
      }
    },
    setActiveOrganization: async (principal, { body }) => shown(await organizations.setActive(principal, body)),
  })

export type { AllowedIn, Invitations, Members, MembershipClaims, Memberships, Organization, Organizations }

/** What operators can do with organizations, in a transaction of the caller. */
export interface OrganizationsWithin {
  readonly organizations: Organizations
  readonly administration: OrganizationAdministration
  readonly members: MemberOperator
  /** Undefined in an instance without teams. */
  readonly teams: TeamOperator | undefined
  /** The name of the role that owners of organizations have. */
  readonly creatorRole: string
}

interface Needs {
  readonly managedUsers: ManagedUsers
  readonly users: Users
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly accounts: SignUp
  readonly mail: Mail
  readonly mailSamples: MailSamples
  readonly mailTexts: MailTexts
  readonly brand: BrandService
  readonly images: Images
  readonly rateLimits: RateLimits | undefined
}

interface Config extends TextsConfig {
  readonly organizations: OrganizationsConfig
}

const build = (base: Base, { organizations: config, ...textsConfig }: Config, needs: Needs) => {
  const mailTexts = withOwnTexts(textsConfig, 'organizations', needs.mailTexts('organizations'))
  needs.mailSamples.offer([
    invitationSample(base.url, mailTexts, config.invitationTtlSeconds),
    ...ownershipSamples(base.url, mailTexts),
  ])
  const company = () => {
    const { isNamed, name } = needs.brand.current()
    return isNamed ? name : undefined
  }
  const deps = { ...base, ...needs, config, company, mailTexts, limiter: needs.rateLimits?.limiter }
  const roles = createRoleTable(config.creatorRole, config.roles)
  const memberAdder = createMemberAdder(deps)
  const teamMemberships = createTeamMemberships(deps)
  const teamChanges = createTeamChanges(deps)
  const memberChanges = createMemberChanges({ ...deps, roles })
  const invitationEndings = createInvitationEndings({ ...deps, roles })
  const shared = { ...deps, roles, memberAdder, memberChanges, teamMemberships, teamChanges, invitationEndings }
  const organizations = createOrganizations(shared)
  const members: Members & MemberOperator = { ...createMembers(shared), ...createMemberOperator(shared) }
  const memberships = createMemberships(roles, config)
  const invitations = createInvitations(shared)
  const administration = createOrganizationAdministration({ ...deps })
  const logos = createOrganizationLogos(shared)
  const holdings = createOrganizationHoldings(base)
  const requireUser = needs.managedUsers.get
  const routes = [
    ...organizationAdministrationRoutes({ administration, organizations, members, invitations, requireUser }),
    ...organizationRoutes(organizations),
    ...organizationLogoRoutes(logos),
    ...logoAdministrationRoutes(logos),
    ...organizationRoleRoutes(roles, config),
    ...memberRoutes(members, createOwnershipTransfer(shared)),
    ...invitationRoutes(invitations),
    ...invitationAdministrationRoutes(administration),
    ...hostedOrganizationRoutes(createHostedOrganizations(shared)),
    ...(config.teamsEnabled ? [...teamRoutes(createTeams(shared)), ...teamAdministrationRoutes(createTeamOperator(shared))] : []),
  ]
  /** Undefined in an instance without organizations. */
  const organizationsWithin = (tx: Tx | undefined): OrganizationsWithin | undefined => {
    if (!config.enabled) return undefined
    const joined = tx === undefined ? shared : { ...shared, ...joining(tx) }
    return {
      organizations: createOrganizations(joined),
      administration: createOrganizationAdministration(joined),
      members: createMemberOperator(joined),
      teams: config.teamsEnabled ? createTeamOperator(joined) : undefined,
      creatorRole: roles.creatorRole,
    }
  }
  return {
    names: [
      { kinds: ['organization'], permission: 'all-organizations:read', list: listOrganizationNames },
      { kinds: ['team'], permission: 'all-organizations:read', list: listTeamNames },
    ],
    personalData: [ownMemberships, ownTeams, ...ownInvitations],
    withheldData: [{ table: 'member_role', why: 'repeats the roles of the memberships' }],
    api: { organizations, organizationsWithin, organizationAdministration: administration, invitations, members, memberships },
    routes: config.enabled ? routes : [],
    claims: [
      ...(config.enabled ? [createOrganizationClaims(memberships, config.teamsEnabled)] : []),
      createGroupClaims(memberships),
    ],
    guards: {
      deleteUser: organizations.guardOnlyOwner,
      requiresSecondFactor: async (db, userId) =>
        (await memberships.listOf(db, userId)).some(({ requiresSecondFactor }) => requiresSecondFactor),
    },
    holdings: holdings.holdingsOf,
    reactions: [
      ...invitationEndings.reactions,
      // This reaction must run before the reaction that ends the access of applications in sessions with a single factor.
      reactTo(organizationEvents['member.added'], async (tx, { subjectId, organizationId: id }) => {
        const organization = id === null ? undefined : await findOrganization(tx, { id })
        if (organization?.requiresSecondFactor) await needs.sessions.discountMailboxes(tx, [subjectId])
      }),
      reactTo(organizationEvents['organization.updated'], async (tx, { subjectId, data }) => {
        if (data.fields.includes('logo')) await logos.forgetUnused(tx, subjectId)
      }),
      reactTo(organizationEvents['organization.deleted'], async (tx, { subjectId: ownerId }) => {
        await needs.images.remove(tx, { kind: 'organization-logo', ownerId })
      }),
    ],
  } satisfies Built
}

export const organizationsFeature = defineFeature({
  name: 'organizations',
  config: { organizations: organizationsConfig },
  check: (config: TextsConfig, fail) => checkTexts(config, 'organizations', createMailTexts()('organizations'), fail),
  errors: organizationErrors.table,
  events: organizationEvents,
  commands: [organizationCommands, organizationAdministrationCommands, invitationCommands],
  build,
})
