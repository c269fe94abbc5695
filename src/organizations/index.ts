import type { Accounts } from '../accounts/index.ts'
import type { Clock } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Db, Transact } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import type { SecurityLog } from '../core/security-log.ts'
import type { Feature } from '../feature.ts'
import type { Limits } from '../limits/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { Users } from '../users/index.ts'
import { createOrganizationClaims } from './claims.ts'
import type { OrganizationsConfig } from './config.ts'
import { organizationErrors } from './errors.ts'
import { hostedOrganizationRoutes } from './hosted/routes.ts'
import { createHostedOrganizations } from './hosted/service.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { createInvitations, type Invitations } from './invitations/service.ts'
import { createJoining, type SeatLimit } from './joining.ts'
import { memberRoutes } from './members/routes.ts'
import { createMembers, type Members } from './members/service.ts'
import { createMemberships, type Memberships, type OrganizationStanding } from './memberships.ts'
import { organizationRoutes } from './routes.ts'
import { createRoleTable } from './rules.ts'
import { type BeforeRemoval, createOrganizations, type Organization, type Organizations } from './service.ts'
import { createPlaces } from './teams/places.ts'
import { teamRoutes } from './teams/routes.ts'
import { createTeams } from './teams/service.ts'

export type { BeforeRemoval, Invitations, Members, Memberships, Organization, OrganizationStanding, Organizations, SeatLimit }

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly security: SecurityLog
  readonly entropy: Entropy
  readonly users: Users
  readonly secrets: Secrets
  readonly sessions: Sessions
  readonly accounts: Accounts
  readonly mail: Mail
  readonly url: string
  /** Undefined when limits are off. */
  readonly limiter: Limits | undefined
  readonly config: OrganizationsConfig
  /** Asked before somebody joins or is invited. */
  readonly seatLimits: readonly SeatLimit[]
  readonly beforeRemoval: readonly BeforeRemoval[]
}

export interface OrganizationsFeature extends Feature {
  readonly api: Organizations
  readonly invitations: Invitations
  readonly members: Members
  /** What other features ask. */
  readonly memberships: Memberships
  /** The scope `organizations`. */
  readonly claimSource: ReturnType<typeof createOrganizationClaims>
}

export const organizationsFeature = (deps: Deps): OrganizationsFeature => {
  const { config } = deps
  const roles = createRoleTable(config.creatorRole, config.roles)
  const joining = createJoining(deps)
  const places = createPlaces(deps)
  const shared = { ...deps, roles, joining, places }
  const api = createOrganizations(shared)
  const members = createMembers(shared)
  const memberships = createMemberships(roles, config)
  const invitations = createInvitations(shared)
  const routes = [
    ...organizationRoutes(api),
    ...memberRoutes(members),
    ...invitationRoutes(invitations),
    ...hostedOrganizationRoutes(createHostedOrganizations(shared)),
    ...(config.teamsEnabled ? teamRoutes(createTeams(shared)) : []),
  ]
  return {
    api,
    members,
    invitations,
    memberships,
    claimSource: createOrganizationClaims(memberships, config.teamsEnabled),
    routes: config.enabled ? routes : [],
    errors: organizationErrors.table,
  }
}
