import type { Knex } from 'knex'
import type { Ban } from '../../access/ban.ts'
import {
  type Db,
  isPostgres,
  preparedSelect,
  type RawRow,
  readPrepared,
  type SelectedColumn,
  selectList,
  type Tx,
} from '../../core/db/database.ts'
import { personalRows } from '../../core/db/personal-rows.ts'
import { nullable, type Row, table, text, time } from '../../core/db/table.ts'
import { userBans, userNames } from '../../identity/users/table.ts'
import { splitRoles } from '../rules.ts'
import { contains, isNamed, type OrganizationName, type OrganizationRow, organizations, readPage } from '../store.ts'

const columns = { id: text, organizationId: text, userId: text, role: text, createdAt: time }
export const members = table('member', columns)
const named = organizations.pick('id', 'slug', 'name')
const roles = table('member_role', { organizationId: text, userId: text, role: text })
export type MemberRow = Row<typeof columns>

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** A member as other members see them: with name and email address, and with the team that the member joined first. */
export interface MemberWithUser extends MemberRow {
  readonly teamId: string | null
  readonly user: { readonly id: string; readonly name: string; readonly email: string; readonly image: string | null }
}

export const listUserIds = (db: Db, organizationId: string): Promise<string[]> =>
  db.knex(members.name).where({ organization_id: organizationId }).orderBy('id').pluck('user_id')

export const findMembership = (db: Db, organizationId: string, userId: string) => members.find(db, { organizationId, userId })

/** Reads a membership together with the ban of its user, in one statement. */
export const findWithBan = async (db: Db, organizationId: string, userId: string): Promise<(MemberRow & Ban) | undefined> => {
  const row: RawRow | undefined = await db
    .knex('member as m')
    .join('user as u', 'u.id', 'm.user_id')
    .where({ 'm.organization_id': organizationId, 'm.user_id': userId })
    .first('m.*', ...userBans.namesOf('u'))
  return row && { ...members.decode(row), ...userBans.decode(row) }
}

/** Inserts the rows of `member_role`. They contain the same roles as the column `member.role`, and only this store writes them. */
const insertRoles = (tx: Tx, { organizationId, userId, role }: MemberRow) =>
  tx.knex('member_role').insert(Array.from(splitRoles(role), (one) => roles.encode({ organizationId, userId, role: one })))

export const insertMember = async (tx: Tx, row: MemberRow): Promise<void> => {
  await members.insert(tx, row)
  await insertRoles(tx, row)
}
/** Changes the roles of a member. False if the organization has no such member. */
export const updateRole = async (tx: Tx, member: MemberRow): Promise<boolean> => {
  const { organizationId, id, userId, role } = member
  if (!(await members.updateOne(tx, { organizationId, id }, { role }))) return false
  await roles.delete(tx, { organizationId, userId })
  await insertRoles(tx, member)
  return true
}
/** Deletes a member together with their roles and team memberships. False if the organization has no such member. */
export const deleteMember = async (tx: Tx, organizationId: string, id: string) =>
  (await members.delete(tx, { organizationId, id })) === 1

export const countMembers = async (db: Db, organizationId: string): Promise<number> => {
  const counted = await db.knex('member').where({ organization_id: organizationId }).count('* as total').first()
  return Number(counted?.['total'])
}

/** The number of members of an organization, and whether this user is one of them. */
export const countMembersWith = async (
  db: Db,
  organizationId: string,
  userId: string,
): Promise<{ count: number; isMember: boolean }> => {
  const own = db.knex.raw('sum(case when user_id = ? then 1 else 0 end) as own', [userId])
  const counted = await db.knex('member').where({ organization_id: organizationId }).count('* as total').select(own).first()
  return { count: Number(counted?.['total']), isMember: Number(counted?.['own'] ?? 0) > 0 }
}

/** A membership, together with its organization. */
export interface OwnRow {
  readonly organization: OrganizationRow
  readonly member: MemberRow
}

const ownColumns = [...organizations.columnsOf('o', 'o_'), ...members.columnsOf('m', 'm_')]

const ownRows = (db: Db, userId: string): Knex.QueryBuilder =>
  db
    .knex('member as m')
    .join('organization as o', 'o.id', 'm.organization_id')
    .where('m.user_id', userId)
    .select(db.knex.raw(selectList(ownColumns)))

const toOwn = (raw: RawRow): OwnRow => ({
  organization: organizations.decode(raw, 'o_'),
  member: members.decode(raw, 'm_'),
})

const ownBy = (name: OrganizationName) => {
  const { key, sql, values } = isNamed(name)
  const rest = `from member m join organization o on o.id = m.organization_id where m.user_id = ? and ${sql}`
  return { name: `member_own_by_${key}`, rest, values }
}

/**
 * Reads a user's membership together with the organization. It takes one statement, because nearly every call about an organization
 * begins with this read.
 */
export const findOwn = async (db: Db, userId: string, name: OrganizationName): Promise<OwnRow | undefined> => {
  const { name: by, rest, values } = ownBy(name)
  const [raw] = await readPrepared(db, preparedSelect(by, ownColumns, rest), [userId, ...values])
  return raw === undefined ? undefined : toOwn(raw)
}

/** Reads a membership as `findOwn` does, and locks it until the transaction ends. */
export const lockOwn = async (tx: Tx, userId: string, name: OrganizationName): Promise<OwnRow | undefined> => {
  const { name: by, rest, values } = ownBy(name)
  // The organization is locked before the membership, as when an organization is deleted. Activating an organization in a session locks
  // it, too (foreign key).
  const lock = isPostgres(tx) ? ' for key share of o for update of m' : ''
  const [raw] = await readPrepared(tx, preparedSelect(`${by}_locked`, ownColumns, rest + lock), [userId, ...values])
  return raw === undefined ? undefined : toOwn(raw)
}

/**
 * The memberships of a user with their organizations, oldest first. A page may have fewer rows than its limit although another page
 * follows (see `readPage`).
 */
export const listOwn = async (db: Db, userId: string, page: Page): Promise<OwnRow[]> => {
  const rows = await readPage(page, (limit, offset) =>
    ownRows(db, userId).orderBy(['m.created_at', 'm.id']).limit(limit).offset(offset),
  )
  return rows.map(toOwn)
}

/**
 * True if nobody but this user has the role in the organization. If no organization is given: true if this holds for any organization of
 * the user.
 */
export const isOnlyWithRole = async (db: Db, userId: string, role: string, organizationId?: string): Promise<boolean> => {
  const query = db
    .knex('member_role as r')
    .where({ 'r.user_id': userId, 'r.role': role })
    .whereNotExists((others) =>
      others
        .from('member_role as other')
        .select('other.user_id')
        .whereRaw('other.organization_id = r.organization_id and other.role = r.role and other.user_id <> r.user_id'),
    )
  if (organizationId !== undefined) query.where('r.organization_id', organizationId)
  return (await query.first('r.user_id')) !== undefined
}

/** At most `limit` organizations in which only this user has the role, sorted by name. */
export const listOnlyWithRole = async (db: Db, userId: string, role: string, limit: number) => {
  const rows: Record<string, unknown>[] = await db
    .knex('member_role as r')
    .join('organization as o', 'o.id', 'r.organization_id')
    .where({ 'r.user_id': userId, 'r.role': role })
    .whereNotExists((others) =>
      others
        .from('member_role as other')
        .select('other.user_id')
        .whereRaw('other.organization_id = r.organization_id and other.role = r.role and other.user_id <> r.user_id'),
    )
    .orderBy('o.name')
    .limit(limit)
    .select(named.namesOf('o'))
  return rows.map((row) => named.decode(row))
}

/** True if the organization has a member with this role whose email address is verified. */
export const hasVerifiedWithRole = async (db: Db, organizationId: string, role: string): Promise<boolean> =>
  (await db
    .knex('member_role as r')
    .join('user as u', 'u.id', 'r.user_id')
    .where({ 'r.organization_id': organizationId, 'r.role': role, 'u.email_verified': true })
    .first('r.user_id')) !== undefined

