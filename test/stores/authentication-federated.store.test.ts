import * as states from '../../src/authentication/methods/federated/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)

compareStore(
  'authentication/methods/federated/store',
  states,
  async ({ store, transact }) => {
    const state = (id: string, expiresAt: Date): states.VerificationRow => ({
      ...{ id, identifier: `${states.statePrefix}${id}`, value: '01ab', expiresAt, createdAt: at, updatedAt: at },
    })
    await transact(async (tx) => {
      await store.insertState(tx, state('s1', later))
      await store.insertState(tx, state('s2', at))
      await store.exists(tx, 's1')
      await store.exists(tx, 'S1')
      await store.takeState(tx, 'social:s2', at)
      await store.takeState(tx, 'social:none', at)
      await store.takeState(tx, 'social:s1', at)
      await store.takeState(tx, 'social:s1', at)
    })
    await transact((tx) => store.insertState(tx, state('s2', later))).catch(() => undefined)
  },
  { uncalled: ['contextOf'] },
)
