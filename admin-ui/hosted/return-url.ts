import { parseUrl } from '../../src/core/web.ts'

/**
 * Query parameters that a hosted page adds to its links to other hosted pages: the two that decide the return URL, and the requested
 * languages (`ui_locales`).
 */
const keptParameters = ['interaction', 'callbackURL', 'ui_locales']

/** The address of a hosted page, with those query parameters of the present page that hosted pages pass on. */
export const pageUrl = (path: string, query: URLSearchParams, more: Readonly<Record<string, string>> = {}): string => {
  const next = new URLSearchParams(more)
  for (const name of keptParameters) {
    const value = query.get(name)
    if (value !== null && value !== '' && !next.has(name)) next.set(name, value)
  }
  const text = next.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The URL that continues an application's sign-in. Undefined if the page belongs to no such sign-in. */
const interactionUrl = (query: URLSearchParams): string | undefined => {
  const uid = query.get('interaction')
  return uid === null || uid === '' ? undefined : `/interaction/${encodeURIComponent(uid)}`
}

/**
 * The URL to go to after a sign-in: the application's sign-in if there is one, otherwise the page's `callbackURL`, otherwise the account
 * area. It is also sent with calls that mail a link, so that the link leads there, too. The server refuses a `callbackURL` that is not
 * trusted.
 */
export const returnUrlOf = (query: URLSearchParams): string =>
  interactionUrl(query) ?? (query.get('callbackURL') || undefined) ?? '/account'

/** True if the URL is on the page's own origin. The server need not check such a URL. */
export const isSameOrigin = (address: string): boolean => parseUrl(address, location.origin)?.origin === location.origin

/**
 * The URL that the link in a verification mail leads to. If the return URL is on this origin, it is the page that confirms the
 * verification. Any other return URL is sent to the server unchanged, because only the server decides whether it is trusted.
 */
export const afterVerification = (query: URLSearchParams): string => {
  const destination = returnUrlOf(query)
  return isSameOrigin(destination) ? pageUrl('/verified', query) : destination
}

/** The return URL if it is on this origin. Otherwise the sign-in page with that URL as its parameter, because there the server checks the URL. */
export const sameOriginReturnUrl = (query: URLSearchParams): string => {
  const destination = returnUrlOf(query)
  return isSameOrigin(destination) ? destination : pageUrl('/sign-in', query)
}

/** Schemes of URLs that run code or open files. The server refuses such URLs, too. */
const executableSchemes = /^(javascript|data|vbscript|blob|file):$/

/** Goes to a URL that the server has checked. */
export const goTo = (address: string, how: 'assign' | 'replace' = 'assign') => {
  const url = new URL(address, location.origin)
  if (executableSchemes.test(url.protocol)) throw new Error('this address cannot be opened')
  location[how](url)
}
