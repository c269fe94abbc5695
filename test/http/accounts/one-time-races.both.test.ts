/** One-time tokens and codes of several features are rows of one table. The transaction that deletes a row has used it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { consumeValue, insertVerification } from '../../../src/authentication/verification/store.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { overlap } from '../../support/overlap.ts'

let t: TestApp
let other: TestApp
beforeAll(async () => {
  t = await testApp()
  other = await t.node()
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const now = new Date()
const insert = async (name: string) => {
  const expiresAt = new Date(now.getTime() + 60_000)
  const row = { id: name, identifier: `purpose:${name}`, value: name, expiresAt, createdAt: now, updatedAt: now, userId: null }
  await t.app.core.transact((tx) => insertVerification(tx, row))
  return row
}

test('a one-time value that one transaction is about to use cannot be used by another transaction', async () => {
  const row = await insert('once')
  const got: (string | undefined)[] = []
  await overlap(
    [t, other],
    async (tx) => got.push(await consumeValue(tx, row.identifier, now)),
    () => other.app.core.transact(async (tx) => got.push(await consumeValue(tx, row.identifier, now))),
  )
  expect(got).toEqual(['once', undefined])
})

test('a one-time value is valid before the moment of its expiry, and invalid at that moment', async () => {
  const [early, late] = [await insert('early'), await insert('late')]
  const before = new Date(early.expiresAt.getTime() - 1)
  await t.app.core.transact(async (tx) => {
    expect(await consumeValue(tx, early.identifier, before)).toBe('early')
    expect(await consumeValue(tx, late.identifier, late.expiresAt)).toBeUndefined()
  })
})
