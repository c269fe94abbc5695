import type { Knex } from 'knex'
import { type Total, totalOf } from '../../core/db/count.ts'
import type { Db, RawRow } from '../../core/db/database.ts'
import { joinOne, type Keyset, readCounted, readPage, readWindow } from '../../core/db/keyset.ts'
import { type SearchedRows, searchRows } from '../../core/db/search-page.ts'
import { type Cursor, type PlacedRows, type Position, textAfter, timeAfter } from '../../core/page.ts'
import { userAddresses, userNames } from '../../identity/users/table.ts'
import type { InvitationRow, InvitationStatus } from '../invitations/store.ts'
import { invitations } from '../invitations/store.ts'
import { members } from '../members/store.ts'
import { type ListedOrganization, listed, organizationNames, organizationTerms } from '../store.ts'

export interface OrganizationFilter {
  readonly createdSince?: Date | undefined
  readonly createdUntil?: Date | undefined
}
export type OrganizationSort = 'createdAt' | 'name' | 'slug'

const sortColumns = { createdAt: 'created_at', name: 'name', slug: 'slug' } as const

const columnsOf = (alias: string, db: Db) => [
  ...listed.namesOf(alias),
  db.knex.raw('(select count(*) from member m where m.organization_id = ??) as member_count', [`${alias}.id`]),
]

const toListed = (raw: RawRow): ListedOrganization => ({ ...listed.decode(raw), memberCount: Number(raw['member_count']) })

const between = (query: Knex.QueryBuilder, alias: string, { createdSince, createdUntil }: OrganizationFilter) => {
  if (createdSince !== undefined) query.where(`${alias}.created_at`, '>=', createdSince)
  if (createdUntil !== undefined) query.where(`${alias}.created_at`, '<', createdUntil)
}

const isWhole = ({ createdSince, createdUntil }: OrganizationFilter) => createdSince === undefined && createdUntil === undefined

/** A page of all organizations, in one of the orders that a caller can choose. */
export const pageOfOrganizations = async (
  db: Db,
  filter: OrganizationFilter,
  { sort, order, limit, after }: Cursor<OrganizationSort>,
): Promise<PlacedRows<ListedOrganization>> => {
  const keyset: Keyset = {
    ...{ columns: [`x.${sortColumns[sort]}`, 'x.id'], order, limit },
    after: sort === 'createdAt' ? timeAfter(after) : textAfter(after),
  }
  const query = db.knex('organization as x').select(columnsOf('x', db))
  between(query, 'x', filter)
  const rows: RawRow[] = await readPage(query, keyset)
  const found = rows.map((raw) => {
    const row = toListed(raw)
    return { row, position: { value: sort === 'createdAt' ? row.createdAt.getTime() : row[sort], id: row.id } }
  })
  return { found, lookedTo: undefined }
}

/** The number of organizations in a list or search. */
export const totalOfOrganizations = (db: Db, filter: OrganizationFilter, words?: readonly string[]): Promise<Total> => {
  if (words === undefined) {
    const query = db.knex('organization as x')
    between(query, 'x', filter)
    return totalOf(db, query, isWhole(filter) ? 'organization' : undefined)
  }
  return organizationTerms.texts.total(db, words, (query) => {
    if (isWhole(filter)) return
    joinOne(query, db, { table: 'organization', as: 'o', key: 'id', of: 't.organization_id' })
    between(query, 'o', filter)
  })
}

/** One page of the organizations in which all words are found. */
export const searchOrganizations = (
  db: Db,
  words: readonly string[],
  filter: OrganizationFilter,
  page: Pick<Cursor, 'limit' | 'after'>,
): Promise<PlacedRows<ListedOrganization>> => {
  const byTime = (query: Knex.QueryBuilder, alias: string) => between(query, alias, filter)
  const searched: SearchedRows<ListedOrganization> = {
    ...{ table: 'organization', terms: organizationTerms, columnsOf: (alias) => columnsOf(alias, db), decode: toListed },
    ...{ isWhole: isWhole(filter), filter: byTime, indexed: byTime },
  }
  return searchRows(db, words, searched, page)
}

export interface ListedMember extends ReturnType<typeof members.decode> {
  readonly user: { readonly id: string; readonly name: string; readonly email: string; readonly image: string | null }
}

const timePlace = (raw: RawRow): Position => {
  const { createdAt, id } = members.decode(raw)
  return { value: createdAt.getTime(), id }
}

