/** Choices that this browser keeps. A browser that keeps nothing has them for as long as the page is open. */
const ofPage = new Map<string, string>()
const changed = 'gatehouse:kept'

/** What is kept under a name; null: nothing. */
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
    // It holds for this page all the same.
  }
  dispatchEvent(new Event(changed))
}

/** Calls back when something is kept, here or in another tab; what this returns ends that. */
export const onKept = (listener: () => void): (() => void) => {
  const names = [changed, 'storage']
  for (const name of names) addEventListener(name, listener)
  return () => {
    for (const name of names) removeEventListener(name, listener)
  }
}
