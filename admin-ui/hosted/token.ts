interface TokenState {
  readonly token: string
}

const isTokenState = (state: unknown): state is TokenState =>
  typeof state === 'object' && state !== null && 'token' in state && typeof state.token === 'string'

/** Takes the token out of the address bar. The history entry keeps it, so that the page can be reloaded. */
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
 * Takes a token out of the address bar, for a page to which the person returns, for example from a sign-in. The token is stored until the
 * tab is closed. Without storage, only the history entry keeps it.
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

/** Removes a used token from the history entry and the storage. */
export const forgetToken = (name: string): void => {
  history.replaceState(null, '')
  try {
    sessionStorage.removeItem(storageKey(name))
  } catch {
    // A browser without storage has stored nothing.
  }
}
