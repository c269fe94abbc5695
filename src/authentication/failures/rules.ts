/** The largest length of a stored text that comes from a client or a provider. */
const longestFact = 200

/** Matches a word. A word with an at sign is removed from stored text. */
const word = /[^\s<>"'(),;:=&?/]+/g
/** Matches an at sign, also in the percent-encoding of URLs. */
const atSign = /@|%40/i

/**
 * Removes mail addresses and control characters from text of a client or a provider. Mail addresses must not be stored, and control
 * characters could affect a terminal.
 */
export const redactText = (text: string): string =>
  text
    .slice(0, 4 * longestFact)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ')
    .replace(word, (found) => (atSign.test(found) ? '…' : found))
    .slice(0, longestFact)

/** Limits how often each key is used within an hour of the clock. */
export interface Quota {
  /** Uses up one unit of the quota of each key. If a key has none left, nothing is used up, and the index of that key is returned. */
  take(keys: readonly (readonly [key: string, max: number])[], now: Date): number | undefined
  /** The start of the present hour, in milliseconds since the epoch. */
  windowOf(now: Date): number
}

const windowMs = 3_600_000
/** The largest number of keys in an hour. When it is reached, attempts with a new key are not stored. */
const maxKeys = 20_000

/** Keeps the counts in memory, so that a flood of attempts causes no database statements. */
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
