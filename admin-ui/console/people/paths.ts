/** No id begins with this character. */
export const newUserPath = '/admin/users/~new'
export const userPath = (id: string) => `/admin/users/${encodeURIComponent(id)}`
