/**
 * The kind of a row that links a client to a session. The row outlives the session, because the client has to be notified of the
 * session's end afterwards.
 */
export const partKind = 'SessionClient'

/**
 * The name of a payload field. The field says that the client takes part in the session for this organization. Each sign-in adds the
 * field of its organization.
 */
export const partFieldOf = (organizationId: string): string => `organization:${organizationId}`
