/** Changes that wait for a while, during which they can be undone. */
const waiting = new Set<() => Promise<unknown>>()

/** Registers a waiting change. `make` makes the change now. The returned function removes it, after it was made or undone. */
export const waits = (make: () => Promise<unknown>): (() => void) => {
  waiting.add(make)
  return () => void waiting.delete(make)
}

/** Makes all waiting changes at once, before their session ends. */
export const settleWaiting = async (): Promise<void> => {
  await Promise.all([...waiting].map((make) => make()))
}
