/**
 * Operators may choose client ids, but no id begins with `~`. The form therefore has an address beside those of applications
 * (docs/design/console.md#addresses).
 */
export const newApplicationPath = '/admin/clients/~new'

export const applicationPath = (clientId: string): string => `/admin/clients/${encodeURIComponent(clientId)}`

/** The test opens in a window of its own, because a sign-in leaves the console. */
export const testSignInPath = (clientId: string): string => `${applicationPath(clientId)}/test-sign-in`
