import { useCallback, useSyncExternalStore } from 'react'

/** What stays on the screen while a newer answer has come by itself, by the hash of its query; and who shows it. */
const held = new Map<string, unknown>()
const shown = new Map<string, Set<() => void>>()

const tell = (hash: string) => {
  for (const listener of shown.get(hash) ?? []) listener()
}

/** Keeps what a list shows, before it is asked for anew: rows do not move under somebody's hands. */
export const hold = (hash: string, data: unknown): void => {
  if (!shown.has(hash) || held.has(hash)) return
  held.set(hash, data)
  tell(hash)
}

/** From now on the list shows the newest answer. */
export const release = (hash: string): void => {
  if (held.delete(hash)) tell(hash)
}

/** What a list has to show instead of its newest answer; undefined: nothing. */
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

/** Fields of forms in which something was entered that was not sent yet. */
export const touched = new Set<Element>()

/** A change was made: forms are sent, and lists show it. */
export const settle = (): void => {
  touched.clear()
  for (const hash of [...held.keys()]) release(hash)
}

let isLive = false
const watchers = new Set<() => void>()

/** Notes whether the server says by itself what happens. */
export const setLive = (value: boolean): void => {
  isLive = value
  for (const watcher of watchers) watcher()
}

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** True while the server says by itself what happens: nothing has to be asked again and again. */
export const useIsLive = (): boolean => useSyncExternalStore(watch, () => isLive)
