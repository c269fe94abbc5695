import { ApiError } from '../../src/http/client.ts'

const proofCodes = new Set([
  'SESSION_IS_NOT_FRESH',
  'SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION',
  'SECOND_FACTOR_REQUIRED',
])

/**
 * True for a call refused for lack of a recent or second proof. The page asks for the proof in a dialog, so this error only remains if
 * the person gave none.
 */
export const needsProof = (error: unknown): error is ApiError => error instanceof ApiError && proofCodes.has(error.code)

/** True for a call refused for lack of a session. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'UNAUTHORIZED' || error.code === 'FAILED_TO_GET_SESSION')
