/** Matches the form of names in the IANA database. `Intl` would also accept offsets such as `+02:00`, which this form excludes. */
const form = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/
const longest = 64

/** Largest number of names that are stored. There are about 600 time zones, but a name may have any mix of upper and lower case. */
const mostKnown = 1_000

const lookUp = (name: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Makes a function that asks `Intl` about each name only once, because the answer does not change while the process runs. */
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
 * Checks the name of a time zone that a browser has sent. Returns undefined if `Intl` does not know it. Pages send the name with every
 * call, and asking `Intl` each time would take a quarter of the time of a session check.
 */
export const readTimeZone = createReader()
