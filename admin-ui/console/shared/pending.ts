/** Changes that wait a while for whoever takes them back. */
const waiting = new Set<() => Promise<unknown>>()

/** Notes a change that waits; what this returns forgets it, once it is made or taken back. `make` makes it now. */
export const waits = (make: () => Promise<unknown>): (() => void) => {
  waiting.add(make)
  return () => void waiting.delete(make)
}

/** Makes at once what still waits: before the session that it is made with is given up. */
export const settleWaiting = async (): Promise<void> => {
  await Promise.all([...waiting].map((make) => make()))
}
