/** The field of a payload that says that a client takes part in a session for an organization: further sign-ins add theirs. */
export const partFieldOf = (organizationId: string): string => `organization:${organizationId}`
