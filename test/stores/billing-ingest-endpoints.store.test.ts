import { expect } from 'vitest'
import * as endpoints from '../../src/billing/ingest/store/endpoints.ts'
import type { Sealed } from '../../src/core/crypto.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const sealed = (text: string) => text as Sealed
const endpoint = (name: string): endpoints.EndpointRow => ({ name, secrets: sealed('01aa'), createdAt: at, updatedAt: at })
const rejection = (reason: string, count: number, lastSeenAt: Date, address = '192.0.2.0'): endpoints.RejectionRow => ({
  ...{ endpoint: 'polar', reason, address, count, firstSeenAt: at, lastSeenAt },
})

compareStore(
  'billing/ingest/store/endpoints',
  endpoints,
  async ({ store, db, transact }) => {
    await transact(async (tx) => {
      for (const name of ['polar', 'a_b', 'a-b']) await store.insertEndpoint(tx, endpoint(name))
    })
    await expect(transact((tx) => store.insertEndpoint(tx, endpoint('polar')))).rejects.toThrow()
    await store.listEndpoints(db)
    await store.findEndpoint(db, 'a_b')
    await store.findEndpoint(db, 'A_b')
    await transact(async (tx) => {
      await store.updateSecrets(tx, 'polar', sealed('01AA'), sealed('01bb'), time(1))
      await store.updateSecrets(tx, 'polar', sealed('01aa'), sealed('01bb'), time(1))
      await store.updateSecrets(tx, 'polar', sealed('01aa'), sealed('01cc'), time(2))
      await store.deleteEndpoint(tx, 'a-b')
      await store.deleteEndpoint(tx, 'a-b')
    })
    await store.listEndpoints(db)

    await transact(async (tx) => {
      await store.addRejections(tx, [rejection('A', 2, time(1)), rejection('a', 1, time(2))])
      await store.addRejections(tx, [{ ...rejection('A', 2_147_483_647, time(5)), firstSeenAt: time(5) }])
      await store.addRejections(tx, [rejection('b', Number.MAX_SAFE_INTEGER - 1, time(3), ''), rejection('a', 4, time(4))])
      await store.addRejections(tx, [rejection('b', 1, time(3), '')])
    })
    await store.listRejections(db, 10)
    await store.listRejections(db, 1)
    await transact((tx) => store.trimRejections(tx, 3))
    await store.listRejections(db, 10)
    await transact((tx) => store.trimRejections(tx, 2))
    await store.listRejections(db, 10)
    await transact((tx) => store.trimRejections(tx, 0))
    await store.listRejections(db, 10)
  },
  { uncalled: ['openSecrets', 'sealSecrets'] },
)
