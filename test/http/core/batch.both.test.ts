import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBatchedRead, createGroupCommit } from '../../../src/core/db/batch.ts'
import type { Tx } from '../../../src/core/db/database.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  await t.app.jobs.stop()
  await t.app.core.db.knex.schema.createTable('note', (table) => void table.text('id').primary())
})
afterAll(() => t.stop())

const insert = async (tx: Tx, ids: readonly string[]) => {
  await tx.knex('note').insert(ids.map((id) => ({ id })))
}
const stored = (prefix: string) => t.app.core.db.knex('note').whereLike('id', `${prefix}%`).orderBy('id').pluck('id')

test('units of work that arrive during a transaction share the next transaction', async () => {
  const batches: (readonly string[])[] = []
  const commit = createGroupCommit<string, string>({
    ...t.app.core,
    ...{ concurrency: 1, keysOf: () => [] },
    work: async (tx, units) => {
      batches.push(units)
      await insert(tx, units)
      return units.map((unit) => `stored ${unit}`)
    },
  })
  const results = await Promise.all(['share-1', 'share-2', 'share-3'].map((unit) => commit(unit)))
  expect(results).toEqual(['stored share-1', 'stored share-2', 'stored share-3'])
  expect(batches).toEqual([['share-1'], ['share-2', 'share-3']])
})

test('a unit of work that cannot be written fails alone, and the other units of its batch are written', async () => {
  const commit = createGroupCommit<string, true>({
    ...t.app.core,
    ...{ concurrency: 1, keysOf: () => [] },
    work: async (tx, units) => {
      await insert(tx, units)
      return units.map(() => true as const)
    },
  })
  const outcomes = await Promise.allSettled(['fail-0', 'fail-1', 'fail-0', 'fail-2'].map((unit) => commit(unit)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(await stored('fail')).toEqual(['fail-0', 'fail-1', 'fail-2'])
})

test('a unit of work without a result is processed again by itself', async () => {
  const calls: string[] = []
  const commit = createGroupCommit<string, string>({
    ...t.app.core,
    ...{ concurrency: 1, keysOf: () => [] },
    work: async (_tx, units, isAlone) => {
      calls.push(`${units.join(' ')}${isAlone ? ' alone' : ''}`)
      return units.map((unit) => (unit === 'waits' && !isAlone ? undefined : unit))
    },
  })
  expect(await Promise.all([commit('first'), commit('waits'), commit('other')])).toEqual(['first', 'waits', 'other'])
  expect(calls).toEqual(['first', 'waits other', 'waits alone'])
})

test('units of work with a common key are never in two simultaneous transactions', async () => {
  const underWay = new Set<string>()
  const commit = createGroupCommit<string, true>({
    ...t.app.core,
    ...{ concurrency: 3, keysOf: (unit) => [unit] },
    work: async (tx, units) => {
      for (const unit of units) expect(underWay).not.toContain(unit)
      for (const unit of units) underWay.add(unit)
      await tx.knex('note').first()
      for (const unit of units) underWay.delete(unit)
      return units.map(() => true as const)
    },
  })
  expect(await Promise.all(['a', 'b', 'a', 'b', 'a'].map((unit) => commit(unit)))).toHaveLength(5)
})

test('keys requested while a statement runs are read by the next statement', async () => {
  await t.app.core.transact((tx) => insert(tx, ['read-1', 'read-2']))
  const statements: (readonly string[])[] = []
  const find = createBatchedRead(async (keys) => {
    statements.push(keys)
    const ids: string[] = await t.app.core.db
      .knex('note')
      .whereIn('id', [...keys])
      .pluck('id')
    return new Map(ids.map((id) => [id, `found ${id}`]))
  })
  const found = await Promise.all(['read-1', 'read-2', 'read-3', 'read-2'].map((key) => find(key)))
  expect(found).toEqual(['found read-1', 'found read-2', undefined, 'found read-2'])
  expect(statements).toEqual([['read-1'], ['read-2', 'read-3']])
})

test('all waiting reads fail at once when the database cannot be reached', async () => {
  let reads = 0
  const find = createBatchedRead<string>(async () => {
    reads += 1
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  })
  const outcomes = await Promise.allSettled(['x', 'y', 'z'].map((key) => find(key)))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(reads).toBe(1)
})

test('an unreadable row fails only its own caller, and no other caller of the same statement', async () => {
  const find = createBatchedRead(async (keys) => {
    if (keys.includes('broken')) throw new TypeError('not a row')
    return new Map(keys.map((key) => [key, `found ${key}`]))
  })
  const outcomes = await Promise.allSettled(['a', 'b', 'broken', 'c', 'broken'].map((key) => find(key)))
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual([
    'found a',
    'found b',
    'failed',
    'found c',
    'failed',
  ])
})

test('a database that becomes unreachable while keys are read one by one fails the remaining keys at once', async () => {
  const asked: (readonly string[])[] = []
  const find = createBatchedRead<string>(async (keys) => {
    asked.push(keys)
    if (keys.includes('first')) return new Map()
    if (keys.length > 1) throw new TypeError('not a row')
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  })
  const outcomes = await Promise.allSettled(['first', 'a', 'b', 'c'].map((key) => find(key)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
  expect(asked).toEqual([['first'], ['a', 'b', 'c'], ['a']])
})
