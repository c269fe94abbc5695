/** No id begins with this sign. */
export const newUserPath = '/admin/users/~new'
export const userPath = (id: string) => `/admin/users/${encodeURIComponent(id)}`
