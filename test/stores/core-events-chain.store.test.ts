import type { Sealed } from '../../src/core/crypto.ts'
import * as chain from '../../src/core/events/chain-store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)

compareStore(
  'core/events/chain-store',
  chain,
  async ({ store, db, transact, compareRows }) => {
    const head = (seal: string, position = 2 ** 50): chain.ChainHead => ({
      ...{ id: 'events', position, hash: 'h', startPosition: 0, startHash: '', seal: seal as Sealed },
    })
    const checkpoint = (id: string, position: number, createdAt: Date): chain.Checkpoint => ({
      ...{ id, position, hash: `of ${id}`, createdAt, seal: '01ab' as Sealed },
    })
    await store.findHead(db)
    await compareRows()
    await transact(async (tx) => {
      await store.insertHead(tx, head('s1'))
      await store.insertHead(tx, head('s2', 1))
      await store.replaceHead(tx, 's2' as Sealed, head('s3'))
      await store.replaceHead(tx, 's1' as Sealed, { ...head('s3', 2 ** 50 + 1), startPosition: 7, startHash: 'g' })
      await store.replaceHead(tx, 's1' as Sealed, head('s4'))
    })
    await store.findHead(db)

    await store.findNewestCheckpoint(db)
    await transact(async (tx) => {
      // A position with one more digit is later, although it sorts earlier as text.
      await store.insertCheckpoint(tx, checkpoint('c10', 10, latest))
      await store.insertCheckpoint(tx, checkpoint('c9', 9, later))
      await store.insertCheckpoint(tx, checkpoint('c1', 1, at))
      await store.insertCheckpoint(tx, checkpoint('big', 2 ** 51, latest))
    })
    await transact((tx) => store.insertCheckpoint(tx, checkpoint('another', 10, at))).catch(() => undefined)
    await store.findNewestCheckpoint(db)
    await store.listOldestCheckpoints(db, 2)
    for (const before of [at, later, latest]) await store.findCheckpointBefore(db, before)
    await store.listCheckpoints(db, 1, 10)
    await store.listCheckpoints(db, 10, 2 ** 52)
    await store.listCheckpoints(db, 10, 10)
    await transact(async (tx) => {
      await store.deleteCheckpointsBefore(tx, 10)
      await store.deleteCheckpointsBefore(tx, 10)
    })
  },
  { uncalled: ['checkpointContext'] },
)
