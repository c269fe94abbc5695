/** Since when a user is banned, and until when. */
export interface Ban {
  /** Null: not banned. */
  readonly bannedAt: Date | null
  /** Null: until the ban is lifted. */
  readonly banExpiresAt: Date | null
}

/** True while the user may not sign in and nothing they hold counts. A ban with an end ends by itself. */
export const isBanned = ({ bannedAt, banExpiresAt }: Ban, now: Date): boolean =>
  bannedAt !== null && (banExpiresAt === null || banExpiresAt > now)
