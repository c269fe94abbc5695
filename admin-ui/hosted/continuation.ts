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

/** The page's `callbackURL`, to be sent with a call: the server decides whether it may be used. */
export const callbackOf = (query: URLSearchParams): { readonly callbackURL?: string } => {
  const callbackURL = query.get('callbackURL')
  return callbackURL === null || callbackURL === '' ? {} : { callbackURL }
}

/** The address that goes on with the sign-in of an application, if one is under way. */
export const interactionUrl = (query: URLSearchParams): string | undefined => {
  const uid = query.get('interaction')
  return uid === null || uid === '' ? undefined : `/interaction/${encodeURIComponent(uid)}`
}

/** Where to go after the server has accepted a call that named `accepted`. */
export const nextUrl = (query: URLSearchParams, accepted: string | undefined): string =>
  interactionUrl(query) ?? accepted ?? '/account'

/** Schemes that would run something instead of going somewhere. The server refuses them too. */
const running = /^(javascript|data|vbscript|blob|file):$/

/** Goes to an address the server has vetted. */
export const goTo = (address: string) => {
  const url = new URL(address, location.origin)
  if (running.test(url.protocol)) throw new Error('an address that is no place')
  location.assign(url)
}
