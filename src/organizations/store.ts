import type { z } from 'zod'
import { type Db, isPostgres, lockRow, type RawRow, type Tx } from '../core/db/database.ts'
import { searchTerms, termsOfName } from '../core/db/search.ts'
import { bool, document, listNamesOf, nullable, type Row, table, text, time } from '../core/db/table.ts'
import { recordOf } from '../core/stored-json.ts'

/** Accepts any JSON without checking it, because nearly every call about an organization reads this text, which may have 16 kB. */
const isJson = (value: unknown): value is z.core.util.JSONType => value !== undefined

const columns = {
  id: text,
  name: text,
  slug: text,
  logo: nullable(text),
  metadata: nullable(document(() => recordOf(isJson))),
  createdAt: time,
  /** True if members have to use two factors to act for the organization. */
  requiresSecondFactor: bool,
}
export const organizations = table('organization', columns)
export type OrganizationRow = Row<typeof columns>

/** Names of organizations, by id. */
export const listOrganizationNames = listNamesOf(organizations)

/** How a caller names an organization. If the text may be an id or a slug, both fields contain it. */
export interface OrganizationName {
  readonly id?: string
  readonly slug?: string
}

/**
 * An SQL condition for the organization (alias `o`) with this id or slug. If one organization has the id and another one the slug, the
 * condition matches the one with the id. The result also contains the values, and a name for the prepared statement.
 */
export const isNamed = ({ id, slug = '' }: OrganizationName) => {
  const lowered = slug.toLowerCase()
  if (slug === '') return { key: 'id', sql: 'o.id = ?', values: [id ?? null] }
  if (id === undefined) return { key: 'slug', sql: 'o.slug = ?', values: [lowered] }
  const isFree = 'not exists (select 1 from organization named where named.id = ?)'
  return { key: 'id_or_slug', sql: `(o.id = ? or (o.slug = ? and ${isFree}))`, values: [id, lowered, id] }
}

export const findOrganization = async (db: Db, name: OrganizationName): Promise<OrganizationRow | undefined> => {
  const { sql, values } = isNamed(name)
  const raw: Record<string, unknown> | undefined = await db.knex('organization as o').whereRaw(sql, values).first('o.*')
  return raw === undefined ? undefined : organizations.decode(raw)
}

/**
 * Locks an organization until the transaction ends. Code that counts its members or owners must lock it first. Rows of members,
 * invitations, teams and sessions are locked after it, in this order.
 */
export const lockOrganization = (tx: Tx, id: string) => lockRow(tx, 'organization', id)

/** Locks the organization with this id or slug until the transaction ends. Returns its id. Undefined if no organization has it. */
export const lockNamed = async (tx: Tx, name: OrganizationName): Promise<string | undefined> => {
  const { sql, values } = isNamed(name)
  const query = tx.knex('organization as o').whereRaw(sql, values).first('o.id')
  const found: { readonly id: string } | undefined = await (isPostgres(tx) ? query.forUpdate() : query)
  return found?.id
}

/** Locks all organizations of a user until the transaction ends, in the order of their ids. */
export const lockOrganizationsOf = async (tx: Tx, userId: string): Promise<void> => {
  if (!isPostgres(tx)) return
  const own = tx.knex('member').where({ user_id: userId }).select('organization_id')
  await tx.knex('organization').whereIn('id', own).orderBy('id').select('id').forUpdate()
}

/** The search index over names and slugs, for operators. It is written whenever a name or slug changes. */
export const organizationTerms = searchTerms('organization')
const termsOf = ({ name, slug }: OrganizationRow) => [...termsOfName(name), slug, ...termsOfName(slug)]

