import * as metrics from '../../src/metrics/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const event = {
  ...{ type: 'user.created', occurred_at: at, actor_kind: 'system', subject_type: 'user', subject_id: 'u' },
  ...{ address: '', user_agent: '', request_id: '', data: '{}' },
}

compareStore(
  'metrics/store',
  metrics,
  async ({ store, db, insert }) => {
    await store.countWaiting(db)
    await store.countUnsealed(db)
    await store.listReaders(db)
    await insert('task', { id: '1', kind: 'mail', due_at: later })
    await insert('task', { id: '2', kind: 'mail', due_at: at, status: 'running' })
    await insert('task', { id: '3', kind: 'mail', due_at: new Date(0), status: 'done' })
    await insert('task', { id: '4', kind: 'export', due_at: later })
    await insert('task', { id: '5', kind: 'backup', status: 'dead' })
    for (const [id, position] of Object.entries({ a: 1, b: null, c: null })) await insert('event', { ...event, id, position })
    await insert('event_reader', { name: 'before the first', position: 0 })
    await store.listReaders(db)
    await db.knex('event_chain').delete()
    const chain = { id: 'chain', hash: '', start_position: 0, start_hash: '', seal: '' }
    await insert('event_chain', { ...chain, position: Number.MAX_SAFE_INTEGER })
    await insert('event_reader', { name: 'behind', position: 3 })
    await insert('event_reader', { name: 'done', position: Number.MAX_SAFE_INTEGER })
    await store.countWaiting(db)
    await store.countUnsealed(db)
    await store.listReaders(db)
  },
  { unordered: ['countWaiting', 'listReaders'] },
)
