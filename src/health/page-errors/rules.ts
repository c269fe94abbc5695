/** Longest text in a log line. */
const longest = 200

const cut = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, longest).toWellFormed()

/**
 * The message of an error, without text that people typed and without parts of addresses. The following become `…`: quoted texts (in
 * single quotes only if they do not name parts of a program), mail addresses, queries, and long runs with digits, such as tokens.
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

/** The first part of the path, which shows the kind of page. The rest may be secret, such as the id of an invitation. */
export const pageKind = (path: string): string => /^\/[a-z][a-z-]{0,30}(?=\/|$)/.exec(path)?.[0] ?? 'other'

/** Lines and columns in gatehouse's own scripts. The rest of a stack is left out. */
export const placesOf = (source: string): string =>
  (source.match(/\/assets\/[\w.-]{1,60}\.js:\d{1,7}:\d{1,7}/g) ?? []).slice(0, 3).join(' ')

/** Family and version of a browser: `Firefox/115`. This is too little to recognise a person by it. */
export const browserOf = (userAgent: string): string =>
  /(?:Firefox|FxiOS|CriOS|Edg|Chrome|Version)\/\d{1,4}(?:\.\d{1,2})?/.exec(userAgent)?.[0].replace('Version', 'Safari') ?? 'other'
