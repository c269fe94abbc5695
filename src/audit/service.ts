import type { Db } from '../core/db/database.ts'
import type { Chain } from '../core/events/chain.ts'
import * as store from '../core/events/store.ts'
import { type Verification, verifyChain } from '../core/events/verify.ts'
import { auditErrors } from './errors.ts'

/** What a list of events is narrowed to; all of it must fit. */
export interface EventQuery {
  readonly type?: string | undefined
  /** Id of what the event is about. */
  readonly subject?: string | undefined
  /** Id of who did it: user, application or API key. */
  readonly actor?: string | undefined
  /** Id of the organization it happened in. */
  readonly organization?: string | undefined
  readonly since?: Date | undefined
  /** Id of an event: only older ones. */
  readonly before?: string | undefined
}

/** An event as it is shown. `position` is null until it is sealed. */
export interface ShownEvent extends Omit<store.EventRow, 'data'> {
  readonly data: unknown
}

export interface Audit {
  /** Newest first. Throws EVENT_NOT_FOUND when there is none with the id `before`. */
  list(query: EventQuery, limit: number): Promise<readonly ShownEvent[]>
  /** Reads the whole chain and names what is wrong with it. */
  verify(): Promise<Verification>
}

export const createAudit = (db: Db, chain: Chain): Audit => ({
  list: async ({ before: id, ...filter }, limit) => {
    const before = id === undefined ? undefined : await store.findEvent(db, id)
    if (id !== undefined && before === undefined) throw auditErrors.error('EVENT_NOT_FOUND')
    const rows = await store.listEvents(db, { ...filter, before }, limit)
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }))
  },
  verify: () => verifyChain(db, chain),
})
