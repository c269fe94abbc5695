/** Operators may choose client ids, but none begins with this sign: the form stands beside every application (decision 0208). */
export const newApplicationPath = '/admin/clients/~new'

export const applicationPath = (clientId: string): string => `/admin/clients/${encodeURIComponent(clientId)}`
