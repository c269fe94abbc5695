interface TokenState {
  readonly token: string
}

const isTokenState = (state: unknown): state is TokenState =>
  typeof state === 'object' && state !== null && 'token' in state && typeof state.token === 'string'

/** Removes the token from the address bar and returns it. The history entry keeps the token, so that the page can be loaded again. */
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
 * Like `takeToken`, for a page to which the person comes back, for example after a sign-in. The tab's storage keeps the token until the
 * tab is closed. If there is no storage, only the history entry keeps it.
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

/** Removes a used token from the history entry and from the tab's storage. */
export const forgetToken = (name: string): void => {
  history.replaceState(null, '')
  try {
    sessionStorage.removeItem(storageKey(name))
  } catch {
    // A browser without storage has stored nothing.
  }
}
