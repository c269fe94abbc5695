interface TokenState {
  readonly token: string
}

const isTokenState = (state: unknown): state is TokenState =>
  typeof state === 'object' && state !== null && 'token' in state && typeof state.token === 'string'

/** Removes the token from the address bar. It stays in this history entry for a reload of the page. */
export const takeToken = (path: string, query: URLSearchParams): string | undefined => {
  const token = query.get('token')
  if (token === null || token === '') return isTokenState(history.state) ? history.state.token : undefined
  const rest = new URLSearchParams(query)
  rest.delete('token')
  const state: TokenState = { token }
  history.replaceState(state, '', rest.size === 0 ? path : `${path}?${rest}`)
  return token
}

const storageKey = (name: string) => `gatehouse.${name}`

/**
 * Removes a token from the address bar for a page to which the person returns, as from a sign-in: stored until the tab is closed. Without
 * storage, it stays in the history entry.
 */
export const takeTabToken = (path: string, query: URLSearchParams, name: string): string | undefined => {
  const token = takeToken(path, query)
  try {
    if (token !== undefined) sessionStorage.setItem(storageKey(name), token)
    return token ?? sessionStorage.getItem(storageKey(name)) ?? undefined
  } catch {
    return token
  }
}

/** Removes a used token. */
export const forgetToken = (name: string): void => {
  history.replaceState(null, '')
  try {
    sessionStorage.removeItem(storageKey(name))
  } catch {
    // Nothing was stored.
  }
}
