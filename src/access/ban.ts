/** Start and end of a ban. */
export interface Ban {
  /** Null: not banned. */
  readonly bannedAt: Date | null
  /** Null: until an administrator lifts it. */
  readonly banExpiresAt: Date | null
}

/** True while a ban lasts: the user may not sign in, and their sessions and tokens are invalid. A ban with an end expires by itself. */
export const isBanned = ({ bannedAt, banExpiresAt }: Ban, now: Date): boolean =>
  bannedAt !== null && (banExpiresAt === null || banExpiresAt > now)
