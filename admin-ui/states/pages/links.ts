import { ann, daysAhead, settings } from '../made-up.ts'
import type { State } from '../state.ts'
import { fill, press, refused, send } from '../state.ts'

const resetOf = (account: unknown) => ({ 'POST /reset-password/check': { email: 'ann@example.com', account } })
const strangers = {
  ...{ email: 'ann@example.com', createdAt: '2026-03-12T10:00:00.000Z', mayStartFresh: true, apiKeys: 2, invitations: 3 },
  organizations: [
    { name: 'Acme', role: 'owner', memberCount: 30 },
    { name: 'A company with quite a long name of many words', role: 'member', memberCount: 1 },
  ],
}

const passwords: readonly State[] = [
  { id: 'check-email/address', path: '/check-email?email=ann%40example.com' },
  { id: 'check-email/unknown', path: '/check-email' },
  { id: 'forgot-password/start', path: '/forgot-password' },
  {
    id: 'forgot-password/sent',
    path: '/forgot-password',
    answers: { 'POST /request-password-reset': { status: true, message: 'made up' } },
    steps: [fill('email', 'ann@example.com'), send],
  },
  { id: 'reset-password/start', path: '/reset-password?token=made-up', answers: resetOf(null) },
  { id: 'reset-password/claim', path: '/reset-password?token=made-up', answers: resetOf(strangers) },
  {
    id: 'reset-password/claim-bare',
    path: '/reset-password?token=made-up',
    answers: resetOf({ ...strangers, organizations: [], apiKeys: 0, invitations: 0 }),
  },
  {
    id: 'reset-password/claim-closed',
    path: '/reset-password?token=made-up',
    answers: resetOf({ ...strangers, mayStartFresh: false }),
  },
  {
    id: 'reset-password/taken-over',
    path: '/reset-password?token=made-up',
    answers: {
      ...resetOf(strangers),
      'POST /reset-password': {
        status: true,
        organizations: [
          {
            ...{ id: 'made-up', name: 'Acme', memberCount: 30 },
            members: [
              { name: 'Ben Example', email: 'ben@example.com', role: 'owner' },
              {
                name: 'Carl with a rather long name',
                email: 'carl.with.a.rather.long.name@subsidiary.example.com',
                role: 'member',
              },
            ],
          },
        ],
      },
    },
    steps: [press('[value=take-over]'), fill('newPassword', 'correct horse battery'), send],
  },
  {
    id: 'reset-password/link-used',
    path: '/reset-password?token=made-up',
    answers: { ...resetOf(null), 'POST /reset-password': refused(400, 'INVALID_TOKEN') },
    steps: [fill('newPassword', 'correct horse battery'), send],
  },
  {
    id: 'reset-password/link-invalid',
    path: '/reset-password?token=made-up',
    answers: { 'POST /reset-password/check': refused(400, 'INVALID_TOKEN') },
  },
  { id: 'reset-password/no-link', path: '/reset-password?error=INVALID_TOKEN' },
]

const verification = (answer: unknown) => ({ 'POST /verify-email/check': answer })
const asked = (asks: string, isClaimable: boolean) => verification({ email: 'ann@example.com', asks, isClaimable })

