/** How many characters of a text are logged at most. */
const longest = 200

const cut = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, longest).toWellFormed()

/**
 * Removes from an error message what people have typed and parts of URLs. These are replaced by `…`: quoted texts (in single quotes only
 * if they are not names in a program), email addresses, query strings, and long runs with digits, such as tokens.
 */
export const withoutPersonalData = (text: string): string =>
  cut(
    text
      .slice(0, 1000)
      .replace(/"[^"]*"?/g, '…')
      .replace(/(?<!\w)'([^']*)'/g, (quoted, inner: string) => (/^[\w$.-]{1,40}$/.test(inner) ? quoted : '…'))
      .replace(/[^\s'<>()]+/g, (word) => (word.includes('@') ? '…' : word))
      .replace(/[?#][^\s'<>()]*/g, '…')
      .replace(/[\w-]+/g, (run) => (run.length > 12 && /\d/.test(run) ? '…' : run)),
  )

/**
 * The first segment of a path, which says what kind of page it is. The rest is removed, because it may be secret, such as the id of an
 * invitation.
 */
export const pageKind = (path: string): string => /^\/[a-z][a-z-]{0,30}(?=\/|$)/.exec(path)?.[0] ?? 'other'

/** The lines and columns in gatehouse's own scripts that a stack trace contains. Everything else is removed. */
export const placesOf = (source: string): string =>
  (source.match(/\/assets\/[\w.-]{1,60}\.js:\d{1,7}:\d{1,7}/g) ?? []).slice(0, 3).join(' ')

/** The family and version of a browser, such as `Firefox/115`. This is too little to recognize a person. */
export const browserOf = (userAgent: string): string =>
  /(?:Firefox|FxiOS|CriOS|Edg|Chrome|Version)\/\d{1,4}(?:\.\d{1,2})?/.exec(userAgent)?.[0].replace('Version', 'Safari') ?? 'other'
