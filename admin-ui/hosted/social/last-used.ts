/** Stored in this browser only: the last chosen provider. */
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
    // Without storage none is marked.
  }
}
