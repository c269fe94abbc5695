/**
 * The address of the form for a new application. Operators may choose client ids, but no client id begins with `~`, so this address is
 * not the address of any application (docs/design/console.md#addresses).
 */
export const newApplicationPath = '/admin/clients/~new'

export const applicationPath = (clientId: string): string => `/admin/clients/${encodeURIComponent(clientId)}`

/** The screen for a test sign-in. It is opened in a new window, because a sign-in leaves the console. */
export const testSignInPath = (clientId: string): string => `${applicationPath(clientId)}/test-sign-in`