/** The number of organizations in which the user has the role. */
export const countWithRole = async (db: Db, userId: string, role: string): Promise<number> => {
  const counted = await db.knex('member_role').where({ user_id: userId, role }).count('* as total').first()
  return Number(counted?.['total'])
}

export interface MemberFilter {
  readonly search?: string | undefined
  readonly role?: string | undefined
  readonly userId?: string | undefined
  readonly teamId?: string | undefined
}

const sortColumns = { createdAt: 'm.created_at', role: 'm.role', name: 'u.name', email: 'u.email' } as const

/** The SQL that joins the team memberships (alias `t`) of a member (alias `m`). */
const placesOfMember = 'team_member t where t.organization_id = m.organization_id and t.user_id = m.user_id'

export interface MemberOrder {
  readonly sortBy: keyof typeof sortColumns
  readonly sortDirection: 'asc' | 'desc'
}

type Condition = readonly [sql: string, ...values: readonly string[]]

/** SQL conditions on a member (alias `m`) and on the member's user (alias `u`). */
const conditions = {
  id: (id: string): Condition => ['m.id = ?', id],
  userId: (id: string): Condition => ['m.user_id = ?', id],
  email: (email: string): Condition => ['u.email = ?', email],
  role: (role: string): Condition => [
    'exists (select 1 from member_role r where r.organization_id = m.organization_id and r.role = ? and r.user_id = m.user_id)',
    role,
  ],
  search: (part: string): Condition => {
    const [sql, values] = contains(['u.name', 'u.email'], part)
    return [sql, ...values]
  },
  teamId: (id: string): Condition => [`exists (select t.id from ${placesOfMember} and t.team_id = ?)`, id],
}
type Conditions = { readonly [K in keyof typeof conditions]?: string | undefined }

/** The columns of a member when the organization is already known. `readMembers` adds name, email address and team. */
const ofOne = members.pick('id', 'userId', 'role', 'createdAt')
const wholeColumns = [
  ...ofOne.columnsOf('m', ''),
  ...userNames.columnsOf('u', ''),
  { sql: `(select t.team_id from ${placesOfMember} order by t.created_at, t.id limit 1)`, name: 'team_id' },
]

const total = [{ sql: 'count(*)', name: 'total' }]

const usersOfMembers = 'join "user" u on u.id = m.user_id'
/**
 * The SQL that joins the user to each member on PostgreSQL. It looks up the users one by one. The plan of the statement is used for all
 * organizations, and expects an average number of members. With a plain join, PostgreSQL would compare each member of a large
 * organization with all users.
 */
const usersOneByOne = 'cross join lateral (select name, email, image from "user" where id = m.user_id limit 1) u'

/** Conditions that match at most one member. With such a condition, the best plan is the same for every organization. */
const isOfOne: ReadonlySet<keyof Conditions> = new Set(['id', 'userId', 'email'])

/**
 * Reads the members of an organization that meet all conditions. Each combination of conditions has a prepared statement of its own:
 * building the text costs as much as running it, and planning it costs four times as much. For some combinations the best plan depends on
 * the number of members. For others one plan is the best for all organizations: without conditions, and in the order of an index.
 */
const readMembers = (
  db: Db,
  organizationId: string,
  given: Conditions,
  what: {
    readonly name: string
    readonly columns: readonly SelectedColumn[]
    readonly rest: string
    readonly values: readonly number[]
    readonly order: 'index' | 'other' | 'none'
  },
): Promise<RawRow[]> => {
  const applied = (Object.keys(conditions) as (keyof Conditions)[]).flatMap((key) => {
    const value = given[key]
    return value === undefined ? [] : [{ key, condition: conditions[key](value) }]
  })
  const name = [what.name, ...applied.map(({ key }) => key)].join('_')
  const where = ['m.organization_id = ?', ...applied.map(({ condition: [sql] }) => sql)].join(' and ')
  const users = applied.length === 0 && what.order === 'index' && isPostgres(db) ? usersOneByOne : usersOfMembers
  const read = preparedSelect(name, what.columns, `from member m ${users} where ${where} ${what.rest}`)
  const values = applied.flatMap(({ condition: [, ...values] }) => values)
  const isOnePlan = applied.length === 0 ? what.order !== 'other' : applied.some(({ key }) => isOfOne.has(key))
  return readPrepared(db, isOnePlan ? read : { ...read, hasPlanCacheDisabled: true }, [organizationId, ...values, ...what.values])
}

