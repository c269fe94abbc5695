interface SetupState {
  readonly setupToken: string
}

const isSetupState = (state: unknown): state is SetupState =>
  typeof state === 'object' && state !== null && 'setupToken' in state && typeof state.setupToken === 'string'

/** Takes the token out of the address bar. It stays in this history entry, so that reloading the page does not lose it. */
export const takeSetupToken = (query: URLSearchParams): string | undefined => {
  const token = query.get('token')
  if (token === null || token === '') return isSetupState(history.state) ? history.state.setupToken : undefined
  const rest = new URLSearchParams(query)
  rest.delete('token')
  const state: SetupState = { setupToken: token }
  history.replaceState(state, '', rest.size === 0 ? '/setup' : `/setup?${rest}`)
  return token
}
