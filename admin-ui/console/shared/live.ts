import { useCallback, useSyncExternalStore } from 'react'

/**
 * Answers that lists still show although newer ones have arrived, by the hash of their query. `shown` has the listeners of the lists that
 * show a query.
 */
const held = new Map<string, unknown>()
const shown = new Map<string, Set<() => void>>()

const tell = (hash: string) => {
  for (const listener of shown.get(hash) ?? []) listener()
}

/** Keeps the displayed rows before a refresh, so that rows do not move while somebody uses them. */
export const hold = (hash: string, data: unknown): void => {
  if (!shown.has(hash) || held.has(hash)) return
  held.set(hash, data)
  tell(hash)
}

/** Lets the list show the newest answer again. */
export const release = (hash: string): void => {
  if (held.delete(hash)) tell(hash)
}

/** The answer that a list still shows. Undefined if the list shows the newest answer. */
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

/** Fields of forms with unsent input. */
export const touched = new Set<Element>()

/** Called after a change: no form has unsent input any more, and lists show the newest answers. */
export const settle = (): void => {
  touched.clear()
  for (const hash of [...held.keys()]) release(hash)
}

let isLive = false
const watchers = new Set<() => void>()

/** Sets whether the server sends events. */
export const setLive = (value: boolean): void => {
  isLive = value
  for (const watcher of watchers) watcher()
}

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** True while the server sends events, so that nothing has to be polled. */
export const useIsLive = (): boolean => useSyncExternalStore(watch, () => isLive)