/** A page of the members of an organization, with their names and email addresses. */
export const pageOfMembers = async (
  db: Db,
  organizationId: string,
  role: string | undefined,
  { order, limit, after, isCounted }: Cursor,
): Promise<PlacedRows<ListedMember>> => {
  const { rows, lookedTo, total } = await readWindow(db, {
    isCounted,
    from: 'member',
    columns: ['created_at', 'id'],
    select: members.names,
    order,
    limit,
    after: timeAfter(after),
    where: (query) => query.where('x.organization_id', organizationId),
    rest: (query) => {
      joinOne(query, db, { table: 'user', as: 'u', key: 'id', of: 'c.user_id' })
      query.select([...members.namesOf('c'), ...userNames.namesOf('u', 'user_')])
      if (role !== undefined)
        query.whereRaw(
          '(select count(*) from member_role r where r.organization_id = c.organization_id and r.user_id = c.user_id and r.role = ?) > 0',
          [role],
        )
    },
  })
  const found = rows.map((raw) => {
    const row = members.decode(raw)
    return { row: { ...row, user: { id: row.userId, ...userNames.decode(raw, 'user_') } }, position: timePlace(raw) }
  })
  return { found, lookedTo: lookedTo && timePlace(lookedTo), total }
}

const invitationPlace = (raw: RawRow): Position => {
  const { createdAt, id } = invitations.decode(raw)
  return { value: createdAt.getTime(), id }
}

export interface InvitationFilter {
  readonly id?: string | undefined
  readonly email?: string | undefined
  readonly organizationId?: string | undefined
  readonly inviterId?: string | undefined
  readonly status?: InvitationStatus | 'expired' | undefined
}

const inviters = userAddresses.optional()

export interface ListedInvitation extends InvitationRow {
  readonly organizationName: string
  readonly organizationSlug: string
  readonly inviter: { readonly id: string; readonly name: string; readonly email: string } | null
}

/** A page of the invitations of one organization or of all. Each has the names of its organization and inviter. */
export const pageOfInvitations = async (
  db: Db,
  { status, ...filter }: InvitationFilter,
  now: Date,
  { order, limit, after, isCounted }: Cursor,
): Promise<PlacedRows<ListedInvitation>> => {
  const stored = status === 'expired' ? 'pending' : status
  // The filter that matches the fewest rows comes first, because the index of the first filter is used.
  const given = Object.entries({
    ...{
      id: filter.id,
      email: filter.email,
      organization_id: filter.organizationId,
      inviter_id: filter.inviterId,
      status: stored,
    },
  }).filter((one): one is [string, string] => one[1] !== undefined)
  const { rows, lookedTo, total } = await readWindow(db, {
    isCounted,
    from: 'invitation',
    columns: ['created_at', 'id'],
    select: invitations.names,
    order,
    limit,
    after: timeAfter(after),
    where: (query) => {
      for (const [column, value] of given.slice(0, 1)) query.where(`x.${column}`, value)
    },
    rest: (query) => {
      joinOne(query, db, { table: 'organization', as: 'o', key: 'id', of: 'c.organization_id' })
      joinOne(query, db, { table: 'user', as: 'u', key: 'id', of: 'c.inviter_id', left: true })
      query.select([
        ...invitations.namesOf('c'),
        ...organizationNames.namesOf('o', 'organization_'),
        ...inviters.namesOf('u', 'inviter_'),
      ])
      for (const [column, value] of given) query.where(`c.${column}`, value)
      if (stored === 'pending') query.where('c.expires_at', status === 'expired' ? '<=' : '>', now)
    },
  })
  const found = rows.map((raw) => {
    const row = invitations.decode(raw)
    const { name, email } = inviters.decode(raw, 'inviter_')
    const inviter = row.inviterId === null || name === null || email === null ? null : { id: row.inviterId, name, email }
    const { name: organizationName, slug: organizationSlug } = organizationNames.decode(raw, 'organization_')
    return { row: { ...row, organizationName, organizationSlug, inviter }, position: invitationPlace(raw) }
  })
  return { found, lookedTo: lookedTo && invitationPlace(lookedTo), total }
}

const memberships = members.pick('id', 'role', 'createdAt')

export interface ListedMembership extends Omit<ListedOrganization, 'memberCount'> {
  readonly memberId: string
  readonly role: string
  readonly joinedAt: Date
}

/** A page of the organizations of a user, with the roles of the user in each. */
export const pageOfMemberships = async (
  db: Db,
  userId: string,
  { order, limit, after, isCounted }: Cursor,
): Promise<PlacedRows<ListedMembership>> => {
  const query = db
    .knex('member as x')
    .join('organization as o', 'o.id', 'x.organization_id')
    .where('x.user_id', userId)
    .select([...listed.namesOf('o'), ...memberships.namesOf('x', 'member_')])
  const page = { columns: ['x.created_at', 'x.id'], order, limit, after: timeAfter(after), isCounted } as const
  const { rows, total } = await readCounted(db, query, page, 'member')
  const found = rows.map((raw) => {
    const { id: memberId, role, createdAt: joinedAt } = memberships.decode(raw, 'member_')
    return { row: { ...listed.decode(raw), memberId, role, joinedAt }, position: { value: joinedAt.getTime(), id: memberId } }
  })
  return { found, lookedTo: undefined, total: total ?? undefined }
}
