import { parseUrl } from '../../src/core/web.ts'

/** Query parameters with the return URL; hosted pages pass them on to each other. */
const keptParameters = ['interaction', 'callbackURL', 'ui_locales']

/** The address of a hosted page, with the parameters of the return URL. */
export const pageUrl = (path: string, query: URLSearchParams, more: Readonly<Record<string, string>> = {}): string => {
  const next = new URLSearchParams(more)
  for (const name of keptParameters) {
    const value = query.get(name)
    if (value !== null && value !== '' && !next.has(name)) next.set(name, value)
  }
  const text = next.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The address that continues an application's sign-in; undefined if there is no such sign-in. */
const interactionUrl = (query: URLSearchParams): string | undefined => {
  const uid = query.get('interaction')
  return uid === null || uid === '' ? undefined : `/interaction/${encodeURIComponent(uid)}`
}

/**
 * The return URL: the sign-in of an application, or else the `callbackURL` of the page, or else the account. It is sent with the call
 * that starts a session, so that a link in a mail has it, too. The server refuses a `callbackURL` that is not trusted.
 */
export const returnUrlOf = (query: URLSearchParams): string =>
  interactionUrl(query) ?? (query.get('callbackURL') || undefined) ?? '/account'

/** True for an address of this origin, which needs no check by the server. */
export const isSameOrigin = (address: string): boolean => parseUrl(address, location.origin)?.origin === location.origin

/**
 * The return URL of a verification mail. On this origin it is the page that says that the verification worked. An address elsewhere is
 * sent to the server unchanged, because only the server decides whether it is trusted.
 */
export const afterVerification = (query: URLSearchParams): string => {
  const destination = returnUrlOf(query)
  return isSameOrigin(destination) ? pageUrl('/verified', query) : destination
}

/** The return URL if it is on this origin. Otherwise it is the sign-in page, where the server checks the address. */
export const sameOriginReturnUrl = (query: URLSearchParams): string => {
  const destination = returnUrlOf(query)
  return isSameOrigin(destination) ? destination : pageUrl('/sign-in', query)
}

/** Schemes that run code or open files. The server refuses them, too. */
const executableSchemes = /^(javascript|data|vbscript|blob|file):$/

/** Goes to an address that the server has checked. */
export const goTo = (address: string, how: 'assign' | 'replace' = 'assign') => {
  const url = new URL(address, location.origin)
  if (executableSchemes.test(url.protocol)) throw new Error('this address cannot be opened')
  location[how](url)
}
