/** Key under which the browser stores the provider that was chosen last. */
const key = 'gatehouse.last-provider'

export const lastUsed = (): string | null => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export const rememberUsed = (provider: string) => {
  try {
    localStorage.setItem(key, provider)
  } catch {
    // Without storage, no provider is marked.
  }
}
