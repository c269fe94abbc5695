import * as statistics from '../../src/statistics/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const day = (number: number) => `2026-01-0${number}`
const count = (measure: string, key: string, amount: number, on = 1) => ({ day: day(on), measure, key, amount })
const counted = { names: ['sign_ins', 'queue_lag'], highest: ['queue_lag', 'webhook_lag'], mostKeys: 2 }
/** Days of a zone whose clocks move forward within the first day. */
const ofDays = (...numbers: readonly number[]) => ({
  ...counted,
  days: numbers.map(day),
  segments: [
    { begins: '2025-12-31T23:00', ends: `${day(1)}T12:00`, minutes: 60 },
    { begins: `${day(1)}T12:00`, ends: `${day(Math.max(...numbers))}T22:00`, minutes: 120 },
  ],
})
const activity = { period: '2026-01', clientId: '', userId: 'u', endsOn: '2026-01-31' }

compareStore(
  'statistics/store',
  statistics,
  async ({ store, db, transact, seed, insert, own, sweep }) => {
    await seed('user')
    await insert('user', { id: 'v', email: 'v@example.com' })
    await store.findProgress(db, 'a')
    const first = { id: 'a', position: 0, through: at }
    const next = { id: 'a', position: Number.MAX_SAFE_INTEGER, through: new Date(at.getTime() + 1) }
    await transact(async (tx) => {
      await store.moveProgress(tx, undefined, first)
      await store.moveProgress(tx, undefined, next)
      await store.moveProgress(tx, { ...first, position: 1 }, next)
      await store.moveProgress(tx, first, next)
    })
    await store.findProgress(db, 'a')

    await transact(async (tx) => {
      await store.writeCounts(tx, [], 'add')
      await store.writeCounts(
        tx,
        [count('sign_ins', 'password', 5), count('sign_ins', 'Zoë', 7), count('sign_ins', 'a', 1)],
        'add',
      )
      await store.writeCounts(tx, [count('sign_ins', 'password', 1, 2), count('sign_ins', 'äpfel', 1)], 'add')
      await store.writeCounts(tx, [count('sign_ins', 'password', 2), count('sign_ins', 'b', 2_147_483_640)], 'add')
      await store.writeCounts(tx, [count('sign_ins', 'b', 2_147_483_640, 2)], 'add')
      await store.writeCounts(tx, [count('queue_lag', 'mail', 9), count('queue_lag', 'mail', 3, 2)], 'highest')
      await store.writeCounts(
        tx,
        [count('queue_lag', 'Mail', 4), count('queue_lag', '_', 4), count('queue_lag', '%', 4)],
        'highest',
      )
      await store.writeCounts(tx, [count('queue_lag', 'mail', 4), count('queue_lag', 'mail', 8, 2)], 'highest')
      await store.writeCounts(tx, [count('sign_ins', '*', 3), count('queue_lag', '*', 30)], 'highest')
      await store.writeCounts(tx, [count('people', '', 3), count('others', '', 4, 2), count('people', '', 4, 2)], 'add')
    })
    await store.listKeys(db, [])
    await store.listKeys(db, [day(1)])
    await store.listKeys(db, [day(1), day(2), day(3)])
    await store.listPlainCounts(db, [day(1), day(2)], ['people', 'others', 'sign_ins'])
    await store.listPlainCounts(db, [day(2), day(3)], ['people'])
    await store.listPlainCounts(db, [day(1), day(2)], [])
    await store.listCounts(db, ofDays(1, 2))
    await store.listCounts(db, ofDays(2, 3))
    await store.listCounts(db, ofDays(3, 4))
    await store.findFirstDay(db)
    const half = (time: string, amount: number) => ({ ...count('sign_ins', 'password', amount), day: time })
    const halves = ['2025-12-31T22:30', '2025-12-31T23:00', `${day(1)}T11:30`, `${day(1)}T12:00`, `${day(1)}T22:00`]
    await transact((tx) =>
      store.writeCounts(
        tx,
        halves.map((time, index) => half(time, 10 ** index)),
        'add',
      ),
    )
    await store.listCounts(db, ofDays(1))
    await store.listCounts(db, ofDays(1, 2))
    await store.findFirstDay(db)

    const rows = [
      activity,
      { ...activity, userId: 'v' },
      { ...activity, userId: 'gone' },
      { period: day(1), clientId: 'c', userId: 'u', endsOn: day(1) },
    ]
    await transact(async (tx) => {
      await store.insertActivities(tx, [])
      await store.insertActivities(tx, rows.slice(0, 1))
      await store.insertActivities(tx, rows)
    })
    for (const id of ['u', 'v', 'gone']) await own('ownActivities', statistics.ownActivities, { id, verifiedEmail: undefined })
    await sweep('activitiesBefore', statistics.activitiesBefore(day(1)))
    await sweep('activitiesBefore', statistics.activitiesBefore(day(2)))
    await sweep('countsBefore', statistics.countsBefore(day(1)))
    await sweep('countsBefore', statistics.countsBefore(day(2)))
    await store.listKeys(db, [day(1), day(2)])
  },
  { unordered: ['listKeys', 'insertActivities'] },
)
