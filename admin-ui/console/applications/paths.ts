/** Operators may choose client ids, but none begins with this sign: the form stands beside every application (docs/design/console.md#addresses). */
export const newApplicationPath = '/admin/clients/~new'

export const applicationPath = (clientId: string): string => `/admin/clients/${encodeURIComponent(clientId)}`

/** In a window of its own, for a sign-in leaves the console. */
export const testSignInPath = (clientId: string): string => `${applicationPath(clientId)}/test-sign-in`
