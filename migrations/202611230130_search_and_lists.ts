import type { Knex } from 'knex'

// The terms by which rows are found, as they were when this migration was written. Since then, src/core/db/search.ts writes them.
const wordsOf = (text: string): readonly string[] => {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  const words = new Set(plain.split(/[^\p{L}\p{N}]+/u))
  return [...words].flatMap((word) => (word === '' ? [] : word.slice(0, 64))).slice(0, 16)
}
const termsOfUser = ({ name, email }: Record<string, string>) =>
  new Set([...wordsOf(name ?? ''), email ?? '', (email ?? '').slice((email ?? '').lastIndexOf('@')), ...wordsOf(email ?? '')])
const termsOfOrganization = ({ name, slug }: Record<string, string>) =>
  new Set([...wordsOf(name ?? ''), slug ?? '', ...wordsOf(slug ?? '')])

const fillTerms = async (
  knex: Knex,
  table: string,
  columns: readonly string[],
  termsOf: (row: Record<string, string>) => Set<string>,
) => {
  const rowsAtOnce = 500
  for (let after = ''; ; ) {
    const rows: Record<string, string>[] = await knex(table)
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsAtOnce)
      .select('id', ...columns)
    const terms = rows.flatMap((row) => [...termsOf(row)].map((term) => ({ term, [`${table}_id`]: row['id'] })))
    // SQLite accepts 32,766 values in a statement, and a term takes two.
    if (terms.length > 0) await knex.batchInsert(`${table}_search`, terms, 5_000)
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)?.['id'] ?? ''
  }
}

/**
 * Terms are compared byte by byte, so that all terms with the same beginning are one range of the index. SQLite compares all text in this
 * way.
 */
const termType = (knex: Knex) => (knex.client.dialect === 'postgresql' ? 'varchar(254) collate "C"' : 'varchar(254)')

/** Partial indexes with few users, so that lists of these users do not read the others. */
const few = { with_role: "role <> 'user'", banned: 'banned_at is not null' }
const orders = ['created_at', 'name', 'email']

export const up = async (knex: Knex): Promise<void> => {
  for (const table of ['user', 'organization'])
    await knex.schema.createTable(`${table}_search`, (t) => {
      t.specificType('term', termType(knex)).notNullable()
      t.string(`${table}_id`, 32).notNullable().references(`${table}.id`).onDelete('CASCADE')
      t.primary(['term', `${table}_id`])
      t.index([`${table}_id`, 'term'], `${table}_search_${table}_index`)
    })
  await fillTerms(knex, 'user', ['name', 'email'], termsOfUser)
  await fillTerms(knex, 'organization', ['name', 'slug'], termsOfOrganization)
  for (const column of ['created_at', 'name'])
    await knex.schema.raw(`create index user_${column}_index on "user" (${column}, id)`)
  for (const [name, condition] of Object.entries(few))
    for (const column of orders)
      await knex.schema.raw(`create index user_${name}_${column}_index on "user" (${column}, id) where ${condition}`)
  await knex.schema.raw('create index user_email_verified_index on "user" (email_verified, created_at, id)')
  await knex.schema.raw('create index organization_name_index on organization (name, id)')
  await knex.schema.raw('create index session_created_at_index on session (created_at, id)')
  await knex.schema.raw('create index session_user_created_at_index on session (user_id, created_at, id)')
  await knex.schema.raw('create index session_address_index on session (ip_address, created_at, id)')
  await knex.schema.raw('create index member_user_created_at_index on member (user_id, created_at, id)')
  await knex.schema.raw('create index invitation_organization_list_index on invitation (organization_id, status, created_at, id)')
}

export const down = async (knex: Knex): Promise<void> => {
  for (const index of [
    'invitation_organization_list_index',
    'member_user_created_at_index',
    'session_address_index',
    'session_user_created_at_index',
    'session_created_at_index',
    'organization_name_index',
    'user_email_verified_index',
    ...Object.keys(few).flatMap((name) => orders.map((column) => `user_${name}_${column}_index`)),
    'user_name_index',
    'user_created_at_index',
  ])
    await knex.schema.raw(`drop index ${index}`)
  for (const table of ['organization_search', 'user_search']) await knex.schema.dropTable(table)
}
