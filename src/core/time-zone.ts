/** Names of the IANA database. Offsets, which `Intl` would accept, are excluded. */
const form = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/
const longest = 64

/** Largest number of stored names. About 600 exist, each in any mix of upper and lower case. */
const mostKnown = 1_000

const lookUp = (name: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Looks up each name once in the life of the process, because its meaning never changes. */
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
 * The time zone with this IANA name, which a browser sent. Undefined if `Intl` lacks it. Pages send the name with every call, and asking
 * `Intl` would cost a quarter of a session check.
 */
export const readTimeZone = createReader()
