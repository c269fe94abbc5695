/** Longest text in a log line. */
const longest = 200

const cut = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, longest).toWellFormed()

/**
 * The message of an error without typed text and parts of addresses. These become `…`: quoted texts (in single quotes unless they name
 * parts of a program), mail addresses, queries, and long runs with digits such as tokens.
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

/** The kind of page; the rest of its path may be secret, like the id of an invitation. */
export const pageKind = (path: string): string => /^\/[a-z][a-z-]{0,30}(?=\/|$)/.exec(path)?.[0] ?? 'other'

/** Lines and columns in gatehouse's scripts; the rest of a stack is left out. */
export const placesOf = (source: string): string =>
  (source.match(/\/assets\/[\w.-]{1,60}\.js:\d{1,7}:\d{1,7}/g) ?? []).slice(0, 3).join(' ')

/** Family and version of a browser, too little to recognise one: `Firefox/115`. */
export const browserOf = (userAgent: string): string =>
  /(?:Firefox|FxiOS|CriOS|Edg|Chrome|Version)\/\d{1,4}(?:\.\d{1,2})?/.exec(userAgent)?.[0].replace('Version', 'Safari') ?? 'other'
