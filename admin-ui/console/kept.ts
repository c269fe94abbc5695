/** Stores choices in place of the browser's storage if that is unavailable. These choices last until the page is left. */
const ofPage = new Map<string, string>()
const changed = 'gatehouse:kept'

/** The stored value of a name. Null if nothing is stored. */
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
    // Without the browser's storage, `ofPage` keeps the choice until the page is left.
  }
  dispatchEvent(new Event(changed))
}

/** Calls the listener whenever a value is stored, in this tab or in another. Returns a function that removes the listener. */
export const onKept = (listener: () => void): (() => void) => {
  const names = [changed, 'storage']
  for (const name of names) addEventListener(name, listener)
  return () => {
    for (const name of names) removeEventListener(name, listener)
  }
}
