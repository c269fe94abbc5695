/** A read that runs all the time, written out with `?` for values. `name` is its own. */
export interface PreparedRead {
  readonly name: string
  readonly sql: string
  /** The best plan depends on the values, as of one that lists what belongs to something: PostgreSQL plans it anew each time. */
  readonly isPlannedAnew?: boolean
}

export type RawRow = Readonly<Record<string, unknown>>

/** Longest wait for a connection. */
export const acquireTimeoutMs = 5_000

/** knex would print to standard output. What it has to say reaches the caller as an error as well. */
export const silent = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }
