/** The address of the form for a new user. No id of a user begins with `~`, so this is not the address of any user. */
export const newUserPath = '/admin/users/~new'
export const userPath = (id: string) => `/admin/users/${encodeURIComponent(id)}`
