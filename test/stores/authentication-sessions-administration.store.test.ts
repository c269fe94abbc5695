import * as sessions from '../../src/authentication/sessions/administration/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)
const page = { sort: 'createdAt', order: 'asc', limit: 2, after: undefined } as const

compareStore('authentication/sessions/administration/store', sessions, async ({ store, db, seed, insert }) => {
  await seed('user', 'organization', 'team')
  await insert('user', { id: 'u2', email: 'Ü@example.com', name: 'Ünal %_' })
  const session = (id: string, changes: Readonly<Record<string, unknown>> = {}) =>
    insert('session', { id, token_hash: `of ${id}`, ip_address: '10.0.0.1', expires_at: latest, ...changes })
  await session('s1')
  await session('s2', { created_at: later, ip_address: '::1', active_organization_id: null, active_team_id: null })
  await session('s3', { created_at: later, user_id: 'u2', impersonated_by: 'u', impersonator_session_id: 's1' })
  await session('s4', { created_at: latest, user_id: 'u2', user_agent: 'Größe/1.0' })
  await session('s5', { created_at: latest, expires_at: at })
  const behind = (time: Date, id: string) => ({ value: time.getTime(), id })
  await store.pageOfSessions(db, {}, at, page)
  await store.pageOfSessions(db, {}, at, { ...page, after: behind(later, 's2') })
  await store.pageOfSessions(db, {}, at, { ...page, order: 'desc' })
  await store.pageOfSessions(db, {}, at, { ...page, order: 'desc', after: behind(later, 's3') })
  await store.pageOfSessions(db, {}, latest, page)
  await store.pageOfSessions(db, { userId: 'u' }, new Date(at.getTime() - 1), { ...page, limit: 10 })
  await store.pageOfSessions(db, { ipAddress: '10.0.0.1' }, at, { ...page, limit: 10 })
  await store.pageOfSessions(db, { userId: 'u2', ipAddress: '10.0.0.1' }, at, { ...page, limit: 10 })
  await store.pageOfSessions(db, { userId: 'u', ipAddress: '10.0.0.2' }, at, page)
})
