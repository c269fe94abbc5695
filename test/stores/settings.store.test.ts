import * as settings from '../../src/settings/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const daemon = (id: string, startedAt = at) => ({
  ...{ id, startedAt, seenAt: startedAt, url: 'https://auth.example.com', file: null as string | null },
  settings: [{ key: 'brand.name', value: 'Zoë "&' }],
  ...{ settingsVersion: 0, settingsProblem: null as string | null },
})
const version = (number: number, actorId: string | null = 'ann') => ({
  ...{ version: number, changedAt: at, actorKind: 'user', actorId, reason: null, revertedTo: null },
})
const change = (id: string, ofVersion: number, key: string, value: string | null) => ({
  ...{ id, version: ofVersion, key, value, sealedValue: null, isCurrent: true },
})

compareStore(
  'settings/store',
  settings,
  async ({ store, db, transact }) => {
    await store.findNewestDaemon(db)
    await transact(async (tx) => {
      await store.noteDaemon(tx, { ...daemon('a'), file: '/etc/gatehouse.yaml' })
      await store.noteDaemon(tx, daemon('b', later))
      // The configuration of the start is kept. Only the time of the last sign of life changes.
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
    await transact((tx) =>
      store.noteDaemon(tx, { ...daemon('e'), settingsVersion: 2, settingsProblem: 'brand.logo: is missing' }),
    )
    await store.listProblems(db, at)
    await store.listProblems(db, later)

    await store.findNewestVersion(db)
    await store.listCurrent(db)
    await transact(async (tx) => {
      await store.insertVersion(tx, version(1))
      await store.insertChanges(tx, [change('1', 1, 'brand.name', '"Zoë"'), change('2', 1, 'password.minLength', '12')])
    })
    await transact(async (tx) => {
      await store.insertVersion(tx, { ...version(2, null), reason: 'why "not"', revertedTo: 0 })
      await store.insertChanges(tx, [change('3', 2, 'brand.name', null)])
    })
    await store.findNewestVersion(db)
    await store.findVersion(db, 1)
    await store.findVersion(db, 3)
    await store.listCurrent(db)
    await store.listVersions(db, undefined, 10)
    await store.listVersions(db, 2, 10)
    await store.totalOfVersions(db)
    await store.listChanges(db, [1, 2])
    await store.listAt(db, 1)
    await store.listAt(db, 2)
    await store.listAt(db, 2, ['brand.name'])
    // The second of two simultaneous changes that create the same version.
    await transact((tx) => store.insertVersion(tx, version(2))).catch(() => undefined)
    await store.listVersions(db, undefined, 10)
  },
  { uncalled: ['sealContext'] },
)
