/** What the check of a session or API key needs to know about the second factors of a user. */
interface SecondFactorState {
  readonly twoFactorEnabled: boolean
  readonly secondFactorSince: Date | null
  readonly secondFactorDue: Date | null
}

/**
 * True if the session was started with only one factor although the user has a second factor, or is late in adding a required one. For an
 * API key, the session in which the key was created counts.
 */
export const isLackingSecondFactor = (
  { twoFactorEnabled, secondFactorSince, secondFactorDue }: SecondFactorState,
  { factors }: { readonly factors: number },
  now: Date,
): boolean =>
  factors < 2 && (twoFactorEnabled || (secondFactorDue !== null && (secondFactorSince !== null || secondFactorDue <= now)))
