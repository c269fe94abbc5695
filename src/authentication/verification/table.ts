import { nullable, sealedOrHash, table, text, time, view } from '../../core/db/table.ts'

/** The binding of the value of a sign-in at a provider. */
export const contextOf = (id: string) => `verification/value/${id}`

/** One-time tokens: resets, deletions, states of sign-ins at providers, setup links. `identifier` is a purpose and the hash of a token. */
const values = view('verification', {
  id: text,
  identifier: text,
  /** Sealed of a sign-in at a provider, and plain otherwise. */
  value: sealedOrHash(contextOf),
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  userId: nullable(text),
})
export const verifications = table(values)

/**
 * The rows of sign-ins at providers, which the feature of those sign-ins writes and takes itself: it seals them under an id that it has chosen before. They
 * belong to no user yet, and expire with all others.
 */
export const signInStates = table(values.omit('userId'))
