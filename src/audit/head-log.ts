import type { Db } from '../core/db/database.ts'
import { findHead } from '../core/events/chain-store.ts'
import { comparePlaces, type NotedPlace } from '../core/events/compare.ts'
import type { Log } from '../core/log.ts'

/** Writes each new head of the event chain to the log. An attacker who resets the chain in the database cannot change the log. */
export const createHeadLog = (db: Db, log: Log): (() => Promise<void>) => {
  let last: NotedPlace | undefined
  return async () => {
    const head = await findHead(db)
    if (head === undefined || head.hash === last?.hash) return
    const now = { position: head.position, hash: head.hash }
    const { differing } = await comparePlaces(db, last === undefined ? [now] : [last, now])
    if (last !== undefined && differing.includes(last))
      log.error(last, 'the event chain lost the place that was logged: its events were changed or removed in the database')
    // After a reset of the chain, the head is the first hash of a new segment, which no event has. Such a head is not logged as a new
    // one.
    last = differing.includes(now) ? undefined : now
    if (last !== undefined) log.info(last, 'the head of the event chain')
  }
}