const toMember = (organizationId: string, raw: RawRow): MemberWithUser => {
  const { id, userId, role, createdAt } = ofOne.decode(raw)
  const teamId = nullable(text).decode(raw['team_id'])
  return { id, organizationId, userId, role, teamId, createdAt, user: { id: userId, ...userNames.decode(raw) } }
}

export const listMembers = async (
  db: Db,
  organizationId: string,
  { limit, offset, sortBy, sortDirection, ...filter }: MemberFilter & MemberOrder & Page,
): Promise<MemberWithUser[]> => {
  const rows = await readMembers(db, organizationId, filter, {
    name: `members_by_${sortBy}_${sortDirection}`,
    columns: wholeColumns,
    rest: `order by ${sortColumns[sortBy]} ${sortDirection}, m.id ${sortDirection} limit ? offset ?`,
    values: [limit, offset],
    order: sortBy === 'createdAt' ? 'index' : 'other',
  })
  return rows.map((raw) => toMember(organizationId, raw))
}

/** A page of members, and the number of all members. A statement counts them only if the number does not follow from the page. */
export const pageOfMembers = async (
  db: Db,
  organizationId: string,
  query: MemberFilter & MemberOrder & Page,
): Promise<{ readonly members: MemberWithUser[]; readonly total: number }> => {
  const { limit, offset } = query
  const members = await listMembers(db, organizationId, { ...query, limit: limit + 1 })
  const isLast = members.length <= limit && (members.length > 0 || offset === 0)
  if (isLast) return { members, total: offset + members.length }
  const [counted] = await readMembers(db, organizationId, query, {
    name: 'members_count',
    columns: total,
    rest: '',
    values: [],
    order: 'none',
  })
  return { members: members.slice(0, limit), total: Number(counted?.['total']) }
}

/** Finds a member by member id, by user id, or by email address in lower case. */
export const findMember = async (
  db: Db,
  organizationId: string,
  by: { readonly id: string } | { readonly email: string } | { readonly userId: string },
): Promise<MemberWithUser | undefined> => {
  const [raw] = await readMembers(db, organizationId, by, {
    ...{ name: 'member_whole', columns: wholeColumns, rest: '', values: [], order: 'none' },
  })
  return raw === undefined ? undefined : toMember(organizationId, raw)
}

/** Reads a membership together with the ids of the user's teams, in the order in which the user joined them. It takes one statement. */
export const findWithTeams = async (
  db: Db,
  userId: string,
  name: OrganizationName,
): Promise<(OwnRow & { readonly teamIds: readonly string[] }) | undefined> => {
  const { sql, values } = isNamed(name)
  const rows: Record<string, unknown>[] = await ownRows(db, userId)
    .whereRaw(sql, values)
    .leftJoin('team_member as t', (both) => both.on('t.organization_id', 'm.organization_id').andOn('t.user_id', 'm.user_id'))
    .orderBy(['t.created_at', 't.id'])
    .select('t.team_id')
  const [first] = rows
  if (first === undefined) return undefined
  return { ...toOwn(first), teamIds: rows.flatMap(({ team_id: id }) => (typeof id === 'string' ? [id] : [])) }
}

/** Those of the given users who are members of the organization. */
export const listAmong = async (db: Db, organizationId: string, userIds: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set(
    userIds.length === 0
      ? []
      : await db
          .knex('member')
          .where({ organization_id: organizationId })
          .whereIn('user_id', [...new Set(userIds)])
          .pluck('user_id'),
  )

export const ownMemberships = personalRows(members, {
  name: 'memberships',
  fields: ['id', 'organizationId', 'role', 'createdAt'],
})
