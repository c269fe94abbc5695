import type { Db } from '../../core/db/database.ts'
import { findHead } from '../../core/events/chain-store.ts'
import { type EventHeading, listHeadings } from '../../core/events/store.ts'

/** Receives audit events in the order of the chain. */
export interface Listener {
  /** Passes the listener all events up to `position`. Each event is passed only once. */
  tell(events: readonly EventHeading[], position: number): void
  /**
   * Called in place of `tell` if the feed no longer remembers all events that the listener has missed. The client has to load everything
   * again.
   */
  reset(position: number): void
}

/** Reads newly sealed audit events once, and passes them to all listeners. */
export interface Feed {
  /**
   * Reads newly sealed events and passes them to the listeners. `before` is called first and may remove listeners. Returns false if there
   * are no new events. Simultaneous calls run one after another.
   */
  read(before?: () => Promise<void>): Promise<boolean>
  /** Adds a listener and passes it the remembered events after a position, or since a time. The caller has to call `read` before. */
  add(listener: Listener, after: number | Date): void
  remove(listener: Listener): void
}

/** How many events are remembered for clients that connect again. A client that has missed more events has to load its page again. */
export const remembered = 500

/** The position of the newest sealed event. */
const headOf = async (db: Db) => (await findHead(db))?.position ?? 0

export const createFeed = (db: Db): Feed => {
  const listeners = new Set<Listener>()
  /** The feed remembers every stored event whose position is greater than `from` and at most `position`. */
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
    // If the database was restored, its head can be before the position that this node or the client knows.
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
