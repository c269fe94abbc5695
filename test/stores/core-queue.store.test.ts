import { rowsOf } from '../../src/backup/store/schema.ts'
import type { Db } from '../../src/core/db/database.ts'
import { time } from '../../src/core/db/table.ts'
import * as queue from '../../src/core/queue-store.ts'
import { systemRandom } from '../../src/core/random.ts'
import { createSignals } from '../../src/core/signals.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const earlier = new Date(at.getTime() - 1000)
const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)
const page = { sort: 'createdAt', order: 'asc', limit: 2, after: undefined } as const

/** `nextDue` returns a statement for the watch of a job. The result of the statement is compared. */
const store = {
  ...queue,
  nextDue: async (db: Db, kind: string, isPeriodic: boolean) =>
    (await rowsOf<{ due_at: unknown }>(db, queue.nextDue(kind, isPeriodic))).map((row) => time.decode(row.due_at)),
}

compareStore(
  'core/queue-store',
  store,
  async ({ store, db, transact, compareRows }) => {
    const task = (id: string, changes: Partial<queue.TaskRow> = {}): queue.TaskRow => ({
      ...{
        id,
        kind: 'mail',
        key: null,
        label: null,
        details: null,
        payload: '{"to":"ü"}',
        status: 'pending',
        attempts: 0,
        dueAt: at,
      },
      ...{ leaseToken: null, lastError: null, createdAt: at, expiresAt: null, ...changes },
    })
    const labelled = { label: 'reset Ü_%@example.com', details: { language: 'de', n: 2 ** 40, none: null } }
    await transact(async (tx) => {
      await store.insertTask(tx, task('t1', { key: 'k', ...labelled }))
      await store.insertTask(
        tx,
        task('t2', { key: 'k', dueAt: earlier, createdAt: later }),
        createSignals(systemRandom).wakeWith(tx, 'mail'),
      )
      await store.insertTask(tx, task('t3', { dueAt: later, createdAt: later, label: 'welcome' }))
      await store.insertTask(tx, task('t4', { kind: 'Mail', dueAt: latest, createdAt: latest, payload: null }))
      await store.insertTask(
        tx,
        task('dead', { status: 'dead', ...labelled, lastError: 'Ü', expiresAt: latest, attempts: 3, createdAt: latest }),
      )
      await store.insertTask(tx, task('done', { status: 'done', payload: null, expiresAt: at }))
      await store.insertTask(tx, task('sweep', { kind: 'sweep', dueAt: later }))
    })
    await store.nextDue(db, 'mail', false)
    await store.nextDue(db, 'sweep', true)
    await store.nextDue(db, 'none', false)
    await store.listOldestDue(db)
    await store.countDead(db)
    await store.listTasks(db, {}, 2)
    await store.listTasks(db, { ids: ['t1', 't4', 'T1'], status: ['pending', 'dead'] }, 10)
    await store.listTasks(db, { ids: [] }, 10)
    await store.listTasks(db, { kind: 'mail', status: [] }, 10)
    for (const id of ['dead', 'Dead']) {
      await store.findTask(db, id)
      await store.findListed(db, id)
    }
    await store.listDetails(db, 'mail', labelled.label, earlier)
    await store.listDetails(db, 'mail', labelled.label, at)
    await store.listDetails(db, 'mail', 'reset ü_%@example.com', earlier)
    await store.listDetails(db, 'mail', 'welcome', at).catch(() => undefined)

    await store.pageOfTasks(db, {}, page)
    await store.pageOfTasks(db, {}, { ...page, after: { value: later.getTime(), id: 't2' } })
    await store.pageOfTasks(db, {}, { ...page, order: 'desc', after: { value: latest.getTime(), id: 't4' } })
    await store.pageOfTasks(db, { kind: 'mail', status: ['dead'] }, page)
    await store.pageOfTasks(db, { word: 'reset' }, page)
    await store.pageOfTasks(db, { word: 'welcome', status: ['pending', 'done'] }, page)
    await store.pageOfTasks(db, { kind: 'mail', about: 'Ü_%@example.com' }, page)
    await store.pageOfTasks(db, { kind: 'mail', about: 'welcome' }, page)
    await store.pageOfTasks(db, { createdSince: later, createdUntil: latest }, page)

    const claim = { kind: 'mail', now: at, leaseEnd: later, leaseToken: 'l1', limit: 10 }
    await transact(async (tx) => {
      // Only the first task of its key, although the second is due earlier.
      await store.claimTasks(tx, claim)
      await store.claimTasks(tx, claim)
      // The lease of the first task has expired.
      await store.claimTasks(tx, { ...claim, now: later, leaseEnd: latest, leaseToken: 'l2', limit: 1 })
      await store.claimTasks(tx, { ...claim, now: later, leaseEnd: latest, leaseToken: 'l3' })
    })
    await transact(async (tx) => {
      await store.postponeFollowers(tx, task('t1', { key: 'k' }), latest)
      await store.postponeFollowers(tx, task('t1', { key: null }), latest)
      await store.updateHeld(tx, { id: 't1', leaseToken: 'l1' }, { lastError: 'x' })
      await store.updateHeld(
        tx,
        { id: 't1', leaseToken: 'l2' },
        { status: 'dead', lastError: 'Ü', leaseToken: null, payload: null },
      )
      await store.deleteHeld(tx, { id: 't3', leaseToken: 'l2' })
      await store.deleteHeld(tx, { id: 't3', leaseToken: 'l3' })
      await store.requeueDead(tx, 'dead', 'another', latest)
      await store.requeueDead(tx, 'dead', 'mail', latest)
      await store.deleteDead(tx, 't1')
      await store.deleteDead(tx, 't1')
    })
    await compareRows()
    await store.expiredTasks(earlier)
    await store.expiredTasks(latest)
    await transact(async (tx) => {
      await store.claimTasks(tx, { ...claim, kind: 'Mail', now: latest })
      await store.releaseTasks(tx)
      await store.holdTasks(tx, 'held', latest)
      await store.holdTasks(tx, 'held again', later)
      await store.countDead(tx)
      await store.insertOnce(tx, task('once', { details: {} }))
      await store.insertOnce(tx, task('once', { kind: 'another' }))
      for (const isPeriodic of [true, false])
        for (const kind of ['Mail', 'mail', 'another'])
          await store.bringForward(tx, { kind, now: earlier, isPeriodic, longestMs: 500 })
    })
  },
  { uncalled: ['sealContext'], unordered: ['listOldestDue', 'countDead', 'listDetails'] },
)
