import type { ArtifactRow } from '../../src/oidc/artifacts/store.ts'
import * as devices from '../../src/oidc/device/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const artifact = (id: string): ArtifactRow => ({
  ...{ id, kind: 'DeviceCode', accountId: null, clientId: 'c', sessionId: null, grantId: null, payload: { exp: 1 } },
  ...{ consumedAt: null, rotatedFrom: null, siblingOf: null, exchangedFrom: null, impersonatorId: null, expiresAt: time(1_000) },
})

compareStore('oidc/device/store', devices, async ({ store, db, transact, seed }) => {
  await seed('user', 'oauth_client')
  await transact(async (tx) => {
    await store.insertDeviceCode(tx, artifact('a'), 'code a')
    await store.insertDeviceCode(tx, artifact('b'), 'code b')
  })
  await store.findDeviceCode(db, ['code a'])
  await store.findDeviceCode(db, ['none', 'code b'])
  await store.findDeviceCode(db, ['none'])
  await transact(async (tx) => {
    await store.notePoll(tx, 'a', time(10), time(5))
    await store.notePoll(tx, 'a', time(12), time(7))
    await store.notePoll(tx, 'a', time(17), time(12))
    await store.notePoll(tx, 'none', time(17), time(12))
  })
  await transact(async (tx) => {
    await store.decideDeviceCode(tx, 'a', time(20))
    await store.decideDeviceCode(tx, 'a', time(21))
    await store.storeDecision(tx, 'a', { payload: { exp: 2 }, accountId: 'u', grantId: 'g', sessionId: null })
    await store.storeDecision(tx, 'none', { payload: {} })
  })
  await store.findDeviceCode(db, ['code a'])
})
