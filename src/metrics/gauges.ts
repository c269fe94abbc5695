import type { Core } from '../core/core.ts'
import type { Database } from '../core/db/database.ts'
import type { Metrics } from '../core/metrics.ts'
import { countDead } from '../core/queue-store.ts'
import * as store from './store.ts'

interface Deps extends Pick<Core, 'db' | 'clock'> {
  readonly metrics: Metrics
  readonly database: Database
}

/** Declares the gauges whose values are read from the database and from its connection pool whenever metrics are requested. */
export const declareGauges = ({ db, clock, metrics, database }: Deps): void => {
  metrics.gauge(
    { name: 'gatehouse_tasks_waiting', help: 'Tasks that wait or run, by kind; mail.send is the outbox.', labels: ['kind'] },
    async () => (await store.countWaiting(db)).map(({ kind, amount }) => ({ labels: { kind }, value: amount })),
  )
  metrics.gauge({ name: 'gatehouse_tasks_dead', help: 'Tasks that were given up, by kind.', labels: ['kind'] }, async () =>
    (await countDead(db)).map(({ kind, amount }) => ({ labels: { kind }, value: amount })),
  )
  const secondsSince = (time: Date) => Math.max(0, (clock.now().getTime() - time.getTime()) / 1000)
  metrics.gauge(
    {
      name: 'gatehouse_task_lag_seconds',
      help: 'How long the oldest task of a kind could have been begun; 0 when none is due.',
      labels: ['kind'],
    },
    async () => (await store.countWaiting(db)).map(({ kind, oldest }) => ({ labels: { kind }, value: secondsSince(oldest) })),
  )
  metrics.gauge({ name: 'gatehouse_events_unsealed', help: 'Events that are not in the chain yet.', labels: [] }, async () => [
    { labels: {}, value: await store.countUnsealed(db) },
  ])
  metrics.gauge(
    {
      name: 'gatehouse_event_reader_behind',
      help: 'Events that a reader has yet to handle; it grows when the reader fails.',
      labels: ['reader'],
    },
    async () => (await store.listReaders(db)).map(({ name, behind }) => ({ labels: { reader: name }, value: behind })),
  )
  metrics.gauge(
    {
      name: 'gatehouse_database_connections',
      help: 'Connections of this node, and requests that wait for one.',
      labels: ['state'],
    },
    () => Object.entries(database.pool()).map(([state, value]) => ({ labels: { state }, value })),
  )
}
