import * as signIns from '../../src/authentication/methods/mail-sign-in/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)

compareStore('authentication/methods/mail-sign-in/store', signIns, async ({ store, db, transact, seed, compareRows }) => {
  await seed('user')
  const signIn = (id: string, changes: Partial<signIns.MailSignInRow> = {}): signIns.MailSignInRow => ({
    ...{ id, email: 'Ünal_%@example.com', browserHash: `of ${id}`, name: null, codeHash: null, linkHash: null, userId: null },
    ...{ emailVersion: null, attempts: 0, createdAt: at, expiresAt: later, ...changes },
  })
  const made = { codeHash: 'code', linkHash: 'link', userId: 'u', emailVersion: 3 }
  await transact(async (tx) => {
    await store.replaceSignIn(tx, signIn('s1', { name: 'Ünal' }))
    await store.replaceSignIn(tx, signIn('s2'))
    // A second request in the same browser replaces everything stored.
    await store.replaceSignIn(tx, signIn('s3', { browserHash: 'of s1' }))
  })
  for (const id of ['s1', 's3']) await store.findSignIn(db, id)
  await store.findByBrowser(db, 'of s1')
  await store.findByBrowser(db, 'OF S1')
  await transact(async (tx) => {
    await store.complete(tx, 's3', made)
    await store.complete(tx, 's3', { ...made, codeHash: 'other' })
    await store.complete(tx, 's1', made)
  })
  // A link in two rows would be valid for both sign-ins.
  await transact((tx) => store.complete(tx, 's2', made)).catch(() => undefined)
  await transact((tx) => store.replaceSignIn(tx, signIn('s4', { userId: 'nobody' }))).catch(() => undefined)
  await store.findByLink(db, 'link')
  await store.findByLink(db, 'none')
  await transact(async (tx) => {
    for (const _ of [1, 2, 3]) await store.countAttempt(tx, 's3', 2)
    await store.countAttempt(tx, 'none', 2)
  })
  await compareRows()
  await store.expiredSignIns(at)
  await store.expiredSignIns(later)
  await transact(async (tx) => {
    await store.consume(tx, signIn('s3', { linkHash: 'another' }))
    await store.consume(tx, signIn('s3'))
    await store.withdraw(tx, 's3')
    await store.withdraw(tx, 'none')
    await store.consume(tx, signIn('s2'))
    await store.consume(tx, signIn('s2'))
  })
  await compareRows()
  await transact(async (tx) => {
    await store.deleteSignInsOf(tx, 'u')
    await store.deleteSignInsOf(tx, 'u')
  })
})
