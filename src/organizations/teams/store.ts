import { type Db, isPostgres, lockRow, type Tx } from '../../core/db/database.ts'
import { joinOne, readCounted, readWindow } from '../../core/db/keyset.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { listNamesOf, nullable, type Row, table, text, time } from '../../core/db/table.ts'
import { type Cursor, type PlacedRows, type Position, timeAfter } from '../../core/page.ts'
import { userNames } from '../../identity/users/table.ts'

const teamColumns = { id: text, organizationId: text, name: text, createdAt: time, updatedAt: nullable(time) }
const teams = table('team', teamColumns)
export type TeamRow = Row<typeof teamColumns>

const teamMemberColumns = { id: text, organizationId: text, teamId: text, userId: text, createdAt: time }
/** Names of teams, by id. */
export const listTeamNames = listNamesOf(teams)
const teamMembers = table('team_member', teamMemberColumns)
export type TeamMemberRow = Row<typeof teamMemberColumns>

export const insertTeam = (tx: Tx, row: TeamRow) => teams.insert(tx, row)
export const findTeam = (db: Db, organizationId: string, id: string) => teams.find(db, { organizationId, id })
/** Finds a team of an organization and locks it until the transaction ends, so that it cannot be deleted meanwhile. */
export const lockTeam = async (tx: Tx, organizationId: string, id: string): Promise<TeamRow | undefined> => {
  const query = tx.knex(teams.name).where({ organization_id: organizationId, id }).first()
  const raw: Record<string, unknown> | undefined = await (isPostgres(tx) ? query.forKeyShare() : query)
  return raw === undefined ? undefined : teams.decode(raw)
}
/** Finds a team in any organization, for calls that do not name the organization. */
export const findTeamById = (db: Db, id: string) => teams.find(db, { id })
export const renameTeam = (tx: Tx, { organizationId, id, name, updatedAt }: TeamRow) =>
  teams.updateOne(tx, { organizationId, id }, { name, updatedAt })
/** Deletes a team together with its memberships. */
export const deleteTeam = async (tx: Tx, organizationId: string, id: string) =>
  (await teams.delete(tx, { organizationId, id })) === 1

/** Teams of an organization, oldest first. */
export const listTeams = async (db: Db, organizationId: string, limit: number, offset = 0): Promise<TeamRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('team')
    .where({ organization_id: organizationId })
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .offset(offset)
  return rows.map((row) => teams.decode(row))
}

/** The organization's teams that have one of these ids, in no particular order. */
export const listTeamsById = async (db: Db, organizationId: string, ids: readonly string[]): Promise<TeamRow[]> => {
  if (ids.length === 0) return []
  const rows: Record<string, unknown>[] = await db.knex('team').where({ organization_id: organizationId }).whereIn('id', ids)
  return rows.map((row) => teams.decode(row))
}

/** The teams of an organization with this name, but at most two of them. Two are enough to see that the name is not unique. */
export const listTeamsByName = (db: Db, organizationId: string, name: string) =>
  teams.list(db, { organizationId, name }, { limit: 2 })

/** At most 1000 teams of a user, oldest first, in one organization. If no organization is given, in all. */
export const listTeamsOfUser = async (db: Db, userId: string, organizationId?: string): Promise<TeamRow[]> => {
  const query = db
    .knex('member as m')
    .join('team_member as p', { 'p.organization_id': 'm.organization_id', 'p.user_id': 'm.user_id' })
    .join('team as t', { 't.organization_id': 'p.organization_id', 't.id': 'p.team_id' })
    .where('m.user_id', userId)
    .orderBy(['t.created_at', 't.id'])
    .limit(1000)
    .select('t.*')
  if (organizationId !== undefined) query.where('m.organization_id', organizationId)
  return ((await query) as Record<string, unknown>[]).map((row) => teams.decode(row))
}

export const countTeams = async (db: Db, organizationId: string): Promise<number> => {
  const [row] = await db.knex('team').where({ organization_id: organizationId }).count({ count: '*' })
  return Number(row?.['count'])
}