export const insertOrganization = async (tx: Tx, row: OrganizationRow): Promise<void> => {
  await organizations.insert(tx, row)
  await organizationTerms.insert(tx, row.id, termsOf(row))
}
export const updateOrganization = async (tx: Tx, row: OrganizationRow): Promise<void> => {
  await organizations.update(tx, { id: row.id }, row)
  await organizationTerms.replace(tx, row.id, termsOf(row))
}
/** Changes only the logo. The search index does not change, because name and slug stay the same. */
export const updateLogo = (tx: Tx, id: string, logo: string | null) => organizations.updateOne(tx, { id }, { logo })
/** Deletes an organization together with its members, invitations and teams. False if it does not exist. */
export const deleteOrganization = async (tx: Tx, id: string) => (await organizations.delete(tx, { id })) === 1
export const isSlugTaken = async (db: Db, slug: string) => (await organizations.find(db, { slug })) !== undefined

/** The columns of an organization in lists. Metadata is left out, because it may be long. */
export const listed = organizations.omit('metadata')

export interface ListedOrganization extends Row<typeof listed.columns> {
  readonly memberCount: number
}

/** The columns that an invitation shows of its organization. */
export const organizationNames = organizations.pick('name', 'slug')

const named = organizations.pick('id', 'slug', 'name', 'logo', 'requiresSecondFactor')
export interface NamedRow extends Row<typeof named.columns> {
  readonly role: string
}

/** The organizations of a user with their names and the user's roles, oldest membership first. */
export const listNamed = async (db: Db, userId: string, limit: number): Promise<NamedRow[]> => {
  const rows: RawRow[] = await db
    .knex('member as m')
    .join('organization as o', 'o.id', 'm.organization_id')
    .where('m.user_id', userId)
    .orderBy(['m.created_at', 'm.id'])
    .limit(limit)
    .select(...named.namesOf('o'), 'm.role')
  return rows.map((raw) => ({ ...named.decode(raw), role: text.decode(raw['role']) }))
}

/** Number of rows that one statement reads, and largest number of bytes of text in a page. Rows may be long: metadata alone can have 16 kB. */
const readAtOnce = 50
const pageBytes = 1_000_000

const bytesOf = (raw: RawRow) =>
  Object.values(raw).reduce<number>((sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0), 0)

/**
 * Reads a page. It ends at its limit or after 1 MB of text. So a page that is not full may be followed by another. Only an empty page is
 * certainly the last one.
 */
export const readPage = async (
  { limit, offset }: { readonly limit: number; readonly offset: number },
  read: (limit: number, offset: number) => PromiseLike<RawRow[]>,
): Promise<RawRow[]> => {
  const found: RawRow[] = []
  for (let bytes = 0; found.length < limit; ) {
    const most = Math.min(readAtOnce, limit - found.length)
    const rows = await read(most, offset + found.length)
    for (const raw of rows) {
      bytes += bytesOf(raw)
      if (bytes > pageBytes && found.length > 0) return found
      found.push(raw)
    }
    if (rows.length < most) break
  }
  return found
}

/** Escapes a text, so that `like … escape '!'` takes it literally. */
const literally = (text: string): string => text.replace(/[!%_]/g, '!$&')

/** Converts only ASCII letters to lower case, because all databases convert them alike. */
const asciiLower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * An SQL condition that is true if one of the columns contains the text. A database may convert only ASCII letters to lower case. So
 * other letters are searched in two forms: as typed, and with a capital letter at the beginning of each word. `like` of PostgreSQL
 * distinguishes upper and lower case.
 */
export const contains = (columns: readonly string[], text: string): readonly [sql: string, values: readonly string[]] => {
  const asNames = text.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
  const lowered = [text.toLowerCase(), asciiLower(text), asciiLower(asNames)]
  const patterns = [...lowered, text, asNames].map((part) => `%${literally(part)}%`)
  const way = (column: string, i: number) => `${i < lowered.length ? `lower(${column})` : column} like ? escape '!'`
  const ways = columns.flatMap((column) => patterns.map((_, i) => way(column, i)))
  return [`(${ways.join(' or ')})`, columns.flatMap(() => patterns)]
}
