import type { Db } from '../../core/db/database.ts'
import { findHead } from '../../core/events/chain-store.ts'
import { type EventHeading, listHeadings } from '../../core/events/store.ts'

/** Receives events in the order of the chain. */
export interface Listener {
  /** Receives the events up to a position, each only once. */
  tell(events: readonly EventHeading[], position: number): void
  /** Called instead of `tell` if the feed does not remember all missed events: every earlier answer may be outdated. */
  reset(position: number): void
}

/** The newest sealed events, read once for all listeners. */
export interface Feed {
  /**
   * Reads newly sealed events and passes them to the listeners, after `before` has removed some listeners. False if there are no new
   * events. Runs do not overlap.
   */
  read(before?: () => Promise<void>): Promise<boolean>
  /** Adds a listener, and passes it the remembered events after a position or since a time. Callers call `read` first. */
  add(listener: Listener, after: number | Date): void
  remove(listener: Listener): void
}

/** Number of events remembered for reconnecting clients. A client that missed more events loads its page again. */
export const remembered = 500

/** The position of the newest sealed event. */
const headOf = async (db: Db) => (await findHead(db))?.position ?? 0

export const createFeed = (db: Db): Feed => {
  const listeners = new Set<Listener>()
  /** The feed remembers every stored event after `from`, up to `position`. */
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
    // The head is before the known position after a restore of the database.
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
