/** The reader of query plans finds the faults that it looks for. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { dialect } from '../../support/database.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'
import { statementsOf } from '../../support/statements.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  await t.app.jobs.stop()
  await t.app.database.db.knex.schema.createTable('plan_test', (table) => {
    table.string('id').primary()
    table.string('name').notNullable()
    table.timestamp('created_at').notNullable()
    table.index(['created_at', 'id'])
  })
  await fill(t, 'plan_test', 6_000, { id: "'p' || n.n", name: "'name' || (n.n % 50)", created_at: secondsIn2026 })
})
afterAll(() => t.stop())

const rows = () => t.app.database.db.knex('plan_test')
/** PostgreSQL counts what SQLite names. */
const wholeTable = dialect === 'sqlite' ? 'reads all of plan_test' : 'looks at 6000 rows'
const faults = async (work: () => Promise<unknown>) =>
  (await planFaults(t, { tables: ['plan_test'] }, work)).map((fault) => fault.split(':', 1)[0])

test('the plan checker finds no fault in a read by key or a page in index order', async () => {
  expect(
    await faults(async () => [await rows().where({ id: 'p7' }), await rows().orderBy(['created_at', 'id']).limit(10)]),
  ).toEqual([])
})

test('the plan checker finds a full table scan and a sort', async () => {
  expect(await faults(async () => rows().where({ name: 'name7' }))).toContain(wholeTable)
  expect(await faults(async () => rows().orderBy('name').limit(10))).toContain('sorts')
})

test('the plan checker refuses a table that is too small for a conclusion', async () => {
  const check = planFaults(t, { tables: ['user'] }, async () => rows().where({ id: 'p7' }))
  await expect(check).rejects.toThrow('fill it')
})

test('concurrent statements of others are not counted as statements of the work', async () => {
  const ann = await t.signedIn('ann@example.com')
  let isOver = false
  const others = (async () => {
    while (!isOver) await rows().where({ name: 'name7' })
  })()
  const statements = await statementsOf(t, async () => {
    await rows().where({ id: 'p7' })
    await ann.request('/get-session')
    await rows().where({ id: 'p8' })
  })
  isOver = true
  await others
  expect(statements.map(({ bindings }) => bindings[0])).toEqual(['p7', expect.anything(), 'p8'])
  expect(statements[1]?.sql).toContain('session')
})
