/** Kept in this browser alone: the provider that was pressed last. */
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
    // Then none is marked.
  }
}
