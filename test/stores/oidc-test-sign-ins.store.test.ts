import * as signIns from '../../src/oidc/test-sign-ins/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const row: signIns.TestSignInRow = {
  ...{ id: 'a', clientId: 'c', sessionId: 's', userId: 'u', queryHash: 'q', openedAt: null, expiresAt: later },
}

compareStore('oidc/test-sign-ins/store', signIns, async ({ store, transact, seed, sweep, note, db }) => {
  await seed('user', 'organization', 'team', 'session', 'oauth_client')
  await transact(async (tx) => {
    for (const id of ['a', 'b', 'c']) await store.insertTestSignIn(tx, { ...row, id })
    await store.insertTestSignIn(tx, { ...row, id: 'd', openedAt: at, expiresAt: at })
    await store.openTestSignIn(tx, row, later)
    await store.openTestSignIn(tx, { ...row, queryHash: 'Q' }, at)
    await store.openTestSignIn(tx, { ...row, sessionId: 'another' }, at)
    await store.openTestSignIn(tx, row, at)
    await store.openTestSignIn(tx, row, at)
    // Refused: not opened yet, of another administrator, expired.
    await store.takeTestSignIn(tx, { ...row, id: 'b' }, at)
    await store.takeTestSignIn(tx, { ...row, userId: 'v' }, at)
    await store.takeTestSignIn(tx, row, later)
    await store.takeTestSignIn(tx, row, at)
    await store.takeTestSignIn(tx, row, at)
  })
  note('insertTestSignIn', await db.knex('test_sign_in').orderBy('id').pluck('id'))
  await sweep('testSignInsBefore', signIns.testSignInsBefore(later))
  await sweep('testSignInsBefore', signIns.testSignInsBefore(new Date(later.getTime() + 1)))
})
