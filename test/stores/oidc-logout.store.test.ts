import * as notices from '../../src/oidc/logout/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const notice = (id: string, ms: number, changes: Partial<notices.NoticeRow> = {}): notices.NoticeRow => ({
  ...{ id, clientId: 'c', userId: 'u', sessionId: 's', cause: 'session.ended', state: 'waiting', attempts: 0, answer: null },
  ...{ problem: null, createdAt: time(ms), attemptedAt: null, expiresAt: time(100 + ms) },
  ...changes,
})

compareStore('oidc/logout/store', notices, async ({ store, db, transact, insert, own, sweep }) => {
  await insert('oauth_client', { id: '1', client_id: 'c' })
  await insert('oauth_client', { id: '2', client_id: 'd' })
  await transact((tx) =>
    store.insertNotices(tx, [notice('1', 1), notice('2', 2, { clientId: 'd' }), notice('3', 2, { userId: 'v' }), notice('4', 4)]),
  )
  await transact(async (tx) => {
    await store.updateNotice(tx, '1', { state: 'delivered', attempts: 2, answer: 204, problem: null, attemptedAt: time(9) })
    await store.updateNotice(tx, '2', { state: 'failed', problem: 'ü' })
    await store.updateNotice(tx, 'unknown', { state: 'failed' })
  })
  for (const id of ['1', '2', 'unknown']) await store.findNotice(db, id)
  for (const filter of [{}, { clientId: 'c' }, { userId: 'u' }, { clientId: 'd', userId: 'u' }, { userId: 'unknown' }])
    for (const order of ['asc', 'desc'] as const) {
      const cursor = { sort: 'createdAt', order, limit: 2, after: undefined }
      await store.pageOfNotices(db, { clientId: undefined, userId: undefined, ...filter }, cursor)
      const after = { value: time(2).getTime(), id: '2' }
      await store.pageOfNotices(db, { clientId: undefined, userId: undefined, ...filter }, { ...cursor, after })
    }
  await transact(async (tx) => {
    await store.updateNotice(tx, '2', { attempts: 3, attemptedAt: time(5) })
    await store.updateNotice(tx, '3', { attempts: 9, problem: 'p', attemptedAt: time(8) })
    await store.updateNotice(tx, '4', { attempts: 9, problem: 'q', attemptedAt: time(10) })
  })
  for (const limit of [1, 10]) await store.listUnheard(db, limit)
  await own('ownNotices', notices.ownNotices, { id: 'u', verifiedEmail: undefined })
  await sweep('noticesBefore', notices.noticesBefore(time(102)))
})
