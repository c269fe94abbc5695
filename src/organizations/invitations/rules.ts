type Status = 'pending' | 'accepted' | 'rejected' | 'canceled'

/** The state of an invitation. The stored status changes once, from pending; expiry is not stored. */
export const stateOf = (
  { status, expiresAt }: { readonly status: Status; readonly expiresAt: Date },
  now: Date,
): Status | 'expired' => (status === 'pending' && expiresAt <= now ? 'expired' : status)

/** The teams on the wire: separated by commas, null for none. */
export const joinTeams = (ids: readonly string[]): string | null => (ids.length === 0 ? null : ids.join(','))
