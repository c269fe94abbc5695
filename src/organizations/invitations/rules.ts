type Status = 'pending' | 'accepted' | 'rejected' | 'canceled'

/** The state of an invitation. Its stored status moves once, from pending; that it has expired is not stored. */
export const stateOf = (
  { status, expiresAt }: { readonly status: Status; readonly expiresAt: Date },
  now: Date,
): Status | 'expired' => (status === 'pending' && expiresAt <= now ? 'expired' : status)

/** The teams as the wire names them: joined by commas, null for none. */
export const joinTeams = (ids: readonly string[]): string | null => (ids.length === 0 ? null : ids.join(','))
