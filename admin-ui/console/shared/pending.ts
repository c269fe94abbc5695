/** Changes that are delayed for some seconds, so that the person can undo them. Each function makes one of the changes. */
const waiting = new Set<() => Promise<unknown>>()

/** Registers a delayed change. `make` makes the change immediately. Call the returned function when the change was made or undone. */
export const waits = (make: () => Promise<unknown>): (() => void) => {
  waiting.add(make)
  return () => void waiting.delete(make)
}

/** Makes all delayed changes immediately, because their session is about to end. */
export const settleWaiting = async (): Promise<void> => {
  await Promise.all([...waiting].map((make) => make()))
}
