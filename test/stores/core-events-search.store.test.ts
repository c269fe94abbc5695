import * as search from '../../src/core/events/search.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)

compareStore('core/events/search', search, async ({ store: { searchEvents, totalOfEvents }, db, insert }) => {
  const event = (id: string, changes: Readonly<Record<string, unknown>> = {}) =>
    insert('event', {
      ...{ id, type: 'user.created', occurred_at: at, actor_kind: 'user', actor_id: 'u', subject_type: 'user', subject_id: 'u' },
      ...{ address: '10.0.0.1', user_agent: '', request_id: 'q', data: '{}', ...changes },
    })
  const full = { reason: 'Ünal %_', session_id: 's', impersonator_id: 'ü', organization_id: 'o', position: 2 ** 50, hash: 'h' }
  await event('e2')
  await event('E1')
  await event('e3', { ...full, occurred_at: later, type: 'session.created' })
  await event('e4', { occurred_at: latest, actor_kind: 'system', actor_id: null, request_id: 'Q', type: 'session.created' })
  await event('e5', { occurred_at: latest, actor_kind: 'application', address: '::1', subject_id: 'c' })
  const page = { order: 'asc', limit: 10 } as const
  const filters: readonly search.EventFilter[] = [
    {},
    { types: [] },
    { types: ['session.created'] },
    { types: ['user.created', 'session.created'], actorKind: 'user' },
    { actorKind: 'user' },
    { actorKind: 'system' },
    { requestId: 'q', address: '10.0.0.1', subjectId: 'u' },
    { reason: 'Ünal %_', impersonatorId: 'ü', sessionId: 's', organizationId: 'o', actorId: 'u' },
    { reason: 'ünal %_' },
    { subjectId: 'u', types: ['user.created'], actorKind: 'application' },
    { since: later, until: latest },
    { since: latest, subjectId: 'c' },
  ]
  for (const filter of filters) await searchEvents(db, filter, page)
  for (const filter of filters) await totalOfEvents(db, filter)
  for (const order of ['asc', 'desc'] as const) {
    await searchEvents(db, {}, { order, limit: 2 })
    await searchEvents(db, {}, { order, limit: 2, after: { id: 'e3', occurredAt: later } })
    await searchEvents(db, { subjectId: 'u', types: ['user.created'] }, { order, limit: 1, after: { id: 'e2', occurredAt: at } })
    await searchEvents(
      db,
      { types: ['user.created', 'session.created'] },
      { order, limit: 1, after: { id: 'e4', occurredAt: latest } },
    )
  }
})
