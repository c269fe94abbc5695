/** The largest length of stored text that comes from outside. */
const longestFact = 200

/** A word. It is removed from stored text if it contains an at sign. */
const word = /[^\s<>"'(),;:=&?/]+/g
/** An at sign, also in the encoding of URLs. */
const atSign = /@|%40/i

/**
 * Removes mail addresses and control characters from text that comes from outside. Addresses must not be stored, and control characters
 * could affect a terminal.
 */
export const redactText = (text: string): string =>
  text
    .slice(0, 4 * longestFact)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ')
    .replace(word, (found) => (atSign.test(found) ? '…' : found))
    .slice(0, longestFact)

/** Counts within windows of an hour. */
export interface Quota {
  /** Takes one from the quota of each key. If a key has none left, it takes nothing and returns the index of that key. */
  take(keys: readonly (readonly [key: string, max: number])[], now: Date): number | undefined
  /** The start of the window, in milliseconds. */
  windowOf(now: Date): number
}

const windowMs = 3_600_000
/** The largest number of keys in a window. After that, attempts with a new key are not stored. */
const maxKeys = 20_000

/** Keeps the counts in memory, so that a flood of attempts causes no statements. */
export const createQuota = (): Quota => {
  let window = 0
  let used = new Map<string, number>()
  const windowOf = (now: Date) => Math.floor(now.getTime() / windowMs) * windowMs
  return {
    windowOf,
    take: (keys, now) => {
      const current = windowOf(now)
      if (current !== window) {
        window = current
        used = new Map()
      }
      const isOpen = ([key, max]: readonly [string, number]) => {
        const count = used.get(key)
        return count === undefined ? used.size < maxKeys : count < max
      }
      const exhausted = keys.findIndex((key) => !isOpen(key))
      if (exhausted >= 0) return exhausted
      for (const [key] of keys) used.set(key, (used.get(key) ?? 0) + 1)
      return undefined
    },
  }
}
