/** Events for tests about events themselves. They have their own types, and are recorded with a row in an existing table. */
import { z } from 'zod'
import { systemPrincipal } from '../../src/access/principal.ts'
import type { Tx } from '../../src/core/db/database.ts'
import { createChain } from '../../src/core/events/chain.ts'
import { defineEvents } from '../../src/core/events/types.ts'
import type { TestApp } from './app.ts'

export const noteEvents = defineEvents({
  'note.written': { summary: 'A note was written.', subject: 'note', data: z.object({ length: z.number() }) },
  'note.torn': { summary: 'A note was torn up.', subject: 'note', data: z.object({}) },
})

export const writer = systemPrincipal('events-test')

/** Writes a row and records an event in one transaction. Tests check that both exist or neither. */
export const writeNote = async (app: Pick<TestApp['app'], 'events'>, tx: Tx, id: string): Promise<void> => {
  await tx.knex('rate_limit').insert({ key: `note:${id}`, window_start: new Date(0), count: 1 })
  await app.events.record(tx, writer, noteEvents['note.written'], { subject: id, data: { length: id.length } })
}

export const isWritten = async ({ app }: TestApp, id: string): Promise<boolean> =>
  (await app.core.db
    .knex('rate_limit')
    .where({ key: `note:${id}` })
    .first('key')) !== undefined

export interface EventLine {
  readonly id: string
  readonly subject_id: string
  readonly type: string
  readonly position: number | null
  readonly hash: string | null
  readonly data: string
}

/** All events: sealed events in the order of the chain, and then the others. */
export const eventsOf = async ({ app }: TestApp): Promise<readonly EventLine[]> => {
  const rows: EventLine[] = await app.core.db.knex('event').select().orderBy('occurred_at').orderBy('id')
  const place = ({ position }: EventLine) => position ?? Number.POSITIVE_INFINITY
  return rows.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)))
}

/** Seals all events that are not sealed yet. */
export const sealAll = async ({ app }: TestApp): Promise<void> => {
  const chain = createChain(app.core)
  while ((await chain.seal()) > 0);
}
