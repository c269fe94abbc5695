/** The address of the form. No id of a user begins with `~`. */
export const newUserPath = '/admin/users/~new'
export const userPath = (id: string) => `/admin/users/${encodeURIComponent(id)}`
