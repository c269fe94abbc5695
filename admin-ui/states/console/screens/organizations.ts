import { adminApiKeyContract } from '../../../../src/api-keys/contract.ts'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import { organizationRoleContract } from '../../../../src/organizations/roles/contract.ts'
import { teamAdministrationContract } from '../../../../src/organizations/teams/contract.ts'
import { newOrganizationPath } from '../../../console/organizations/paths.ts'
import { daysAgo, daysAhead } from '../../made-up.ts'
import type { Answers } from '../../state.ts'
import { refused } from '../../state.ts'
import type { ScreenCase } from '../case.ts'
import type { Amount } from '../made-up.ts'
import { agoOf, companyOf, emailOf, idOf, nameOf, nextOf, rowsOf, slugOf, times, totalOf } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says, together } from '../typed.ts'
import { customersOf } from './billing.ts'
import { eventsOf } from './history.ts'
import { keyOf } from './keys.ts'
import { settingsAnswer } from './settings.ts'
import { userAnswers } from './users.ts'

type Organization = Wire<typeof organizationAdministrationContract, 'adminGetOrganization'>
type Team = Wire<typeof teamAdministrationContract, 'adminGetTeam'>

const organizationOf = (index: number): Organization => ({
  id: idOf('org', index),
  name: companyOf(index),
  slug: slugOf(index),
  logo: null,
  metadata: index === 2 ? { costCentre: '4711-EMEA', contract: { kind: 'enterprise', until: '2028-12-31' } } : null,
  createdAt: agoOf(index + 2),
  requiresSecondFactor: index % 3 === 2,
  memberCount: [3, 1, 104_233, 0][index % 4] ?? 0,
})

const person = (index: number) => ({ id: idOf('usr', index), name: nameOf(index), email: emailOf(index), image: null })
const roleOf = (index: number) => ['owner', 'admin', 'member', 'billing-manager-of-the-whole-region'][index % 4] ?? 'member'

const teamOf = (index: number): Team => ({
  id: idOf('tea', index),
  name: ['Sales', 'Customer Success, Onboarding and Long-Term Relationship Management (EMEA)', '営業部'][index % 3] ?? 'Sales',
  organizationId: idOf('org', 2),
  createdAt: agoOf(index + 2),
  updatedAt: null,
  memberCount: [3, 104_233, 0][index % 3] ?? 0,
})

const roles: Wire<typeof organizationRoleContract, 'listOrganizationRoles'> = {
  roles: [
    {
      name: 'owner',
      isBuiltIn: true,
      permissions: [
        'organization:read',
        'organization:update',
        'organization:delete',
        'member:read',
        'member:create',
        'member:update',
        'member:delete',
        'invitation:read',
        'invitation:create',
        'invitation:cancel',
        'team:read',
        'team:create',
        'team:update',
        'team:delete',
        'billing:read',
      ],
      givenBy: ['owner'],
    },
    {
      name: 'admin',
      isBuiltIn: true,
      permissions: [
        'organization:read',
        'organization:update',
        'member:read',
        'member:create',
        'invitation:read',
        'invitation:create',
        'team:read',
      ],
      givenBy: ['owner', 'admin'],
    },
    {
      name: 'member',
      isBuiltIn: true,
      permissions: ['organization:read', 'member:read', 'team:read'],
      givenBy: ['owner', 'admin'],
    },
  ],
  creatorRole: 'owner',
  permissions: [
    'organization:read',
    'organization:update',
    'organization:delete',
    'member:read',
    'member:create',
    'member:update',
    'member:delete',
    'invitation:read',
    'invitation:create',
    'invitation:cancel',
    'team:read',
    'team:create',
    'team:update',
    'team:delete',
    'billing:read',
  ],
  teamsEnabled: true,
}
const manyRoles: typeof roles = {
  ...roles,
  roles: [
    ...roles.roles,
    ...times(7, (index) => ({
      name: index % 2 === 0 ? `billing-manager-of-region-${index}` : `reader-${index}`,
      isBuiltIn: false,
      permissions: roles.permissions.filter((_, at) => at % (index + 2) === 0),
      givenBy: ['owner', 'admin', 'billing-manager-of-region-0'],
    })),
  ],
}
const rolesOf = (amount: Amount) => says(organizationRoleContract, 'listOrganizationRoles', amount === 'many' ? manyRoles : roles)

const membersOf = (amount: Amount) =>
  says(organizationAdministrationContract, 'adminListMembers', {
    members: rowsOf(amount, (index) => ({
      id: idOf('mem', index),
      organizationId: idOf('org', 2),
      userId: idOf('usr', index),
      role: roleOf(index),
      createdAt: agoOf(index),
      user: person(index),
    })).slice(0, 20),
    next: nextOf(amount),
    total: totalOf(amount),
  })

const oneOf = (amount: Amount): Organization => organizationOf({ empty: 3, few: 0, many: 2 }[amount])

const insideOf = (amount: Amount): Answers =>
  together(
    says(organizationAdministrationContract, 'adminGetOrganization', oneOf(amount)),
    membersOf(amount),
    says(organizationAdministrationContract, 'adminListInvitations', {
      invitations: rowsOf(amount, (index) => ({
        id: idOf('inv', index),
        organizationId: idOf('org', 2),
        email: emailOf(index + 1),
        role: roleOf(index),
        teamId: index % 3 === 1 ? idOf('tea', 0) : null,
        status: index % 3 === 2 ? ('expired' as const) : ('pending' as const),
        expiresAt: index % 3 === 2 ? daysAgo(2) : daysAhead(5),
        inviterId: idOf('usr', 0),
        createdAt: agoOf(index),
      })).slice(0, 20),
      next: nextOf(amount),
      total: totalOf(amount),
    }),
    says(teamAdministrationContract, 'adminListTeams', {
      teams: rowsOf(amount, teamOf).slice(0, 20),
      next: nextOf(amount),
      total: totalOf(amount),
    }),
    says(adminApiKeyContract, 'adminListApiKeys', {
      apiKeys: rowsOf(amount, keyOf).slice(0, 10),
      next: nextOf(amount),
      total: totalOf(amount),
    }),
    customersOf(amount),
    rolesOf(amount),
    eventsOf(amount),
    userAnswers(amount),
  )

const one = `/admin/organizations/${idOf('org', 2)}`
const team = `${one}/teams/${idOf('tea', 1)}`

export const organizationCases: readonly ScreenCase[] = [
  {
    pattern: '/admin/organizations',
    answers: (amount) =>
      says(organizationAdministrationContract, 'adminListOrganizations', {
        organizations: rowsOf(amount, organizationOf).map(({ metadata: _, ...listed }) => listed),
        next: nextOf(amount),
        total: amount === 'many' ? { count: 104_233, isExact: false } : null,
      }),
    more: { peek: { path: `/admin/organizations?peek=${idOf('org', 2)}` } },
  },
  { pattern: newOrganizationPath, answers: (amount) => together(userAnswers(amount), rolesOf(amount)) },
  {
    pattern: '/admin/organizations/:id',
    path: one,
    answers: insideOf,
    more: { 'not-found': { answers: { [`GET ${one}`]: refused(404, 'ORGANIZATION_NOT_FOUND') } } },
  },
  {
    pattern: '/admin/organizations/:id/teams/:teamId',
    path: team,
    answers: (amount) =>
      together(
        insideOf(amount),
        says(teamAdministrationContract, 'adminGetTeam', teamOf({ empty: 2, few: 0, many: 1 }[amount])),
        says(teamAdministrationContract, 'adminListTeamMembers', {
          members: rowsOf(amount, (index) => ({
            id: idOf('tem', index),
            teamId: idOf('tea', 1),
            userId: idOf('usr', index),
            createdAt: agoOf(index),
            user: person(index),
          })),
          next: nextOf(amount),
          total: totalOf(amount),
        }),
      ),
    more: { 'not-found': { answers: { [`GET ${team}`]: refused(404, 'TEAM_NOT_FOUND') } } },
  },
  {
    pattern: '/admin/organization-roles',
    answers: (amount) => together(rolesOf(amount), settingsAnswer(amount, 'organizations.')),
  },
]
