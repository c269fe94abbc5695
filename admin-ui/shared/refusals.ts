import { ApiError } from '../../src/http/client.ts'

const proofCodes = new Set([
  'SESSION_IS_NOT_FRESH',
  'SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION',
  'SECOND_FACTOR_REQUIRED',
])

/**
 * True if a call was refused because it needs a recent proof of identity or a second factor. Pages ask for the proof in a dialog, so a
 * form sees this error only if the person gave none.
 */
export const needsProof = (error: unknown): error is ApiError => error instanceof ApiError && proofCodes.has(error.code)

/** True if a call was refused because nobody is signed in. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'UNAUTHORIZED' || error.code === 'FAILED_TO_GET_SESSION')
