import type { Db } from '../../core/db/database.ts'
import { findHead } from '../../core/events/chain-store.ts'
import { type EventHeading, listHeadings } from '../../core/events/store.ts'

/** Receives what happens, in the order of the chain. */
export interface Listener {
  /** Events up to a position of the chain; none of them is told twice. */
  tell(events: readonly EventHeading[], position: number): void
  /** More has happened than the feed remembers: every earlier answer may be outdated. */
  reset(position: number): void
}

/** Newest sealed events, read once for everybody who listens. */
export interface Feed {
  /**
   * Reads the events sealed since the last run, and notifies the listeners when `before` has decided who listens. False when there were none. Runs one
   * after the other.
   */
  read(before?: () => Promise<void>): Promise<boolean>
  /** Tells a new listener what has happened behind a position or since a time, as far as that is still known, and adds it. Call it after `read`. */
  add(listener: Listener, after: number | Date): void
  remove(listener: Listener): void
}

/** Number of events that are remembered for reconnecting clients; a client that missed more reads anew. */
export const remembered = 500

/** The position of the newest sealed event. */
const headOf = async (db: Db) => (await findHead(db))?.position ?? 0

export const createFeed = (db: Db): Feed => {
  const listeners = new Set<Listener>()
  /** The remembered events: every stored event behind `from`, up to `position`. */
  let [from, position]: [number, number] = [0, 0]
  let isBegun = false
  let events: readonly EventHeading[] = []
  let last: Promise<unknown> = Promise.resolve()

  const read = async (before: (() => Promise<void>) | undefined): Promise<boolean> => {
    const head = await headOf(db)
    if (isBegun && head === position) return false
    const after = Math.max(0, head - remembered, ...(head >= position ? [position] : []))
    const found = await listHeadings(db, after, head)
    await before?.()
    // A head that went back is that of a database that was restored.
    const isGap = after > position || head < position
    events = isGap ? found : [...events, ...found].filter((event) => event.position > head - remembered)
    from = isGap ? after : Math.max(from, head - remembered)
    position = head
    isBegun = true
    for (const listener of listeners) {
      if (isGap) listener.reset(position)
      else listener.tell(found, position)
    }
    return true
  }
  return {
    read: (before) => {
      const next = last.then(() => read(before))
      last = next.catch(() => undefined)
      return next
    },
    add: (listener, after) => {
      const isMissed = (event: EventHeading) => (after instanceof Date ? event.occurredAt >= after : event.position > after)
      if (after instanceof Date || (after >= from && after <= position)) listener.tell(events.filter(isMissed), position)
      else listener.reset(position)
      listeners.add(listener)
    },
    remove: (listener) => void listeners.delete(listener),
  }
}
