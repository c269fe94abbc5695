import type { Db } from '../core/db/database.ts'
import { findHead } from '../core/events/chain-store.ts'
import { comparePlaces, type NotedPlace } from '../core/events/compare.ts'
import type { Log } from '../core/log.ts'

/** Logs the head of the chain where it has changed: an attacker who puts an older one back in the database does not change the log. */
export const createHeadLog = (db: Db, log: Log): (() => Promise<void>) => {
  let last: NotedPlace | undefined
  return async () => {
    const head = await findHead(db)
    if (head === undefined || head.hash === last?.hash) return
    const now = { position: head.position, hash: head.hash }
    const { differing } = await comparePlaces(db, last === undefined ? [now] : [last, now])
    if (last !== undefined && differing.includes(last))
      log.error(last, 'the event chain lost the place that was logged: its events were changed or removed in the database')
    // The hash with which a new segment begins is that of no event.
    last = differing.includes(now) ? undefined : now
    if (last !== undefined) log.info(last, 'the head of the event chain')
  }
}
