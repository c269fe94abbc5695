/** Names of the IANA database: no offsets, which `Intl` knows too. */
const form = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/
const longest = 64

/** Most names whose zone is kept: there are about 600, in any case of their letters. */
const mostKnown = 1_000

const lookUp = (name: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Looks each name up once. The meaning of a name never changes, so the whole process may share the result. */
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
 * A time zone by its IANA name, as a browser says it; undefined for a name that `Intl` does not know. Pages send it with every call, and asking `Intl`
 * costs a quarter of a session check.
 */
export const readTimeZone = createReader()
