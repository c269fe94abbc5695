import * as settings from '../../src/settings/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const daemon = (id: string, startedAt = at) => ({
  ...{ id, startedAt, seenAt: startedAt, url: 'https://auth.example.com', file: null as string | null },
  settings: [{ key: 'brand.name', value: 'Zoë "&' }],
})

compareStore('settings/store', settings, async ({ store, db, transact }) => {
  await store.findNewestDaemon(db)
  await transact(async (tx) => {
    await store.noteDaemon(tx, { ...daemon('a'), file: '/etc/gatehouse.yaml' })
    await store.noteDaemon(tx, daemon('b', later))
    // What it was started with stays; only when it was seen changes.
    await store.noteDaemon(tx, { ...daemon('a', later), settings: [] })
  })
  await store.findNewestDaemon(db)
  await transact((tx) => store.deleteUnseenDaemons(tx, later))
  await transact((tx) => store.deleteUnseenDaemons(tx, new Date(later.getTime() + 1)))
  await store.findNewestDaemon(db)
  await transact(async (tx) => {
    await store.noteDaemon(tx, daemon('c'))
    await store.noteDaemon(tx, daemon('d', later))
    await store.deleteDaemon(tx, 'd')
    await store.deleteDaemon(tx, 'unknown')
    await store.deleteDaemon(tx, 'c')
  })
  await store.findNewestDaemon(db)
})
