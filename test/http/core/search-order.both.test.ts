/** The numbers of search texts, of which the greatest is the newest. */
import { expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { openDatabase } from '../../../src/core/db/database.ts'
import { migrateUp } from '../../../src/core/db/migrate.ts'
import { createDatabase, dialect } from '../../support/database.ts'

const own = '202612227001_search_newest_first'

test('the migration numbers existing search texts in the order of their rows, and later texts come after them', async () => {
  const place = await createDatabase()
  const database = openDatabase({ ...place, poolMax: 2, synchronous: 'NORMAL' })
  const { knex } = database.db
  const now = () => new Date()
  const until = (last: string) => Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last))
  try {
    await migrateUp(database, until('202612226001_half_hours'), now)
    const at = (second: number) => (dialect === 'sqlite' ? second * 1_000 : new Date(second * 1_000))
    const no = dialect === 'sqlite' ? 0 : false
    const addUser = async (id: string, second: number) => {
      const flags = { email_verified: no, email_ever_verified: no, email_version: '0', role: 'user' }
      await knex('user').insert({
        ...{ id, name: id, email: `${id}@example.com`, ...flags, created_at: at(second), updated_at: at(second) },
      })
      await knex('user_search_text').insert({ user_id: id, text: `  ${id}wanted` })
    }
    const addOrganization = async (id: string, second: number) => {
      await knex('organization').insert({ id, name: id, slug: id, created_at: at(second) })
      await knex('organization_search_text').insert({ organization_id: id, text: `  ${id}wanted` })
    }
    for (const add of [addUser, addOrganization])
      for (const [id, second] of [
        ...[['newest', 30] as const, ['oldest', 10] as const],
        ...[['c', 20] as const, ['a', 20] as const, ['b', 20] as const],
      ])
        await add(id, second)
    await migrateUp(database, until(own), now)
    await addUser('later', 40)
    const ofUsers: string[] = await knex('user_search_text').orderBy('number').pluck('user_id')
    expect(ofUsers).toEqual(['oldest', 'a', 'b', 'c', 'newest', 'later'])
    const ofOrganizations: string[] = await knex('organization_search_text').orderBy('number').pluck('organization_id')
    expect(ofOrganizations).toEqual(['oldest', 'a', 'b', 'c', 'newest'])
    if (dialect === 'sqlite') {
      const match = knex.raw(`select rowid as number from user_search_trigrams where user_search_trigrams match '"wan" "ted"'`)
      expect(await match).toHaveLength(6)
      await knex.raw("insert into user_search_trigrams (user_search_trigrams, rank) values ('integrity-check', 1)")
    }
  } finally {
    await database.destroy()
    await place.drop()
  }
})
