/** Choices stored in this browser. A browser without storage keeps them while the page is open. */
const ofPage = new Map<string, string>()
const changed = 'gatehouse:kept'

/** The value of a name; null without one. */
export const kept = (name: string): string | null => {
  try {
    return localStorage.getItem(name) ?? ofPage.get(name) ?? null
  } catch {
    return ofPage.get(name) ?? null
  }
}

export const keep = (name: string, value: string): void => {
  ofPage.set(name, value)
  try {
    localStorage.setItem(name, value)
  } catch {
    // Without storage, `ofPage` keeps the choice until the page is left.
  }
  dispatchEvent(new Event(changed))
}

/** Calls the listener when a value is stored, here or in another tab. The returned function removes the listener. */
export const onKept = (listener: () => void): (() => void) => {
  const names = [changed, 'storage']
  for (const name of names) addEventListener(name, listener)
  return () => {
    for (const name of names) removeEventListener(name, listener)
  }
}
