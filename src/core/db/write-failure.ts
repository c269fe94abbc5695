/** Why a database accepts no writes although it can be reached. */
export type WriteFailure = 'read-only' | 'disk full' | 'input/output error'

/** The kind of failure for SQLSTATEs of PostgreSQL and error codes of SQLite. Reads can fail with an input/output error, too. */
const failures: readonly (readonly [codes: RegExp, failure: WriteFailure])[] = [
  [/^(25006|SQLITE_READONLY)$/, 'read-only'],
  [/^(53100|SQLITE_FULL)$/, 'disk full'],
  [/^(58030|SQLITE_IOERR|SQLITE_CANTOPEN)$/, 'input/output error'],
]

/** The reason why the database did not accept a write. Undefined for any other error. */
export const writeFailureOf = (error: unknown): WriteFailure | undefined => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? failures.find(([codes]) => codes.test(code))?.[1] : undefined
}

/** For each kind of write failure, what an operator can do about it. */
export const writeRemedies: Readonly<Record<WriteFailure, string>> = {
  'read-only':
    'let GATEHOUSE_DATABASE_URL lead to the primary and not to a replica, end default_transaction_read_only, or make the SQLite file and its directory writable',
  'disk full': 'make room on the disk of the database',
  'input/output error':
    'make room on the disk of the database if it is full; else look at the disk, and at the log of its system',
}

/** Describes a write failure in a sentence, for a command that fails because of it. */
export const describeWriteFailure = (failure: WriteFailure): string =>
  `The database does not take writes (${failure}). Remedy: ${writeRemedies[failure]}.`
