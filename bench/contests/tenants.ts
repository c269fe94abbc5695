/** Inserts organizations and their people directly into a server's database. */
import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { insertAll, settle, withDatabase } from '../targets/database.ts'
import type { Target } from '../targets/targets.ts'
import { connections } from './run.ts'

/** Size of the measured organization. */
export const measured = { id: 'measured-organization', members: 100, invitations: 50, teams: 10, teamSize: 10 } as const

/** Size of each other organization. It also has three members. */
const other = { invitations: 1, teams: 1, teamSize: 2 } as const

/** Number of organizations that one transaction inserts. */
const step = 1000

const newId = () => randomBytes(16).toString('hex')
const began = Date.now() - 86_400_000
/** The creation time of the i-th row. Each row is a millisecond later than the one before. */
const at = (i: number) => new Date(began + i)

const user = (id: string) => ({
  ...{ id, name: `Member ${id.slice(0, 8)}`, email: `${id}@example.com`, email_verified: true, image: null },
  ...{ email_ever_verified: true, email_version: 0 },
  ...{ role: 'user', language: null, created_at: at(0), updated_at: at(0) },
})

interface Size {
  readonly invitations: number
  readonly teams: number
  readonly teamSize: number
}

/** All rows of an organization with these members. */
const tenant = (id: string, userIds: readonly string[], { invitations, teams, teamSize }: Size) => {
  const of = { organization_id: id }
  const teamIds = Array.from({ length: teams }, newId)
  return {
    organization: { id, name: `Organization ${id.slice(0, 8)}`, slug: id, logo: null, metadata: null, created_at: at(0) },
    member: userIds.map((user_id, i) => ({ id: newId(), ...of, user_id, role: 'member', created_at: at(i) })),
    team: teamIds.map((teamId, i) => ({ id: teamId, ...of, name: `Team ${i}`, created_at: at(i), updated_at: null })),
    team_member: teamIds.flatMap((team_id) =>
      userIds.slice(0, teamSize).map((user_id, i) => ({ id: newId(), ...of, team_id, user_id, created_at: at(i) })),
    ),
    invitation: Array.from({ length: invitations }, (_, i) => ({
      ...{ id: newId(), ...of, email: `${newId()}@example.com`, role: 'member', status: 'pending', team_ids: '[]' },
      by_operator: false,
      ...{ inviter_id: userIds[0] ?? null, expires_at: new Date(Date.now() + 86_400_000), created_at: at(i) },
    })),
  }
}

const insertTenants = (db: Knex, users: readonly string[], tenants: readonly ReturnType<typeof tenant>[]) =>
  insertAll(db, {
    user: users.map(user),
    organization: tenants.map(({ organization }) => organization),
    member: tenants.flatMap(({ member }) => member),
    team: tenants.flatMap(({ team }) => team),
    team_member: tenants.flatMap(({ team_member }) => team_member),
    invitation: tenants.flatMap(({ invitation }) => invitation),
  })

/** The floor has tables for people and memberships only. */
const insertIntoFloor: typeof insertTenants = (db, users, tenants) =>
  insertAll(db, {
    user: users.map(user).map(({ id, name, email }) => ({ id, name, email, password: '' })),
    member: tenants.flatMap(({ member }) => member),
  })

/**
 * Inserts `others` smaller organizations and then the measured one, with room for the virtual users as members. Each person is a member
 * of three smaller organizations.
 */
const fill = async (db: Knex, others: number, insert: typeof insertTenants) => {
  for (let done = 0; done < others; done += step) {
    const people = Array.from({ length: Math.min(step, others - done) }, newId)
    const membersOf = (i: number) => [...new Set([0, 1, 2].map((k) => people[(i + k) % people.length] ?? ''))]
    const tenants = people.map((_, i) => tenant(newId(), membersOf(i), other))
    await insert(db, people, tenants)
  }
  const people = Array.from({ length: measured.members - connections }, newId)
  await insert(db, people, [tenant(measured.id, people, measured)])
}

const filled = new WeakSet<Target>()

/** Adds a virtual user to the measured organization. The first call for a target inserts the organizations. */
export const joinMeasured = (target: Target, userId: string, others: number): Promise<void> =>
  withDatabase(target.databaseUrl, async (db) => {
    if (!filled.has(target)) {
      await fill(db, others, target.name === 'floor' ? insertIntoFloor : insertTenants)
      await settle(db, target.databaseUrl)
      filled.add(target)
    }
    const member = { id: userId, organization_id: measured.id, user_id: userId, role: 'member', created_at: at(measured.members) }
    await db('member').insert(member).onConflict('id').ignore()
  })
