import { useCallback, useSyncExternalStore } from 'react'

/** The displayed answers while newer ones have arrived, by the hash of their query, with the lists that show them. */
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

/** The list shows the newest answer again. */
export const release = (hash: string): void => {
  if (held.delete(hash)) tell(hash)
}

/** The kept answer of a list; undefined: the newest. */
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

/** After a change: forms are sent, and lists show it. */
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

/** True while the server sends events: nothing has to be polled. */
export const useIsLive = (): boolean => useSyncExternalStore(watch, () => isLive)
