/** A read that runs all the time, written out with `?` for values. `name` is its own. */
export interface PreparedRead {
  readonly name: string
  readonly sql: string
  /** True when the best plan depends on the values, as for a list of children: PostgreSQL plans it at each execution. */
  readonly hasPlanCacheDisabled?: boolean
  /** True where it returns no rows and the number of those it changed is asked for. */
  readonly isChange?: boolean
}

export type RawRow = Readonly<Record<string, unknown>>

/** What a statement was answered with. */
export interface Answered {
  readonly rows: RawRow[]
  /** Of a change. */
  readonly changed: number
}

/** Longest wait for a connection. */
export const acquireTimeoutMs = 5_000

/** knex would print to standard output; its warnings reach the caller as errors too. */
export const silent = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined }
