import { useCallback, useSyncExternalStore } from 'react'

/**
 * Responses that lists still show although newer ones have arrived, by the hash of the query. `shown` contains the listeners of the lists
 * that show a query.
 */
const held = new Map<string, unknown>()
const shown = new Map<string, Set<() => void>>()

const tell = (hash: string) => {
  for (const listener of shown.get(hash) ?? []) listener()
}

/** Remembers the displayed rows before a refresh, so that rows do not move while somebody uses the list. */
export const hold = (hash: string, data: unknown): void => {
  if (!shown.has(hash) || held.has(hash)) return
  held.set(hash, data)
  tell(hash)
}

/** Forgets the remembered rows of a query, so that the list shows the newest response. */
export const release = (hash: string): void => {
  if (held.delete(hash)) tell(hash)
}

/** The remembered response that a list still shows. Undefined if the list shows the newest response. */
export const useHeld = (hash: string): unknown => {
  const subscribe = useCallback(
    (listener: () => void) => {
      const listeners = shown.get(hash) ?? new Set()
      shown.set(hash, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        shown.delete(hash)
        held.delete(hash)
      }
    },
    [hash],
  )
  return useSyncExternalStore(subscribe, () => held.get(hash))
}

/** Form fields with input that has not been sent. */
export const touched = new Set<Element>()

/** Called after a change was made: no form counts as having unsent input any more, and lists show the newest responses. */
export const settle = (): void => {
  touched.clear()
  for (const hash of [...held.keys()]) release(hash)
}

let isLive = false
const watchers = new Set<() => void>()

/** Stores whether the connection to the server's event stream is working. */
export const setLive = (value: boolean): void => {
  isLive = value
  for (const watcher of watchers) watcher()
}

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** True while the event stream is working, so that nothing has to be polled. */
export const useIsLive = (): boolean => useSyncExternalStore(watch, () => isLive)
