import * as passkeys from '../../src/authentication/methods/passkey/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)

compareStore('authentication/methods/passkey/store', passkeys, async ({ store, db, transact, seed, insert, compareRows }) => {
  await seed('user')
  await insert('user', { id: 'u2', email: 'u2@example.com' })
  await insert('user', { id: 'U3', email: 'u3@example.com' })
  const passkey = (id: string, changes: Partial<passkeys.PasskeyRow> = {}): passkeys.PasskeyRow => ({
    ...{
      sessionId: null,
      id,
      userId: 'u',
      name: 'Schlüssel 🔑 %_',
      credentialId: `of-${id}`,
      publicKey: 'pQEC',
      counter: 0,
      transports: [],
      aaguid: '',
    },
    ...{ userVerified: true, backupEligible: false, backedUp: false, createdAt: at, lastUsedAt: null, ...changes },
  })
  const used = { counter: 2 ** 32 - 1, transports: ['usb', 'nfc'], backupEligible: true, backedUp: true, lastUsedAt: later }
  await transact(async (tx) => {
    await store.insertPasskey(tx, passkey('p2', { ...used, createdAt: later }))
    await store.insertPasskey(tx, passkey('p1', { userVerified: false }))
    await store.insertPasskey(tx, passkey('p3', { userId: 'u2' }))
    await store.insertPasskey(tx, passkey('p4', { userId: 'U3' }))
  })
  await transact((tx) => store.insertPasskey(tx, passkey('p5', { credentialId: 'of-p1' }))).catch(() => undefined)
  await store.listByUser(db, 'u')
  await store.listByUser(db, 'another')
  await store.ownersOf(db, 2)
  await store.ownersOf(db, 10)
  await store.findByCredentialId(db, 'of-p2')
  await store.findByCredentialId(db, 'OF-p2')
  await store.ownPasskeys.read(db, { id: 'u', verifiedEmail: undefined })
  await transact(async (tx) => {
    await store.setSession(tx, 'p1', 'of another ⚑')
    await store.setSession(tx, 'unknown', 'of another ⚑')
    const use = { counter: 2 ** 32 - 2, userVerified: true, backedUp: true, lastUsedAt: later }
    await store.recordUse(tx, passkey('p1'), use)
    await store.recordUse(tx, passkey('p1'), use)
    await store.recordUse(tx, passkey('p2', used), { ...use, lastUsedAt: null })
    await store.rename(tx, 'u', 'p1', 'Ключ')
    await store.rename(tx, 'u2', 'p1', 'Another')
    await store.deleteKind(tx, 'u2', false)
    await store.deleteKind(tx, 'u2', true)
    await store.deletePasskey(tx, 'u', 'p4')
    await store.deletePasskey(tx, 'U3', 'p4')
  })
  await compareRows()

  const challenge = (challengeHash: string, changes: Partial<passkeys.ChallengeRow> = {}): passkeys.ChallengeRow => ({
    ...{
      challengeHash,
      browserHash: 'b',
      kind: 'authentication',
      userId: null,
      isConditional: true,
      expiresAt: later,
      ...changes,
    },
  })
  await transact(async (tx) => {
    await store.insertChallenge(tx, challenge('c1'))
    await store.insertChallenge(tx, challenge('c2', { kind: 'registration', userId: 'u', isConditional: false, expiresAt: at }))
  })
  await store.expiredChallenges(at)
  await transact(async (tx) => {
    await store.takeChallenge(tx, { challengeHash: 'c1', browserHash: 'another', kind: 'authentication' }, at)
    await store.takeChallenge(tx, { challengeHash: 'c1', browserHash: 'b', kind: 'registration' }, at)
    await store.takeChallenge(tx, { challengeHash: 'c1', browserHash: 'b', kind: 'authentication' }, later)
    await store.takeChallenge(tx, { challengeHash: 'c1', browserHash: 'b', kind: 'authentication' }, at)
    await store.takeChallenge(tx, { challengeHash: 'c1', browserHash: 'b', kind: 'authentication' }, at)
  })
})
