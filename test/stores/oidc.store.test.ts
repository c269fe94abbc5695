import type { Random } from '../../src/core/random.ts'
import { createSignals } from '../../src/core/signals.ts'
import * as oidc from '../../src/oidc/store.ts'
import { compareStore } from '../support/stores.ts'

const signals = createSignals({ id: () => 'node' } as Random)

compareStore('oidc/store', oidc, async ({ store, db, transact }) => {
  await store.readVersion(db)
  await transact((tx) => store.raiseVersion(tx, signals))
  await store.readVersion(db)
  await db.knex('oidc_version').update({ version: Number.MAX_SAFE_INTEGER - 1 })
  await transact((tx) => store.raiseVersion(tx, signals))
  await store.readVersion(db)
  await db.knex('oidc_version').delete()
  await store.readVersion(db)
})
