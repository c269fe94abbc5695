import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { resourceTag } from '../../core/resource-tag.ts'
import { instant, nameInput } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { Id, MemberUser, ofOrganization, paged, Team } from '../contract.ts'

/** A team membership. */
export const TeamMember = z
  .object({ id: z.string(), teamId: z.string(), userId: z.string(), createdAt: instant })
  .meta({ id: 'TeamMember' })

const ofTeamMember = z.object({ teamId: Id, userId: Id, ...ofOrganization })

export const teamContract = contract('Teams', {
  createTeam: {
    method: 'POST',
    path: '/organization/create-team',
    summary: 'Create a team',
    access: { permission: 'team:create' },
    body: z.object({ name: nameInput, ...ofOrganization }),
    response: Team,
    errors: [
      'NO_ACTIVE_ORGANIZATION',
      'YOU_ARE_NOT_ALLOWED_TO_CREATE_TEAMS_IN_THIS_ORGANIZATION',
      'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS',
    ],
  },
  updateTeam: {
    method: 'POST',
    path: '/organization/update-team',
    summary: 'Rename a team',
    access: { permission: 'team:update' },
    body: z.object({
      teamId: Id,
      /** The fields to change. `organizationId` stands here, because the client of Better Auth sends it in `data`. */
      data: z.object({ name: nameInput.optional(), ...ofOrganization }),
      ...ofOrganization,
    }),
    response: Team,
    errors: ['NO_ACTIVE_ORGANIZATION', 'TEAM_NOT_FOUND', 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_TEAM'],
  },
  removeTeam: {
    method: 'POST',
    path: '/organization/remove-team',
    summary: 'Remove a team',
    access: { permission: 'team:delete' },
    body: z.object({ teamId: Id, ...ofOrganization }),
    response: z.object({ message: z.string() }),
    errors: [
      'NO_ACTIVE_ORGANIZATION',
      'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_TEAM',
      'YOU_ARE_NOT_ALLOWED_TO_DELETE_TEAMS_IN_THIS_ORGANIZATION',
      'TEAM_NOT_FOUND',
      'UNABLE_TO_REMOVE_LAST_TEAM',
    ],
  },
  listTeams: {
    method: 'GET',
    path: '/organization/list-teams',
    summary: 'List the teams of an organization, oldest first',
    access: { permission: 'team:read' },
    query: z.object({ ...ofOrganization, ...paged }),
    response: z.array(Team),
    errors: ['NO_ACTIVE_ORGANIZATION', 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'],
  },
  listUserTeams: {
    method: 'GET',
    path: '/organization/list-user-teams',
    summary: 'List the teams of the signed-in user; callers who may change members can name another member',
    access: { permission: 'team:read' },
    query: z.object({ userId: Id.optional(), ...ofOrganization }),
    response: z.array(Team),
    errors: ['NO_ACTIVE_ORGANIZATION', 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION', 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'],
  },
  setActiveTeam: {
    method: 'POST',
    path: '/organization/set-active-team',
    summary: 'Choose the team that the session acts for; null for none',
    access: { permission: 'sessions:update' },
    body: z.object({ teamId: Id.nullable().optional() }),
    response: Team.nullable(),
    errors: ['NO_ACTIVE_ORGANIZATION', 'TEAM_NOT_FOUND', 'USER_IS_NOT_A_MEMBER_OF_THE_TEAM'],
  },
  listTeamMembers: {
    method: 'GET',
    path: '/organization/list-team-members',
    summary: 'List the members of a team, by default of the active team',
    access: { permission: 'team:read' },
    query: z.object({ teamId: Id.optional(), ...ofOrganization, ...paged }),
    response: z.array(TeamMember),
    errors: ['TEAM_NOT_FOUND', 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'],
  },
  addTeamMember: {
    method: 'POST',
    path: '/organization/add-team-member',
    summary: 'Add a member to a team',
    access: { permission: 'team:update' },
    body: ofTeamMember,
    response: TeamMember,
    errors: [
      'NO_ACTIVE_ORGANIZATION',
      'TEAM_NOT_FOUND',
      'MEMBER_NOT_FOUND',
      'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_TEAM',
      'TEAM_MEMBER_LIMIT_REACHED',
    ],
  },
  removeTeamMember: {
    method: 'POST',
    path: '/organization/remove-team-member',
    summary: 'Remove a member from a team',
    access: { permission: 'team:update' },
    body: ofTeamMember,
    response: z.object({ message: z.string() }),
    errors: [
      'NO_ACTIVE_ORGANIZATION',
      'TEAM_NOT_FOUND',
      'MEMBER_NOT_FOUND',
      'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_TEAM',
      'USER_IS_NOT_A_MEMBER_OF_THE_TEAM',
    ],
  },
})

/** A team as operators see it. */
export const AdministeredTeam = Team.extend({ memberCount: z.int() }).meta({ id: 'AdministeredTeam' })

/** The number of members does not affect the `ETag`, because it changes without a change of the team itself. */
export const teamTag = resourceTag(AdministeredTeam, { except: ['memberCount', 'updatedAt'] })

export const teamList = counted(sortedPage('teams', AdministeredTeam, { filter: {}, sorts: ['createdAt'] }))
export const teamMemberList = counted(
  sortedPage('members', TeamMember.extend({ user: MemberUser }), { filter: {}, sorts: ['createdAt'] }),
)

const read = { permission: 'all-organizations:read' } as const
const update = { permission: 'all-organizations:update' } as const
const ofAny = z.object({ id: Id })
const ofTeam = z.object({ id: Id, teamId: Id })
const ofMember = z.object({ id: Id, teamId: Id, userId: Id })
const success = z.object({ success: z.boolean() })

/** The calls with which operators manage the teams of any organization. */
export const teamAdministrationContract = contract('Teams', {
  adminListTeams: {
    method: 'GET',
    path: '/admin/organizations/:id/teams',
    summary: 'List the teams of any organization, page by page',
    access: read,
    params: ofAny,
    ...teamList,
    errors: ['NOT_FOUND'],
  },
  adminCreateTeam: {
    method: 'POST',
    path: '/admin/organizations/:id/teams',
    summary: 'Create a team in any organization',
    access: update,
    params: ofAny,
    body: z.strictObject({ name: nameInput }),
    response: AdministeredTeam,
    etag: teamTag,
    errors: ['NOT_FOUND', 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS'],
  },
  adminGetTeam: {
    method: 'GET',
    path: '/admin/organizations/:id/teams/:teamId',
    summary: 'Get one team of any organization',
    access: read,
    params: ofTeam,
    response: AdministeredTeam,
    etag: teamTag,
    errors: ['TEAM_NOT_FOUND'],
  },
  adminPatchTeam: {
    method: 'PATCH',
    path: '/admin/organizations/:id/teams/:teamId',
    summary: 'Rename a team of any organization',
    access: update,
    params: ofTeam,
    body: z.strictObject({ name: nameInput }),
    response: AdministeredTeam,
    etag: teamTag,
    ifMatch: teamTag,
    errors: ['TEAM_NOT_FOUND'],
  },
  adminDeleteTeam: {
    method: 'DELETE',
    path: '/admin/organizations/:id/teams/:teamId',
    summary: 'Delete a team of any organization; its members stay in the organization',
    access: update,
    params: ofTeam,
    response: success,
    ifMatch: teamTag,
    errors: ['TEAM_NOT_FOUND', 'UNABLE_TO_REMOVE_LAST_TEAM'],
  },
  adminListTeamMembers: {
    method: 'GET',
    path: '/admin/organizations/:id/teams/:teamId/members',
    summary: 'List the members of a team of any organization, page by page',
    access: read,
    params: ofTeam,
    ...teamMemberList,
    errors: ['TEAM_NOT_FOUND'],
  },
  adminAddTeamMember: {
    method: 'PUT',
    path: '/admin/organizations/:id/teams/:teamId/members/:userId',
    summary: 'Add a member of any organization to one of its teams',
    access: update,
    params: ofMember,
    response: TeamMember,
    errors: ['TEAM_NOT_FOUND', 'MEMBER_NOT_FOUND', 'TEAM_MEMBER_LIMIT_REACHED'],
  },
  adminRemoveTeamMember: {
    method: 'DELETE',
    path: '/admin/organizations/:id/teams/:teamId/members/:userId',
    summary: 'Remove a member from a team of any organization',
    access: update,
    params: ofMember,
    response: success,
    errors: ['TEAM_NOT_FOUND', 'USER_IS_NOT_A_MEMBER_OF_THE_TEAM'],
  },
})
