/**
 * The kind of a row that links a client to a session. The row outlives the session, because the client may have a session of its own that
 * has to end too.
 */
export const partKind = 'SessionClient'

/**
 * The field of the payload that names an organization for which the client takes part in the session. Each sign-in adds a field for its
 * organization.
 */
export const partFieldOf = (organizationId: string): string => `organization:${organizationId}`
