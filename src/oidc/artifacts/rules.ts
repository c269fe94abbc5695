/** The kind of the rows that link clients to sessions. A row outlives its session, because the client may have a session of its own. */
export const partKind = 'SessionClient'

/** The field of the payload that names an organization for which the client takes part in the session. Each further sign-in adds its own. */
export const partFieldOf = (organizationId: string): string => `organization:${organizationId}`
