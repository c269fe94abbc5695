interface TokenState {
  readonly token: string
}

const isTokenState = (state: unknown): state is TokenState =>
  typeof state === 'object' && state !== null && 'token' in state && typeof state.token === 'string'

/** Takes the token out of the address bar. It stays in this history entry, so that reloading the page does not lose it. */
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
 * The same for a link whose page is come back to, from signing in for example: kept until this tab is closed. Browsers may forbid that;
 * then it stays in the history entry alone.
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

/** Forgets it, once it is used up. */
export const forgetToken = (name: string): void => {
  history.replaceState(null, '')
  try {
    sessionStorage.removeItem(storageKey(name))
  } catch {
    // Nothing was kept.
  }
}