const addresses: readonly State[] = [
  { id: 'confirm-email/button', path: '/confirm-email?token=made-up', answers: asked('nothing', false) },
  { id: 'confirm-email/password', path: '/confirm-email?token=made-up', answers: asked('password', true) },
  { id: 'confirm-email/claim', path: '/confirm-email?token=made-up', answers: asked('sign-in', true) },
  { id: 'confirm-email/other-browser', path: '/confirm-email?token=made-up', answers: asked('sign-in', false) },
  {
    id: 'confirm-email/invalid',
    path: '/confirm-email?token=made-up',
    answers: verification(refused(400, 'INVALID_TOKEN')),
  },
  {
    id: 'recover-address/start',
    path: '/recover-address?token=made-up',
    answers: { 'POST /recover-address/check': { email: 'ann@example.com' } },
  },
  {
    id: 'recover-address/invalid',
    path: '/recover-address?token=made-up',
    answers: { 'POST /recover-address/check': refused(400, 'INVALID_TOKEN') },
  },
  { id: 'stop-recovery/start', path: '/stop-recovery?token=made-up' },
  { id: 'not-me/start', path: '/not-me?token=made-up' },
  { id: 'not-me/no-link', path: '/not-me' },
  {
    id: 'not-me/done',
    path: '/not-me?token=made-up',
    answers: {
      'POST /not-me': {
        status: true,
        email: 'ann@example.com',
        isNewPasswordMailed: true,
        waysIn: [{ kind: 'passkey', name: 'Ann’s phone', addedAt: '2026-10-01T12:00:00.000Z' }],
        removed: [
          { kind: 'totp', name: null, addedAt: '2026-11-20T12:00:00.000Z' },
          { kind: 'provider', name: 'github', addedAt: '2026-11-20T12:01:00.000Z' },
        ],
      },
    },
    steps: [send],
  },
  { id: 'verified/done', path: '/verified' },
  { id: 'verified/invalid', path: '/verified?error=invalid_token' },
  { id: 'deleted/done', path: '/account/deleted' },
]

const setup: readonly State[] = [
  {
    id: 'setup/start',
    path: '/setup?token=made-up',
    answers: { 'POST /setup/check': { valid: true, administratorExists: false } },
  },
  {
    id: 'setup/used',
    path: '/setup?token=made-up',
    answers: { 'POST /setup/check': { valid: false, administratorExists: false } },
  },
  {
    id: 'setup/done',
    path: '/setup?token=made-up',
    answers: { 'POST /setup/check': { valid: false, administratorExists: true } },
  },
  { id: 'setup/no-link', path: '/setup' },
]

const errors: readonly State[] = [
  { id: 'error/unknown', path: '/error' },
  { id: 'error/restart', path: '/error?error=please_restart_the_process' },
  { id: 'error/denied', path: '/error?error=access_denied' },
  {
    id: 'error/application',
    path: '/error?error=invalid_redirect_uri&error_description=redirect_uri+is+not+registered&request_id=0198c3f0-4a7e-7cc2-8f10-0c1d2e3f4a5b&client_id=northwind-shop&redirect_uri=https%3A%2F%2Fshop.northwind.example%2Fcallback%2Fthat%2Fis%2Frather%2Flong&response_type=code&scope=openid',
  },
  { id: 'not-found/start', path: '/there-is-nothing' },
]

const view = {
  state: 'pending',
  organizationName: 'Acme',
  organizationLogo: null,
  inviterName: 'Bob Example',
  email: 'ann@example.com',
  roles: ['member'],
  expiresAt: daysAhead(6),
  signedInAs: null,
  hasAccount: true,
  maySignUp: false,
}
const invitation = (id: string, changes: object, more: Partial<State> = {}): State => ({
  id: `invitation/${id}`,
  path: '/invitation/made-up?token=made-up',
  answers: { 'GET /hosted/invitation': { ...view, ...changes } },
  ...more,
})

const invitations: readonly State[] = [
  invitation('sign-in', {}),
  invitation('sign-up', { hasAccount: false, maySignUp: true }),
  invitation('no-sign-up', { hasAccount: false }, { settings: { signUpEnabled: false } }),
  invitation('answer', { signedInAs: { email: 'ann@example.com', isInvited: true } }, { session: ann }),
  invitation('other-account', { signedInAs: { email: 'anna@other.example', isInvited: false } }, { session: ann }),
  invitation('accepted', { state: 'accepted' }),
  invitation('rejected', { state: 'rejected' }),
  invitation('canceled', { state: 'canceled', inviterName: null }),
  invitation('expired', { state: 'expired' }),
  {
    id: 'invitation/unknown',
    path: '/invitation/made-up',
    answers: { 'GET /hosted/invitation': refused(400, 'INVITATION_NOT_FOUND') },
  },
]

export const linkStates: readonly State[] = [
  ...passwords,
  ...addresses,
  ...setup,
  ...errors,
  ...invitations,
  {
    id: 'sign-up/long-passwords',
    path: '/sign-up',
    settings: { ...settings, passwordMinLength: 16 },
    steps: [fill('password', 'four words')],
  },
]
