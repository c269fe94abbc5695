import type { Knex } from 'knex'
import { type Db, isPostgres, type Tx } from '../../core/database.ts'
import { nullable, type Row, table, text, time } from '../../core/table.ts'
import { containing, isNamed, type OrganizationName, type OrganizationRow, organizations } from '../store.ts'

const columns = { id: text, organizationId: text, userId: text, role: text, createdAt: time }
const members = table('member', columns)
export type MemberRow = Row<typeof columns>

const people = table('user', { id: text, name: text, email: text, image: nullable(text) })

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** A member as others see them: with the team they joined first, and who they are. */
export interface MemberWithUser extends MemberRow {
  readonly teamId: string | null
  readonly user: ReturnType<typeof people.decode>
}

export const findMembership = (db: Db, organizationId: string, userId: string) => members.find(db, { organizationId, userId })
export const insertMember = (tx: Tx, row: MemberRow) => members.insert(tx, row)
/** False when the member is gone, or another organization's. */
export const updateRole = (tx: Tx, { organizationId, id, role }: MemberRow) =>
  members.updateOne(tx, { organizationId, id }, { role })
/** Leaves the teams too. False when the member was gone, or is another organization's. */
export const deleteMember = async (tx: Tx, organizationId: string, id: string) =>
  (await members.delete(tx, { organizationId, id })) === 1

export const countMembers = async (db: Db, organizationId: string): Promise<number> => {
  const counted = await db.knex('member').where({ organization_id: organizationId }).count('* as total').first()
  return Number(counted?.['total'])
}

/** A membership with its organization. */
export interface OwnRow {
  readonly organization: OrganizationRow
  readonly member: MemberRow
}

const ownRows = (db: Db, userId: string): Knex.QueryBuilder =>
  db
    .knex('member as m')
    .join('organization as o', 'o.id', 'm.organization_id')
    .where('m.user_id', userId)
    .select(db.knex.raw(organizations.select('o', 'o_')), db.knex.raw(members.select('m', 'm_')))

const toOwn = (raw: Record<string, unknown>): OwnRow => ({
  organization: organizations.decode(raw, 'o_'),
  member: members.decode(raw, 'm_'),
})

/** A user's membership in an organization, with it. In one read. */
export const findOwn = async (db: Db, userId: string, name: OrganizationName): Promise<OwnRow | undefined> => {
  const raw: Record<string, unknown> | undefined = await ownRows(db, userId).where(isNamed(db, name)).first()
  return raw === undefined ? undefined : toOwn(raw)
}

/** The same; nobody can end the membership before the transaction does. */
export const lockOwn = async (tx: Tx, userId: string, name: OrganizationName): Promise<OwnRow | undefined> => {
  const query = ownRows(tx, userId).where(isNamed(tx, name)).first()
  const raw: Record<string, unknown> | undefined = await (isPostgres(tx) ? query.forUpdate('m') : query)
  return raw === undefined ? undefined : toOwn(raw)
}

/** Memberships of a user with their organizations, oldest first. */
export const listOwn = async (db: Db, userId: string, page: Page): Promise<OwnRow[]> => {
  const rows: Record<string, unknown>[] = await ownRows(db, userId)
    .orderBy(['m.created_at', 'm.id'])
    .limit(page.limit)
    .offset(page.offset)
  return rows.map(toOwn)
}

/** Where the member `alias` has the role, one of several or alone. */
const hasRole = (db: Db, alias: string, role: string) =>
  db.knex.raw(`',' || ${alias}.role || ',' like ? escape '!'`, [`%,${role.replaceAll('_', '!_')},%`])

/** True when the user alone has the role in the organization, or, when none is named, in any. */
export const isOnlyHolder = async (db: Db, userId: string, role: string, organizationId?: string): Promise<boolean> => {
  const query = db
    .knex('member as m')
    .where('m.user_id', userId)
    .where(hasRole(db, 'm', role))
    .whereNotExists((others) =>
      others
        .from('member as other')
        .select('other.id')
        .whereRaw('other.organization_id = m.organization_id and other.user_id <> m.user_id')
        .where(hasRole(db, 'other', role)),
    )
  if (organizationId !== undefined) query.where('m.organization_id', organizationId)
  return (await query.first('m.id')) !== undefined
}

