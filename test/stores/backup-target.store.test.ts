import { describeTables } from '../../src/backup/store/schema.ts'
import * as target from '../../src/backup/store/target.ts'
import { at, made, session, user } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const store = {
  ...target,
  /** Each database has a different error for a missing referenced row. */
  withoutForeignKeys: async (...args: Parameters<typeof target.withoutForeignKeys>) => {
    await target.withoutForeignKeys(...args).catch(() => {
      throw new Error('broken')
    })
  },
}

compareStore('backup/store/target', store, async ({ store, db, transact, fill, insert, compareRows }) => {
  const tables = await describeTables(db)
  await store.listFilled(db, tables)
  await compareRows()
  await fill(async (tx) => {
    await store.lockTables(tx, tables)
    await store.deleteSeeds(tx, tables)
    await store.withoutForeignKeys(tx, tables, async () => {
      const impersonated = { ...session, id: 's1', token_hash: 's1', impersonator_session_id: 's2', impersonated_by: 'u' }
      await tx.knex('session').insert({ ...impersonated, active_organization_id: null, active_team_id: null })
      await tx.knex('session').insert({ ...session, id: 's2', active_organization_id: null, active_team_id: null })
      await tx.knex('user').insert({ ...user, name: 'Ü', role: 'user', ...made })
      await tx
        .knex('task')
        .insert({ sequence: 2 ** 50, id: 't', kind: 'k', status: 'done', attempts: 0, due_at: at, created_at: at })
    })
    await store.resetSequences(tx, tables)
    await store.analyze(tx)
  })
  await store.listFilled(db, tables)
  await compareRows()
  // Sequences continue after the greatest value, and foreign keys are checked as before.
  await insert('task', { id: 'next' })
  const orphan = { ...session, id: 's3', token_hash: 's3', user_id: 'nobody', active_organization_id: null, active_team_id: null }
  await fill((tx) => store.withoutForeignKeys(tx, tables, async () => void (await tx.knex('session').insert(orphan)))).catch(
    () => undefined,
  )
  await transact(async (tx) => void (await tx.knex('session').insert(orphan))).catch(() => undefined)
  await compareRows()
  await fill(async (tx) => {
    await tx.knex('task').delete()
    await store.resetSequences(tx, tables)
  })
})
