/** Names of the IANA database, without offsets, which `Intl` accepts, too. */
const form = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/
const longest = 64

/** Largest number of stored names: there are about 600, in any case. */
const mostKnown = 1_000

const lookUp = (name: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Looks up each name once for the process: its meaning never changes. */
const createReader = () => {
  const known = new Map<string, string | undefined>()
  return (text: unknown): string | undefined => {
    if (typeof text !== 'string' || text.length > longest || !form.test(text)) return undefined
    if (known.has(text)) return known.get(text)
    if (known.size >= mostKnown) known.clear()
    const zone = lookUp(text)
    known.set(text, zone)
    return zone
  }
}

/**
 * A time zone by its IANA name from a browser; undefined if `Intl` lacks it. Pages send it with every call, and `Intl` costs a quarter of
 * a session check.
 */
export const readTimeZone = createReader()
