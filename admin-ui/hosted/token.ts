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
