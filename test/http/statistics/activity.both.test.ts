import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeDown } from '../../../src/statistics/recording.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { overlap } from '../../support/overlap.ts'
import { userOf } from '../organizations/people.ts'

let t: TestApp
let other: TestApp
beforeAll(async () => {
  t = await testApp()
  other = await t.node()
  for (const node of [t, other]) await node.app.jobs.stop()
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

test('a person deleted while activity is written is omitted, and other people are counted', async () => {
  const [gone, stays] = [
    (await userOf(await t.signedIn('gone@example.com'))).id,
    (await userOf(await t.signedIn('stays@example.com'))).id,
  ]
  const day = '2026-11-20'
  const active = [gone, stays].map((userId) => ({ day, userId }))
  const write = () => other.app.core.transact((tx) => writeDown(tx, [], active))
  await overlap([t, other], (tx) => tx.knex('user').where({ id: gone }).delete(), write)
  const { knex } = t.app.core.db
  expect(await knex('activity').where({ period: day }).pluck('user_id')).toEqual([stays])
  expect(
    await knex('statistic')
      .where({ day })
      .pluck('amount')
      .then((amounts) => amounts.map(Number)),
  ).toContain(1)
})

test('a person changed while activity is written is counted', async () => {
  const { id } = await userOf(await t.signedIn('changed@example.com'))
  const write = () => other.app.core.transact((tx) => writeDown(tx, [], [{ day: '2026-11-19', userId: id }]))
  await overlap([t, other], (tx) => tx.knex('user').where({ id }).update({ name: 'Changed' }), write)
  expect(await t.app.core.db.knex('activity').where({ period: '2026-11-19' }).pluck('user_id')).toEqual([id])
})
