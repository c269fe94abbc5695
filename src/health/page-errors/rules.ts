/** Longest part of a text that is logged. */
const longest = 200

const cut = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, longest).toWellFormed()

/**
 * The message of an error without typed text and contents of addresses: texts in double quotes, texts in single quotes that are no
 * names of a program, mail addresses, queries, and long runs with digits, such as tokens, become `…`.
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

/** The kind of page: the rest of its path may be secret, such as the id of an invitation. */
export const pageKind = (path: string): string => /^\/[a-z][a-z-]{0,30}(?=\/|$)/.exec(path)?.[0] ?? 'other'

/** Scripts of our own with line and column; the rest of a stack is left out. */
export const placesOf = (source: string): string =>
  (source.match(/\/assets\/[\w.-]{1,60}\.js:\d{1,7}:\d{1,7}/g) ?? []).slice(0, 3).join(' ')

/** Family and version of a browser, which tell too little to recognise one: `Firefox/115`. */
export const browserOf = (userAgent: string): string =>
  /(?:Firefox|FxiOS|CriOS|Edg|Chrome|Version)\/\d{1,4}(?:\.\d{1,2})?/.exec(userAgent)?.[0].replace('Version', 'Safari') ?? 'other'
