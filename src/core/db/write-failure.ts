/** Why a database that can be reached accepts no writes. */
export type WriteFailure = 'read-only' | 'disk full' | 'input/output error'

/** SQLSTATEs of PostgreSQL and codes of SQLite. A read may also fail with an input or output error. */
const failures: readonly (readonly [codes: RegExp, failure: WriteFailure])[] = [
  [/^(25006|SQLITE_READONLY)$/, 'read-only'],
  [/^(53100|SQLITE_FULL)$/, 'disk full'],
  [/^(58030|SQLITE_IOERR|SQLITE_CANTOPEN)$/, 'input/output error'],
]

/** Why the database did not accept a write; undefined for every other error. */
export const writeFailureOf = (error: unknown): WriteFailure | undefined => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? failures.find(([codes]) => codes.test(code))?.[1] : undefined
}

/** What an operator can do about it. */
export const writeRemedies: Readonly<Record<WriteFailure, string>> = {
  'read-only':
    'let GATEHOUSE_DATABASE_URL lead to the primary and not to a replica, end default_transaction_read_only, or make the SQLite file and its directory writable',
  'disk full': 'make room on the disk of the database',
  'input/output error':
    'make room on the disk of the database if it is full; else look at the disk, and at the log of its system',
}

/** A write failure as a sentence, for a command that ends with it. */
export const describeWriteFailure = (failure: WriteFailure): string =>
  `The database does not take writes (${failure}). Remedy: ${writeRemedies[failure]}.`
