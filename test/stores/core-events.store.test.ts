import * as events from '../../src/core/events/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1001)

compareStore('core/events/store', events, async ({ store, db, transact, compareRows }) => {
  const event = (id: string, changes: Partial<events.NewEvent> = {}): events.NewEvent => ({
    ...{ id, type: 'user.created', occurredAt: at, actorKind: 'user', actorId: 'u', sessionId: 's', impersonatorId: null },
    ...{
      subjectType: 'user',
      subjectId: 'u',
      organizationId: null,
      address: '10.0.0.1',
      userAgent: '',
      requestId: 'q',
      reason: null,
    },
    ...{ data: '{}', ...changes },
  })
  const full = { impersonatorId: 'ü', organizationId: '007', reason: 'Ünal\n\t\u0001"%_\\ 🔑', sessionId: null, actorId: null }
  await store.isAnySealed(db)
  await compareRows()
  await transact(async (tx) => {
    store.insertEvents(tx, [
      event('e2'),
      event('E1'),
      event('e3', { ...full, data: '{"n":9007199254740993,"t":"1.0","a":"ü\\""}' }),
    ])
  })
  await transact(async (tx) => store.insertEvents(tx, [event('e4', { occurredAt: later, type: 'session.created' })]))
  await transact(async (tx) => store.insertEvents(tx, []))
  await transact(async (tx) => store.insertEvents(tx, [event('e5'), event('e2')])).catch(() => undefined)
  await store.countUnsealed(db)
  await store.listUnsealed(db, 3)
  await store.listUnsealed(db, 10)
  await compareRows()
  const place = (id: string, position: number): events.Place => ({ id, position, hash: `of ${id}` })
  await transact(async (tx) => {
    await store.placeEvents(tx, [place('e4', 10), place('E1', 9), place('none', 1)])
    // One event has a position by now.
    await store.placeEvents(tx, [place('e4', 12), place('e3', 2 ** 50)])
    await store.placeEvents(tx, [])
  })
  await transact((tx) => store.placeEvents(tx, [place('e2', 10)])).catch(() => undefined)
  await store.isAnySealed(db)
  await store.countUnsealed(db)
  for (const id of ['e3', 'e2', 'e1']) await store.findEvent(db, id)
  await store.listSealed(db, { after: 0, until: 2 ** 51, limit: 2 })
  await store.listSealed(db, { after: 9, until: 10, limit: 10 })
  await store.listSealed(db, { after: 0, until: 2 ** 51, limit: 10, types: ['user.created', 'another'] })
  await store.listSealed(db, { after: 0, until: 2 ** 51, limit: 10, types: ['User.created'] })
  await store.listHeadings(db, 0, 10)
  await store.listHeadings(db, 10, 2 ** 51)
  await store.listHeadings(db, 2 ** 51, 2 ** 52)
  await store.listHashes(db, [9, 10, 2 ** 50, 3])
  await store.listHashes(db, [])
  await store.newestDate(db)
  for (const type of ['user.created', 'nothing']) await store.newestDataOf(db, type)
  await store.sealedUntil(9)
  await store.sealedUntil(2 ** 51)
})
