type Status = 'pending' | 'accepted' | 'rejected' | 'canceled'

/**
 * The status of an invitation at a time. The stored status changes only once, from pending to another one. That an invitation has expired
 * is not stored.
 */
export const stateOf = (
  { status, expiresAt }: { readonly status: Status; readonly expiresAt: Date },
  now: Date,
): Status | 'expired' => (status === 'pending' && expiresAt <= now ? 'expired' : status)

/** The ids of teams as answers show them: separated by commas, or null if there are none. */
export const joinTeams = (ids: readonly string[]): string | null => (ids.length === 0 ? null : ids.join(','))
