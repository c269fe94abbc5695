import { instanceRoles } from '../../../../src/access/permissions.ts'
import { factorAdministrationContract } from '../../../../src/authentication/factor-administration/contract.ts'
import { identityAdministrationContract } from '../../../../src/authentication/methods/federated/linked-accounts/contract.ts'
import { sessionAdministrationContract } from '../../../../src/authentication/sessions/administration/contract.ts'
import { roleContract } from '../../../../src/identity/roles/contract.ts'
import { grantContract } from '../../../../src/oidc/grants/contract.ts'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import { invitationAdministrationContract } from '../../../../src/organizations/invitations/contract.ts'
import { newUserPath } from '../../../console/people/paths.ts'
import { daysAgo, daysAhead } from '../../made-up.ts'
import type { Answers } from '../../state.ts'
import { refused } from '../../state.ts'
import type { ScreenCase } from '../case.ts'
import type { Amount } from '../made-up.ts'
import { addressOf, agoOf, companyOf, deviceOf, idOf, nextOf, rowsOf, slugOf, totalOf } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says, together } from '../typed.ts'
import { noticesOf } from './applications.ts'
import { customersOf } from './billing.ts'
import { eventsOf } from './history.ts'
import { mailAnswers } from './mail.ts'
import { settingsAnswer } from './settings.ts'
import { userAnswers, userOf } from './users.ts'

type Session = Wire<typeof sessionAdministrationContract, 'adminListSessions'>['sessions'][number]

const sessionOf = (index: number, user = userOf(index)): Session => ({
  id: idOf('ses', index),
  userId: user.id,
  user: { id: user.id, name: user.name, email: user.email },
  createdAt: agoOf(index + 1),
  updatedAt: agoOf(index),
  expiresAt: daysAhead(7),
  ipAddress: addressOf(index),
  ...deviceOf(index),
  activeOrganizationId: index % 2 === 0 ? idOf('org', index) : null,
  impersonatedBy: index % 9 === 4 ? idOf('usr', 0) : null,
  impersonator: index % 9 === 4 ? { kind: 'user', id: idOf('usr', 0), name: 'Ada Lovelace' } : null,
  organization: index % 2 === 0 ? { kind: 'organization', id: idOf('org', index), name: companyOf(index) } : null,
})

const invitationStates = ['pending', 'expired', 'accepted', 'rejected', 'canceled'] as const

const invitationsOf = (amount: Amount): Answers =>
  says(invitationAdministrationContract, 'adminListAllInvitations', {
    invitations: rowsOf(amount, (index) => ({
      id: idOf('inv', index),
      organizationId: idOf('org', index + 1),
      email: addressOf(index),
      role: index % 3 === 1 ? 'admin' : 'member',
      teamId: null,
      status: invitationStates[index % invitationStates.length] ?? 'pending',
      expiresAt: daysAhead(6),
      inviterId: idOf('usr', 1),
      createdAt: agoOf(index),
      organizationName: companyOf(index + 1),
      organizationSlug: slugOf(index + 1),
      inviter: index % 4 === 3 ? null : { id: idOf('usr', 1), name: 'Ann Example', email: addressOf(1) },
      byOperator: index % 4 === 3,
    })),
    next: nextOf(amount),
    total: totalOf(amount),
  })

