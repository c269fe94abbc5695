import {
  accountAnswers,
  emptyAnswers,
  githubIdentity,
  invitation,
  joinedView,
  noSecondFactors,
  ownedView,
  passwordIdentity,
} from '../account-answers.ts'
import { accessOf } from '../console/access.ts'
import { administrator, ann, daysAgo, daysAhead, organizations, providers } from '../made-up.ts'
import type { Answers, State } from '../state.ts'
import { refused, waiting } from '../state.ts'

const account = (id: string, path: string, more: Partial<State> = {}): State => ({
  id: `account/${id}`,
  path: `/account${path}`,
  session: ann,
  ...more,
  answers: { ...accountAnswers, ...more.answers },
})
const empty = (id: string, path: string, more: Partial<State> = {}): State =>
  account(id, path, { ...more, answers: { ...emptyAnswers, ...more.answers } })

const noPasswords = { emailPasswordEnabled: false, signUpEnabled: false, passwordResetEnabled: false, socialProviders: providers }
const onlyGithub: Answers = { 'GET /list-accounts': [githubIdentity] }

const step = (name: string, state: 'done' | 'open') => ({ name, state, lockedBy: null, subject: null })
const firstSteps: Answers = {
  'GET /admin/setup-steps': { steps: [step('brand', 'done'), step('mail', 'open'), step('application', 'open')] },
  'GET /admin/access': accessOf(['admin']),
}

const own: readonly State[] = [
  account('overview', ''),
  account('impersonated', '', { session: { ...ann, session: { ...ann.session, impersonatedBy: 'somebody' } } }),
  account('waiting', '', { answers: { 'GET /get-session': waiting }, isWaiting: true }),
  empty('overview-empty', ''),
  account('overview-unverified', '', { session: { ...ann, user: { ...ann.user, emailVerified: false } } }),
  account('overview-first-steps', '', { session: administrator, answers: firstSteps }),
  account('overview-invited', '', {
    answers: {
      'GET /organization/list-user-invitations': [{ ...invitation, organizationName: 'Acme', organizationSlug: 'acme' }],
    },
  }),
  account('factor-due', '', { answers: { 'GET /two-factor/status': { ...noSecondFactors, dueAt: daysAhead(3) } } }),
  account('factor-overdue', '', { answers: { 'GET /two-factor/status': { ...noSecondFactors, dueAt: daysAgo(1) } } }),
  account('profile', '/profile'),
  account('email', '/email'),
  account('password', '/password'),
  account('password-none', '/password', { answers: onlyGithub }),
  account('password-none-and-no-mail', '/password', { settings: { passwordResetEnabled: false }, answers: onlyGithub }),
  account('no-passwords-password', '/password', { settings: noPasswords, answers: onlyGithub }),
  account('sign-in-methods', '/linked', { settings: { socialProviders: providers } }),
  empty('sign-in-methods-empty', '/linked', { settings: { socialProviders: providers } }),
  account('no-passwords-overview', '', { settings: noPasswords, answers: onlyGithub }),
  account('no-passwords-sign-in-methods', '/linked', { settings: noPasswords, answers: onlyGithub }),
  account('no-passwords-kept', '/linked', {
    settings: noPasswords,
    answers: { 'GET /list-accounts': [passwordIdentity, githubIdentity] },
  }),
  account('devices', '/devices'),
  account('applications', '/applications'),
  empty('applications-empty', '/applications'),
  account('delete', '/delete'),
  account('delete-without-password', '/delete', { answers: onlyGithub }),
  account('delete-only-owner', '/delete', {
    answers: { 'GET /hosted/only-owned-organizations': { organizations: organizations.slice(0, 1) } },
  }),
  account('failed', '/devices', { answers: { 'GET /list-sessions': refused(500, 'INTERNAL_SERVER_ERROR') } }),
  account('nothing', '/nothing'),
]

const area = (id: string, path: string, more: Partial<State> = {}): State => {
  const state = account(id, `/organizations${path}`, more)
  return { ...state, id: `organizations/${id}` }
}
const joined: Answers = { 'GET /hosted/organization': joinedView }

const ofOrganizations: readonly State[] = [
  area('list', ''),
  area('list-empty', '', { answers: emptyAnswers }),
  area('new', '/new'),
  area('overview', '/acme'),
  area('overview-joined', '/acme', { answers: joined }),
  area('members', '/acme/members'),
  area('members-joined', '/acme/members', { answers: joined }),
  area('invitations', '/acme/invitations'),
  area('invitations-empty', '/acme/invitations', { answers: { 'GET /organization/list-invitations': [] } }),
  area('teams', '/acme/teams'),
  area('teams-empty', '/acme/teams', {
    answers: { 'GET /organization/list-teams': [], 'GET /organization/list-user-teams': [] },
  }),
  area('team', '/acme/teams/team-sales'),
  area('settings', '/acme/settings'),
  area('settings-factor-required', '/acme/settings', {
    answers: {
      'GET /hosted/organization': { ...ownedView, organization: { ...ownedView.organization, requiresSecondFactor: true } },
    },
  }),
  area('not-found', '/other', {
    answers: { 'GET /hosted/organization': refused(400, 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION') },
  }),
  area('locked', '/acme', { answers: { 'GET /hosted/organization': refused(403, 'SECOND_FACTOR_REQUIRED') } }),
]

export const accountStates: readonly State[] = [...own, ...ofOrganizations]
