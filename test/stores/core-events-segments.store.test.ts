import type { Sealed } from '../../src/core/crypto.ts'
import * as segments from '../../src/core/events/segment-store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

compareStore(
  'core/events/segment-store',
  segments,
  async ({ store, db, transact, insert }) => {
    const segment = (id: string, position: number): segments.Segment => ({
      ...{ id, position, startHash: `of ${id}`, createdAt: at, seal: '01ab' as Sealed },
    })
    const event = (id: string, position: number | null) =>
      insert('event', {
        ...{ id, type: 'user.created', occurred_at: at, actor_kind: 'user', subject_type: 'user', subject_id: 'u', address: '' },
        ...{ user_agent: '', request_id: '', data: '{}', position, hash: position === null ? null : 'h' },
      })
    await store.lastPosition(db)
    await store.firstPosition(db)
    await event('unsealed', null)
    await store.firstPosition(db)
    await event('e10', 10)
    await event('e9', 9)
    await store.firstPosition(db)
    await store.lastPosition(db)
    await transact(async (tx) => {
      for (const position of [100, 20]) await store.insertSegment(tx, segment(`s${position}`, position))
      // A forged position beyond all sealed events does not decide where sealing continues.
      await store.insertSegment(tx, segment('far', 2 ** 50))
    })
    await transact((tx) => store.insertSegment(tx, segment('another', 20))).catch(() => undefined)
    await store.listSegments(db)
    await store.lastPosition(db)
    await insert('event_reader', { name: 'r', position: 2 ** 50 - 1 })
    await store.lastPosition(db)
    await transact(async (tx) => {
      await store.deleteSegmentsBefore(tx, 100)
      await store.deleteSegmentsBefore(tx, 100)
    })
  },
  { uncalled: ['segmentContext'] },
)
