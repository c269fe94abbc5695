/** Query names that say where a person wants to go; kept on the way between pages. */
const kept = ['interaction', 'callbackURL', 'ui_locales']

/** A hosted page's address that keeps where the person was going. */
export const pageUrl = (path: string, query: URLSearchParams, more: Readonly<Record<string, string>> = {}): string => {
  const next = new URLSearchParams(more)
  for (const name of kept) {
    const value = query.get(name)
    if (value !== null && value !== '' && !next.has(name)) next.set(name, value)
  }
  const text = next.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The address that goes on with the sign-in of an application, if one is under way. */
const interactionUrl = (query: URLSearchParams): string | undefined => {
  const uid = query.get('interaction')
  return uid === null || uid === '' ? undefined : `/interaction/${encodeURIComponent(uid)}`
}

/**
 * Where the person is going: on with an application's sign-in, to the page's `callbackURL`, or to the account. Sent with the call that
 * begins a session, so that a link in a mail leads there too; the server refuses a `callbackURL` that may not be used.
 */
export const destinationOf = (query: URLSearchParams): string =>
  interactionUrl(query) ?? (query.get('callbackURL') || undefined) ?? '/account'

/** Schemes that would run something instead of going somewhere. The server refuses them too. */
const running = /^(javascript|data|vbscript|blob|file):$/

/** Goes to an address the server has vetted. */
export const goTo = (address: string) => {
  const url = new URL(address, location.origin)
  if (running.test(url.protocol)) throw new Error('an address that is no place')
  location.assign(url)
}
