import * as codes from '../../src/authentication/methods/mail-codes/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)

compareStore('authentication/methods/mail-codes/store', codes, async ({ store, db, transact, seed, compareRows }) => {
  await seed('user')
  const code = (id: string, changes: Partial<codes.MailCodeRow> = {}): codes.MailCodeRow => ({
    ...{
      id,
      userId: 'u',
      boundHash: `of ${id}`,
      codeHash: 'c',
      emailVersion: 3,
      attempts: 1,
      createdAt: at,
      expiresAt: later,
      ...changes,
    },
  })
  await transact(async (tx) => {
    await store.replaceCode(tx, code('c1'))
    await store.replaceCode(tx, code('c2'))
    // Another code for the same sign-in, with a new count of attempts.
    await store.replaceCode(tx, code('c3', { boundHash: 'of c1', codeHash: 'd', attempts: 0, expiresAt: at }))
  })
  await transact((tx) => store.replaceCode(tx, code('c4', { userId: 'nobody' }))).catch(() => undefined)
  await store.findCode(db, 'u', 'of c1')
  await store.findCode(db, 'u', 'none')
  await store.findCode(db, 'another', 'of c1')
  await store.expiredCodes(at)
  await store.expiredCodes(later)
  await transact(async (tx) => {
    for (const _ of [1, 2, 3]) await store.countAttempt(tx, 'c3', 2)
    await store.countAttempt(tx, 'none', 2)
    await store.block(tx, 'u', at)
    await store.block(tx, 'u', later)
  })
  await store.isBlocked(db, 'u')
  await compareRows()
  await transact(async (tx) => {
    await store.consume(tx, 'c3')
    await store.consume(tx, 'c3')
    await store.deleteCodesOf(tx, 'u')
    await store.deleteCodesOf(tx, 'u')
    await store.unblock(tx, 'u')
    await store.unblock(tx, 'u')
    await store.isBlocked(tx, 'u')
  })
})
