/** Creates, changes and deletes organizations, for members and for operators. */
import type { z } from 'zod'
import type { Principal } from '../access/principal.ts'
import type { RequireProof } from '../access/proof.ts'
import type { Sessions } from '../authentication/sessions/index.ts'
import type { Core } from '../core/core.ts'
import { lockRow, type Tx, uniqueViolation } from '../core/db/database.ts'
import { coreErrors } from '../core/errors.ts'
import type { OrganizationsConfig } from './config.ts'
import type { organizationContract } from './contract.ts'
import { organizationErrors } from './errors.ts'
import { organizationEvents } from './events.ts'
import type { MemberAdder } from './members/add.ts'
import * as members from './members/store.ts'
import { hasTwoFactors } from './memberships.ts'
import type { RoleTable } from './rules.ts'
import type { Organization } from './service.ts'
import * as store from './store.ts'
import { insertTeam, insertTeamMember } from './teams/store.ts'

export interface WriteDeps extends Pick<Core, 'clock' | 'random' | 'events'> {
  readonly sessions: Pick<Sessions, 'discountMailboxes' | 'clearActiveOfOneFactor'>
  readonly config: OrganizationsConfig
  readonly roles: RoleTable
  readonly memberAdder: MemberAdder
  readonly requireProof: RequireProof
}

const withFreeSlug = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write()
  } catch (error) {
    if (uniqueViolation(error) !== undefined) throw organizationErrors.error('ORGANIZATION_ALREADY_EXISTS')
    throw error
  }
}

/** Inserts an organization with its first team and first member. The member also joins the team. */
export const insertWithOwner = async (
  { clock, random, config, roles, memberAdder, events }: WriteDeps,
  tx: Tx,
  principal: Principal,
  input: Pick<Organization, 'name' | 'slug' | 'logo' | 'metadata'>,
  ownerId: string | undefined,
) => {
  const createdAt = clock.now()
  const organization = { id: random.id(), createdAt, requiresSecondFactor: false, ...input }
  await withFreeSlug(() => store.insertOrganization(tx, organization))
  await events.record(tx, principal, organizationEvents['organization.created'], {
    subject: organization.id,
    organizationId: organization.id,
    data: { ownerId: ownerId ?? null },
  })
  const of = { organizationId: organization.id, createdAt }
  const team = config.teamsEnabled ? { id: random.id(), name: input.name, updatedAt: null, ...of } : undefined
  if (team !== undefined) await insertTeam(tx, team)
  const member =
    ownerId === undefined
      ? undefined
      : await memberAdder.add(tx, principal, { ...of, userId: ownerId, roles: new Set([roles.creatorRole]) })
  if (team !== undefined && ownerId !== undefined)
    await insertTeamMember(tx, { id: random.id(), teamId: team.id, userId: ownerId, ...of })
  return { organization, member, teamId: team?.id ?? null }
}

/** Changes the given fields of an organization. Throws ORGANIZATION_ALREADY_EXISTS, SECOND_FACTOR_REQUIRED and the errors of `RequireProof`. */
export const changeOrganization = async (
  { sessions, events, requireProof }: WriteDeps,
  tx: Tx,
  principal: Principal,
  organization: Organization,
  data: z.output<typeof organizationContract.updateOrganization.body>['data'],
) => {
  const changed: Organization = {
    ...organization,
    name: data.name ?? organization.name,
    slug: data.slug ?? organization.slug,
    logo: data.logo === undefined ? organization.logo : data.logo,
    metadata: data.metadata === undefined ? organization.metadata : data.metadata,
    requiresSecondFactor: data.requiresSecondFactor ?? organization.requiresSecondFactor,
  }
  if (changed.requiresSecondFactor !== organization.requiresSecondFactor) await requireProof(principal, 'require-factor')
  const isTightened = changed.requiresSecondFactor && !organization.requiresSecondFactor
  // A member can require a second factor only in a session with two factors. Otherwise members could lock themselves out.
  if (isTightened && !hasTwoFactors(principal)) throw coreErrors.error('SECOND_FACTOR_REQUIRED')
  await withFreeSlug(() => store.updateOrganization(tx, changed))
  if (isTightened) {
    await sessions.discountMailboxes(tx, await members.listUserIds(tx, organization.id))
    await sessions.clearActiveOfOneFactor(tx, organization.id)
  }
  const { id } = organization
  const named = (['name', 'slug', 'requiresSecondFactor'] as const).filter((field) => organization[field] !== changed[field])
  const valuesOf = (of: Organization) => Object.fromEntries(named.map((field) => [field, of[field]]))
  const what = { fields: Object.keys(data), before: valuesOf(organization), after: valuesOf(changed) }
  const about = { subject: id, organizationId: id, data: what }
  await events.record(tx, principal, organizationEvents['organization.updated'], about)
  return changed
}

/** Locks and deletes an organization. Throws ORGANIZATION_NOT_FOUND. */
export const deleteOrganization = async ({ events }: WriteDeps, tx: Tx, principal: Principal, organizationId: string) => {
  await lockRow(tx, 'organization', organizationId)
  const about = { subject: organizationId, organizationId, data: {} }
  await events.record(tx, principal, organizationEvents['organization.deleted'], about)
  if (!(await store.deleteOrganization(tx, organizationId))) throw organizationErrors.error('ORGANIZATION_NOT_FOUND')
}
