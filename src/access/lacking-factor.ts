/** What a check of a session or of a key knows of second factors. */
interface SecondFactorState {
  readonly twoFactorEnabled: boolean
  readonly secondFactorSince: Date | null
  readonly secondFactorDue: Date | null
}

/** True when more is required of somebody with a role than the session was given, or the one in which their key was made. */
export const isLackingSecondFactor = (
  { twoFactorEnabled, secondFactorSince, secondFactorDue }: SecondFactorState,
  { factors }: { readonly factors: number },
  now: Date,
): boolean =>
  factors < 2 && (twoFactorEnabled || (secondFactorDue !== null && (secondFactorSince !== null || secondFactorDue <= now)))
