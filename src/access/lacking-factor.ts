/** The facts about a user's second factors that the check of a session or key needs. */
interface SecondFactorState {
  readonly twoFactorEnabled: boolean
  readonly secondFactorSince: Date | null
  readonly secondFactorDue: Date | null
}

/** True when a role requires a stronger sign-in than the sign-in of the session. For a key, the session in which the key was created counts. */
export const isLackingSecondFactor = (
  { twoFactorEnabled, secondFactorSince, secondFactorDue }: SecondFactorState,
  { factors }: { readonly factors: number },
  now: Date,
): boolean =>
  factors < 2 && (twoFactorEnabled || (secondFactorDue !== null && (secondFactorSince !== null || secondFactorDue <= now)))
