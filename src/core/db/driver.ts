/** A read that runs all the time, written out with `?` for values. `name` is its own. */
export interface PreparedRead {
  readonly name: string
  readonly sql: string
  /** True when the best plan depends on the values, as for a list of children: PostgreSQL plans it at each execution. */
  readonly hasPlanCacheDisabled?: boolean
}

export type RawRow = Readonly<Record<string, unknown>>

/** Longest wait for a connection. */
export const acquireTimeoutMs = 5_000

/** knex would print to standard output; its warnings reach the caller as errors too. */
export const silent = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }
