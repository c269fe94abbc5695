/** No id begins with this character. */
export const newOrganizationPath = '/admin/organizations/~new'
export const organizationPath = (id: string): string => `/admin/organizations/${encodeURIComponent(id)}`
export const teamPath = (id: string, teamId: string): string => `${organizationPath(id)}/teams/${encodeURIComponent(teamId)}`
