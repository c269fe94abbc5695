type Status = 'pending' | 'accepted' | 'rejected' | 'canceled'

/** The state of an invitation. Its stored status changes once, from pending. Expiry is not stored. */
export const stateOf = (
  { status, expiresAt }: { readonly status: Status; readonly expiresAt: Date },
  now: Date,
): Status | 'expired' => (status === 'pending' && expiresAt <= now ? 'expired' : status)

/** The teams in wire form: separated by commas, or null if there are none. */
export const joinTeams = (ids: readonly string[]): string | null => (ids.length === 0 ? null : ids.join(','))
