/** The address of the form. No id of an organization begins with `~`. */
export const newOrganizationPath = '/admin/organizations/~new'
export const organizationPath = (id: string): string => `/admin/organizations/${encodeURIComponent(id)}`
export const teamPath = (id: string, teamId: string): string => `${organizationPath(id)}/teams/${encodeURIComponent(teamId)}`