/** The answers about a person. Depending on the amount, the person has nothing, something, or a long name and much of everything. */
const personAnswers = (amount: Amount): Answers => {
  const user = userOf(amount === 'many' ? 2 : amount === 'few' ? 0 : 4)
  return together(
    userAnswers(amount),
    says(sessionAdministrationContract, 'adminListSessionsOfUser', {
      sessions: rowsOf(amount, (index) => sessionOf(index, user)).slice(0, 20),
      next: nextOf(amount),
      total: totalOf(amount),
    }),
    says(identityAdministrationContract, 'adminListIdentities', {
      identities: rowsOf(amount, (index) => ({
        id: idOf('idn', index),
        ...(index === 0 ? { provider: 'credential', providerId: 'credential' } : { provider: 'google', providerId: 'google' }),
        userId: user.id,
        createdAt: agoOf(index + 4),
        updatedAt: agoOf(index),
        accountId: index === 0 ? user.id : '110169484474386276334',
        scopes: index === 0 ? [] : ['openid', 'email', 'profile', 'https://www.googleapis.com/auth/calendar.readonly'],
      })).slice(0, 6),
    }),
    says(factorAdministrationContract, 'adminListFactors', {
      userId: user.id,
      twoFactorEnabled: amount !== 'empty',
      factors:
        amount === 'empty'
          ? []
          : [
              {
                id: 'f1',
                kind: 'totp',
                name: null,
                createdAt: daysAgo(90),
                lastUsedAt: daysAgo(1),
                counts: true,
                removable: true,
              },
              {
                id: 'f2',
                kind: 'passkey',
                name: 'Ann’s phone, which is also the one of the whole accounting department',
                createdAt: daysAgo(40),
                lastUsedAt: null,
                counts: true,
                removable: true,
              },
              {
                id: 'f3',
                kind: 'recovery-code',
                name: null,
                createdAt: daysAgo(90),
                lastUsedAt: null,
                counts: false,
                left: 3,
                removable: false,
              },
            ],
      rememberedBrowsers: amount === 'empty' ? 0 : 2,
      required: amount === 'many',
      requirement: amount === 'many' ? { by: 'roles', roles: ['auditor', 'support'], dueAt: daysAhead(3) } : null,
      signInMethods: amount === 'empty' ? 1 : 3,
    }),
    says(organizationAdministrationContract, 'adminListOrganizationsOfUser', {
      organizations: rowsOf(amount, (index) => ({
        id: idOf('org', index),
        name: companyOf(index),
        slug: slugOf(index),
        logo: null,
        createdAt: agoOf(index + 6),
        requiresSecondFactor: index % 3 === 1,
        memberId: idOf('mem', index),
        role: index % 2 === 0 ? 'owner' : 'member',
        joinedAt: agoOf(index + 1),
      })),
      next: nextOf(amount),
      total: totalOf(amount),
    }),
    invitationsOf(amount),
    mailAnswers(amount),
    says(grantContract, 'listUserConsents', {
      consents: rowsOf(amount, (index) => ({
        id: idOf('gra', index),
        userId: user.id,
        user: { kind: 'user', id: user.id, name: user.name },
        clientId: idOf('cli', index),
        clientName: companyOf(index),
        scopes: ['openid', 'profile', 'email', 'offline_access', 'organizations', 'entitlements'],
        ...{ organizationIds: index === 2 ? null : index === 1 ? [idOf('org', 1)] : [] },
        expiresAt: index % 2 === 0 ? null : daysAhead(30 + index),
        organizations: index === 2 ? null : index === 1 ? [{ kind: 'organization', id: idOf('org', 1), name: companyOf(1) }] : [],
        createdAt: agoOf(index + 1),
        updatedAt: agoOf(index),
      })).slice(0, 12),
      next: null,
      total: null,
    }),
    customersOf(amount),
    noticesOf(amount),
    eventsOf(amount),
  )
}

const somebody = `/admin/users/${idOf('usr', 2)}`

/** The roles of the instance. */
export const rolesAnswer = () =>
  says(roleContract, 'listInstanceRoles', {
    roles: Object.entries(instanceRoles).map(([name, permissions]) => ({
      ...{
        name,
        description: 'Helps people with their accounts and sessions; no clients, no keys.',
        isBuiltIn: name !== 'auditor',
      },
      permissions: [...permissions],
    })),
  })

export const peopleCases: readonly ScreenCase[] = [
  {
    pattern: '/admin/users',
    answers: userAnswers,
    more: { peek: { path: `/admin/users?peek=${idOf('usr', 2)}` }, found: { path: '/admin/users?search=zz' } },
  },
  { pattern: newUserPath, answers: userAnswers },
  {
    pattern: '/admin/roles',
    answers: (amount) => together(settingsAnswer(amount), rolesAnswer()),
  },
  {
    pattern: '/admin/users/:id',
    path: somebody,
    answers: personAnswers,
    more: { 'not-found': { answers: { [`GET ${somebody}`]: refused(404, 'USER_NOT_FOUND') } } },
  },
  {
    pattern: '/admin/sessions',
    answers: (amount) =>
      says(sessionAdministrationContract, 'adminListSessions', {
        sessions: rowsOf(amount, (index) => sessionOf(index)),
        next: nextOf(amount),
        total: totalOf(amount),
      }),
  },
  {
    pattern: '/admin/invitations',
    answers: invitationsOf,
    more: { peek: { path: `/admin/invitations?peek=${idOf('inv', 0)}` } },
  },
]
