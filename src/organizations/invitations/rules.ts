/** Teams of an invitation on the wire: joined by commas, or null when it names none. */
export const joinTeams = (teamIds: readonly string[]): string | null => (teamIds.length === 0 ? null : teamIds.join(','))
