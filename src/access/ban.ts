/** The start and the end of a ban. */
export interface Ban {
  /** Null for a user who is not banned. */
  readonly bannedAt: Date | null
  /** Null for a ban that lasts until an administrator lifts it. */
  readonly banExpiresAt: Date | null
}

/** True while a ban lasts. A banned user cannot sign in, and their sessions and tokens are invalid. A ban with an end expires by itself. */
export const isBanned = ({ bannedAt, banExpiresAt }: Ban, now: Date): boolean =>
  bannedAt !== null && (banExpiresAt === null || banExpiresAt > now)
