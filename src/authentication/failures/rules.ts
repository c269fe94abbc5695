/** Longest text from outside. */
const longestFact = 200

/** Text that is only a mail address. */
const word = /[^\s<>"'(),;:=&?/]+/g
/** Including the encoded form of a URL. */
const atSign = /@|%40/i

/** Text from outside without mail addresses and control characters for terminals, neither of which may be stored. */
export const redactText = (text: string): string =>
  text
    .slice(0, 4 * longestFact)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ')
    .replace(word, (found) => (atSign.test(found) ? '…' : found))
    .slice(0, longestFact)

/** Counts within a window of an hour. */
export interface Quota {
  /** Takes one of each key; if a key has none left, takes nothing and returns its index. */
  take(keys: readonly (readonly [key: string, max: number])[], now: Date): number | undefined
  /** Start of the window, in milliseconds. */
  windowOf(now: Date): number
}

const windowMs = 3_600_000
/** Largest number of keys in a window; beyond it, nothing with a new key is stored. */
const maxKeys = 20_000

/** Counts in memory, so that a flood of attempts costs no statements. */
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
