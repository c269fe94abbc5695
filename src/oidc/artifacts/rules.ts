/** The kind of rows that say which client takes part in a session. They outlive the session: the client may have one of its own. */
export const partKind = 'SessionClient'

/** The field of a payload that says that a client takes part in a session for an organization: further sign-ins add theirs. */
export const partFieldOf = (organizationId: string): string => `organization:${organizationId}`
