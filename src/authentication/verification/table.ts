import { nullable, sealedOrHash, table, text, time, view } from '../../core/db/table.ts'

/** The context to which the encryption binds the sealed value of a federated sign-in: column and row. */
export const contextOf = (id: string) => `verification/value/${id}`

/**
 * The table of values that can be used once: tokens for resets and deletions, states of federated sign-ins, and setup links. `identifier`
 * consists of a purpose and a hash.
 */
const values = view('verification', {
  id: text,
  identifier: text,
  /** Sealed if the row is a state of a federated sign-in, otherwise plain. */
  value: sealedOrHash(contextOf),
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  userId: nullable(text),
})
export const verifications = table(values)

/**
 * The rows that are states of federated sign-ins. The feature `federated` reads and writes these rows itself. The value of such a row is
 * sealed, and the row belongs to no user yet. Such a row expires like every other row of the table.
 */
export const signInStates = table(values.omit('userId'))