export const insertTeamMember = (tx: Tx, row: TeamMemberRow) => teamMembers.insert(tx, row)
export const findTeamMember = (db: Db, teamId: string, userId: string) => teamMembers.find(db, { teamId, userId })
/** Removes a user from a team. False if the user is not in the team. */
export const deleteTeamMember = async (tx: Tx, organizationId: string, teamId: string, userId: string) =>
  (await teamMembers.delete(tx, { organizationId, teamId, userId })) === 1

/** Finds a user's membership of a team, and locks it until the transaction ends. */
export const lockTeamMember = async (tx: Tx, teamId: string, userId: string): Promise<TeamMemberRow | undefined> => {
  const place = await findTeamMember(tx, teamId, userId)
  if (place === undefined) return undefined
  await lockRow(tx, 'team_member', place.id)
  return findTeamMember(tx, teamId, userId)
}

export const countTeamMembers = async (db: Db, teamId: string): Promise<number> => {
  const [row] = await db.knex('team_member').where({ team_id: teamId }).count({ count: '*' })
  return Number(row?.['count'])
}

/** The members of a team, in the order in which they joined. */
export const listTeamMembers = async (
  db: Db,
  organizationId: string,
  teamId: string,
  limit: number,
  offset: number,
): Promise<TeamMemberRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('team_member')
    .where({ organization_id: organizationId, team_id: teamId })
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .offset(offset)
  return rows.map((row) => teamMembers.decode(row))
}

export const ownTeams = personalRows(teamMembers, { name: 'teams', fields: ['id', 'organizationId', 'teamId', 'createdAt'] })

export interface CountedTeam extends TeamRow {
  readonly memberCount: number
}

export interface ListedTeamMember extends TeamMemberRow {
  readonly user: { readonly id: string; readonly name: string; readonly email: string; readonly image: string | null }
}

const placeOf = ({ createdAt, id }: { readonly createdAt: Date; readonly id: string }): Position => ({
  value: createdAt.getTime(),
  id,
})

/** A page of an organization's teams, each with the number of its members. */
export const pageOfTeams = async (
  db: Db,
  organizationId: string,
  { order, limit, after, isCounted }: Cursor,
): Promise<PlacedRows<CountedTeam>> => {
  const query = db
    .knex('team as x')
    .where('x.organization_id', organizationId)
    .select([...teams.namesOf('x'), db.knex.raw('(select count(*) from team_member m where m.team_id = x.id) as member_count')])
  const page = { columns: ['x.created_at', 'x.id'], order, limit, after: timeAfter(after), isCounted } as const
  const { rows, total } = await readCounted(db, query, page, teams.name)
  const found = rows.map((raw) => {
    const row = { ...teams.decode(raw), memberCount: Number(raw['member_count']) }
    return { row, position: placeOf(row) }
  })
  return { found, lookedTo: undefined, total: total ?? undefined }
}

/** A page of the members of a team, with their names and email addresses. */
export const pageOfTeamMembers = async (
  db: Db,
  teamId: string,
  { order, limit, after, isCounted }: Cursor,
): Promise<PlacedRows<ListedTeamMember>> => {
  const { rows, lookedTo, total } = await readWindow(db, {
    isCounted,
    from: 'team_member',
    columns: ['created_at', 'id'],
    select: teamMembers.names,
    order,
    limit,
    after: timeAfter(after),
    where: (query) => query.where('x.team_id', teamId),
    rest: (query) => {
      joinOne(query, db, { table: 'user', as: 'u', key: 'id', of: 'c.user_id' })
      query.select([...teamMembers.namesOf('c'), ...userNames.namesOf('u', 'user_')])
    },
  })
  const found = rows.map((raw) => {
    const row = teamMembers.decode(raw)
    return { row: { ...row, user: { id: row.userId, ...userNames.decode(raw, 'user_') } }, position: placeOf(row) }
  })
  return { found, lookedTo: lookedTo && placeOf(teamMembers.decode(lookedTo)), total }
}
