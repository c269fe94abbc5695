/** Most characters of a fact that comes from outside. */
const longestFact = 200

/** A text that may be an email address as a whole. */
const word = /[^\s<>"'(),;:=&?/]+/g
/** Also in the encoded form of a URL. */
const atSign = /@|%40/i

/** Text from outside without addresses of mail and without what a terminal would obey, so that neither is stored. */
export const redactText = (text: string): string =>
  text
    .slice(0, 4 * longestFact)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ')
    .replace(word, (found) => (atSign.test(found) ? '…' : found))
    .slice(0, longestFact)

/** How much of one window is used up. The window is an hour. */
export interface Quota {
  /** Takes one of each key; where one has nothing left, that one's index, and nothing is taken. */
  take(keys: readonly (readonly [key: string, max: number])[], now: Date): number | undefined
  /** Beginning of the window, in milliseconds. */
  windowOf(now: Date): number
}

const windowMs = 3_600_000
/** Keys that are counted in one window: beyond it, nothing with a new key is kept. */
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