/** In how many organizations the user has the role. */
export const countHeld = async (db: Db, userId: string, role: string): Promise<number> => {
  const counted = await db
    .knex('member as m')
    .where('m.user_id', userId)
    .where(hasRole(db, 'm', role))
    .count('* as total')
    .first()
  return Number(counted?.['total'])
}

export interface MemberFilter {
  readonly search?: string | undefined
  readonly role?: string | undefined
  readonly userId?: string | undefined
  readonly teamId?: string | undefined
}

const sortColumns = { createdAt: 'm.created_at', role: 'm.role', name: 'u.name', email: 'u.email' } as const

export interface MemberOrder {
  readonly sortBy: keyof typeof sortColumns
  readonly sortDirection: 'asc' | 'desc'
}

/** Members `m` of one organization; with their users `u` where these are looked at. */
const filtered = (
  db: Db,
  organizationId: string,
  { search, role, userId, teamId }: MemberFilter,
  withUsers = search !== undefined,
): Knex.QueryBuilder => {
  const query = db.knex('member as m').where('m.organization_id', organizationId)
  if (withUsers) query.join('user as u', 'u.id', 'm.user_id')
  if (userId !== undefined) query.where('m.user_id', userId)
  if (role !== undefined) query.where(hasRole(db, 'm', role))
  if (search !== undefined)
    query.where((either) => {
      for (const column of ['u.name', 'u.email']) either.orWhereRaw(`lower(${column}) like ? escape '!'`, [containing(search)])
    })
  if (teamId !== undefined)
    query.whereExists((inTeam) =>
      inTeam
        .from('team_member as t')
        .select('t.id')
        .whereRaw('t.organization_id = m.organization_id and t.user_id = m.user_id and t.team_id = ?', [teamId]),
    )
  return query
}

const firstTeam =
  '(select t.team_id from team_member t where t.organization_id = m.organization_id and t.user_id = m.user_id ' +
  'order by t.created_at, t.id limit 1) as team_id'

const withUser = (db: Db, query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.select(db.knex.raw(`${members.select('m', 'm_')}, ${people.select('u', 'u_')}, ${firstTeam}`))

const toMember = (raw: Record<string, unknown>): MemberWithUser => ({
  ...members.decode(raw, 'm_'),
  teamId: nullable(text).decode(raw['team_id']),
  user: people.decode(raw, 'u_'),
})

export const listMembers = async (
  db: Db,
  organizationId: string,
  { limit, offset, sortBy, sortDirection, ...filter }: MemberFilter & MemberOrder & Page,
): Promise<MemberWithUser[]> => {
  const query = withUser(db, filtered(db, organizationId, filter, true))
    .orderBy([
      { column: sortColumns[sortBy], order: sortDirection },
      { column: 'm.id', order: sortDirection },
    ])
    .limit(limit)
    .offset(offset)
  return ((await query) as Record<string, unknown>[]).map(toMember)
}

export const countFiltered = async (db: Db, organizationId: string, filter: MemberFilter): Promise<number> => {
  const counted = await filtered(db, organizationId, filter).count('* as total').first()
  return Number(counted?.['total'])
}

/** A member of the organization by member id, lower-cased address or user id. */
export const findMember = async (
  db: Db,
  organizationId: string,
  by: { readonly 'm.id': string } | { readonly 'u.email': string } | { readonly 'm.user_id': string },
): Promise<MemberWithUser | undefined> => {
  const raw: Record<string, unknown> | undefined = await withUser(db, filtered(db, organizationId, {}, true).where(by)).first()
  return raw === undefined ? undefined : toMember(raw)
}

/** A membership with the ids of the teams the user is in, those joined first first. In one read. */
export const findWithTeams = async (
  db: Db,
  userId: string,
  name: OrganizationName,
): Promise<(OwnRow & { readonly teamIds: readonly string[] }) | undefined> => {
  const rows: Record<string, unknown>[] = await ownRows(db, userId)
    .where(isNamed(db, name))
    .leftJoin('team_member as t', (both) => both.on('t.organization_id', 'm.organization_id').andOn('t.user_id', 'm.user_id'))
    .orderBy(['t.created_at', 't.id'])
    .select('t.team_id')
  const [first] = rows
  if (first === undefined) return undefined
  return { ...toOwn(first), teamIds: rows.flatMap(({ team_id: id }) => (typeof id === 'string' ? [id] : [])) }
}
