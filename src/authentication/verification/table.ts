import { nullable, sealedOrHash, table, text, time, view } from '../../core/db/table.ts'

/** The row to which the sealed value of a federated sign-in is bound. */
export const contextOf = (id: string) => `verification/value/${id}`

/**
 * One-time tokens: for resets and deletions, states of federated sign-ins, and setup links. `identifier` consists of a purpose and the
 * hash of a token.
 */
const values = view('verification', {
  id: text,
  identifier: text,
  /** Sealed for a federated sign-in. Other values are plain. */
  value: sealedOrHash(contextOf),
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  userId: nullable(text),
})
export const verifications = table(values)

/**
 * The rows of federated sign-ins. The feature `federated` reads and writes them itself. They are sealed under an id that is chosen
 * before, belong to no user yet, and expire like all other rows.
 */
export const signInStates = table(values.omit('userId'))
