/** The address of the form for a new organization. No id of an organization begins with `~`, so this is not the address of any organization. */
export const newOrganizationPath = '/admin/organizations/~new'
export const organizationPath = (id: string): string => `/admin/organizations/${encodeURIComponent(id)}`
export const teamPath = (id: string, teamId: string): string => `${organizationPath(id)}/teams/${encodeURIComponent(teamId)}`
