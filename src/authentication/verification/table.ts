import { nullable, sealedOrHash, table, text, time, view } from '../../core/db/table.ts'

/** The context of the sealed value of a federated sign-in. */
export const contextOf = (id: string) => `verification/value/${id}`

/** One-time tokens: resets, deletions, states of federated sign-ins, setup links. `identifier` is a purpose and the hash of a token. */
const values = view('verification', {
  id: text,
  identifier: text,
  /** Sealed for a federated sign-in, otherwise plain. */
  value: sealedOrHash(contextOf),
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  userId: nullable(text),
})
export const verifications = table(values)

/**
 * Rows of federated sign-ins, which their feature writes and reads itself, sealed under an id chosen before. They belong to no user yet,
 * and expire like all others.
 */
export const signInStates = table(values.omit('userId'))
