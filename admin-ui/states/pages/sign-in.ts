import { ann, deviceRequest, interaction, noRecovery, organizations, pendingSignIn, providers, settings } from '../made-up.ts'
import type { State } from '../state.ts'
import { fill, press, refused, send, unreachable, waiting } from '../state.ts'

const ofApplication = '/sign-in?interaction=made-up'
const details = 'GET /interaction/made-up/details'
const consent = { ...interaction, prompt: 'consent', user: { name: ann.user.name, email: ann.user.email } }
const filled = [fill('email', 'ann@example.com'), fill('password', 'not it'), send]

const signIn: readonly State[] = [
  { id: 'sign-in/start', path: '/sign-in' },
  { id: 'sign-in/waiting', path: ofApplication, answers: { [details]: waiting }, isWaiting: true },
  { id: 'sign-in/application', path: ofApplication, answers: { [details]: interaction } },
  {
    id: 'sign-in/application-again',
    path: ofApplication,
    answers: { [details]: { ...interaction, user: { name: ann.user.name, email: ann.user.email } } },
  },
  { id: 'sign-in/application-gone', path: ofApplication, answers: { [details]: refused(404, 'INTERACTION_NOT_FOUND') } },
  { id: 'sign-in/unreachable', path: ofApplication, answers: { [details]: unreachable } },
  { id: 'sign-in/fields-missing', path: '/sign-in', steps: [send] },
  {
    id: 'sign-in/wrong-password',
    path: '/sign-in',
    answers: { 'POST /sign-in/email': refused(401, 'INVALID_EMAIL_OR_PASSWORD') },
    steps: filled,
  },
  {
    id: 'sign-in/too-many',
    path: '/sign-in',
    answers: { 'POST /sign-in/email': refused(429, 'TOO_MANY_REQUESTS', { 'retry-after': '3000' }) },
    steps: filled,
  },
  { id: 'sign-in/banned', path: '/sign-in', answers: { 'POST /sign-in/email': refused(403, 'BANNED_USER') }, steps: filled },
  { id: 'sign-in/offline', path: '/sign-in', answers: { 'POST /sign-in/email': unreachable }, steps: filled },
  { id: 'sign-in/sending', path: '/sign-in', answers: { 'POST /sign-in/email': waiting }, steps: filled },
  { id: 'sign-in/address-first', path: '/sign-in', settings: { addressFirst: true } },
  { id: 'sign-in/user-names', path: '/sign-in', settings: { userNames: { ...settings.userNames, mode: 'optional' } } },
  {
    id: 'sign-in/two-providers',
    path: '/sign-in',
    settings: { socialProviders: providers.slice(0, 2), socialSignUpEnabled: true },
  },
  { id: 'sign-in/many-providers', path: '/sign-in', settings: { socialProviders: providers, mailSignInEnabled: true } },
  {
    id: 'sign-in/no-passwords',
    path: '/sign-in',
    settings: { emailPasswordEnabled: false, signUpEnabled: false, mailSignInEnabled: true, socialProviders: providers },
  },
  {
    id: 'sign-in/only-mail',
    path: '/sign-in',
    settings: { emailPasswordEnabled: false, signUpEnabled: false, passkeysEnabled: false, mailSignInEnabled: true },
  },
  {
    id: 'sign-in/no-way-in',
    path: '/sign-in',
    settings: { emailPasswordEnabled: false, signUpEnabled: false, passkeysEnabled: false },
  },
  { id: 'sign-in/closed', path: '/sign-in', settings: { signUpEnabled: false, passwordResetEnabled: false } },
]

const signUp: readonly State[] = [
  { id: 'sign-up/start', path: '/sign-up' },
  {
    id: 'sign-up/application',
    path: '/sign-up?interaction=made-up',
    answers: { [details]: { ...interaction, prompt: 'create' } },
  },
  { id: 'sign-up/fields-missing', path: '/sign-up', steps: [send] },
  {
    id: 'sign-up/exists',
    path: '/sign-up',
    answers: { 'POST /sign-up/email': refused(422, 'USER_ALREADY_EXISTS') },
    steps: [fill('name', 'Ann'), fill('email', 'ann@example.com'), fill('password', 'correct horse battery'), send],
  },
  {
    id: 'sign-up/fields',
    path: '/sign-up',
    settings: { socialProviders: providers, socialSignUpEnabled: true, userNames: { ...settings.userNames, mode: 'required' } },
  },
  {
    id: 'sign-up/providers-only',
    path: '/sign-up',
    settings: { signUpEnabled: false, socialProviders: providers, socialSignUpEnabled: true },
  },
  {
    id: 'sign-up/by-mail',
    path: '/sign-up',
    settings: { emailPasswordEnabled: false, signUpEnabled: false, mailSignInEnabled: true, mailSignUpEnabled: true },
  },
  { id: 'sign-up/closed', path: '/sign-up', settings: { signUpEnabled: false } },
]

const secondStep = (changes: object, recovery: object = noRecovery) => ({
  'GET /two-factor/pending': { ...pendingSignIn, ...changes },
  'GET /two-factor/recovery': recovery,
})
const wrongCode = refused(401, 'INVALID_CODE')

const twoFactor: readonly State[] = [
  { id: 'two-factor/app', path: '/two-factor', answers: secondStep({ methods: ['totp', 'recovery-code'] }) },
  {
    id: 'two-factor/wrong-code',
    path: '/two-factor',
    answers: { ...secondStep({ methods: ['totp'] }), 'POST /two-factor/verify-totp': wrongCode },
    steps: [fill('code', '000000')],
  },
  { id: 'two-factor/passkey', path: '/two-factor', answers: secondStep({ methods: ['passkey', 'totp'] }) },
  { id: 'two-factor/recovery-code', path: '/two-factor', answers: secondStep({ methods: ['recovery-code'] }) },
  {
    id: 'two-factor/mail-code',
    path: '/two-factor',
    answers: { ...secondStep({ methods: ['mail-code'] }), 'POST /two-factor/send-otp': { status: true } },
  },
  {
    id: 'two-factor/choose',
    path: '/two-factor',
    answers: secondStep({}, { ...noRecovery, state: 'available' }),
    steps: [press('main .card-foot button')],
  },
  { id: 'two-factor/enrol', path: '/two-factor', answers: secondStep({ methods: [], mustEnrol: true }) },
  {
    id: 'two-factor/enrol-app',
    path: '/two-factor',
    answers: {
      ...secondStep({ methods: [], mustEnrol: true }),
      'POST /two-factor/enable': {
        method: 'totp',
        totpURI: 'otpauth://totp/Northwind:ann%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Northwind',
        backupCodes: ['ABCDE-FGHJK', 'LMNPQ-RSTUV', 'WXYZ2-34567', '89ABC-DEFGH', 'JKLMN-PQRST', 'UVWXY-Z2345'],
      },
    },
    steps: [press('main button')],
  },
  {
    id: 'two-factor/recovery-ready',
    path: '/two-factor',
    answers: secondStep({}, { ...noRecovery, state: 'ready', expiresAt: '2030-01-01T12:00:00.000Z' }),
  },
  {
    id: 'two-factor/over',
    path: '/two-factor',
    answers: {
      'GET /two-factor/pending': refused(401, 'INVALID_TWO_FACTOR_COOKIE'),
      'GET /two-factor/recovery': refused(401, 'INVALID_TWO_FACTOR_COOKIE'),
    },
  },
  {
    id: 'two-factor/step-up',
    path: '/two-factor?interaction=made-up',
    answers: {
      ...secondStep({ origin: 'session' }),
      [details]: { ...interaction, prompt: 'step_up', stepUp: { acr: '2fa', methods: ['totp'] }, user: consent.user },
    },
  },
]

const byMail: readonly State[] = [
  { id: 'mail-sign-in/start', path: '/mail-sign-in' },
  { id: 'mail-sign-in/link-used', path: '/mail-sign-in?error=INVALID_TOKEN' },
  {
    id: 'mail-sign-in/sent',
    path: '/mail-sign-in',
    answers: { 'POST /sign-in/magic-link': { status: true } },
    steps: [fill('email', 'ann@example.com'), send],
  },
]

const interactions: readonly State[] = [
  { id: 'consent/application', path: '/consent?interaction=made-up', session: ann, answers: { [details]: consent } },
  {
    id: 'consent/unknown-application',
    path: '/consent?interaction=made-up',
    session: ann,
    answers: {
      [details]: {
        ...consent,
        client: { ...consent.client, tosUri: 'https://terms.northwind.example', standing: 'unknown' },
      },
    },
  },
  {
    id: 'consent/organization',
    path: '/consent?interaction=made-up',
    session: ann,
    answers: {
      [details]: { ...consent, scopes: [...consent.scopes, 'organizations'], organization: organizations[0], organizations },
    },
  },
  {
    id: 'consent/more-than-before',
    path: '/consent?interaction=made-up',
    session: ann,
    answers: { [details]: { ...consent, newScopes: ['offline_access'] } },
  },
  {
    id: 'consent/api',
    path: '/consent?interaction=made-up',
    session: ann,
    answers: {
      [details]: {
        ...consent,
        apis: [
          {
            ...{ identifier: 'https://orders.northwind.example', name: 'Northwind Orders' },
            scopes: [
              { name: 'orders:read', description: 'See your orders and where they are', isNew: true },
              { name: 'orders:write', description: 'Order and cancel in your name', isNew: true },
            ],
          },
        ],
      },
    },
  },
  {
    id: 'choose-organization/several',
    path: '/choose-organization?interaction=made-up',
    session: ann,
    answers: { [details]: { ...consent, prompt: 'select_organization', organizations, needsOrganizationChoice: true } },
  },
  {
    id: 'select-account/one',
    path: '/select-account?interaction=made-up',
    session: ann,
    answers: { [details]: { ...consent, prompt: 'select_account' } },
  },
  {
    id: 'sign-out/application',
    path: '/sign-out?question=made-up',
    session: ann,
    answers: { 'GET /oauth2/end-session/question': { client: 'Northwind Shop', returnProblem: null } },
  },
  {
    id: 'sign-out/unregistered-address',
    path: '/sign-out?question=made-up',
    session: ann,
    answers: { 'GET /oauth2/end-session/question': { client: null, returnProblem: 'unidentified' } },
  },
  {
    id: 'sign-out/over',
    path: '/sign-out?question=made-up',
    answers: { 'GET /oauth2/end-session/question': refused(404, 'INTERACTION_NOT_FOUND') },
  },
]

const deviceCall = 'POST /oauth2/device/request'
const ofDevice = '/device?user_code=BCDF-GHJK'
const devices: readonly State[] = [
  { id: 'device/start', path: '/device' },
  { id: 'device/code-incomplete', path: '/device', steps: [fill('userCode', 'BCDF'), send] },
  { id: 'device/code-unknown', path: ofDevice, answers: { [deviceCall]: refused(404, 'DEVICE_CODE_NOT_FOUND') } },
  {
    id: 'device/too-many',
    path: '/device',
    answers: { [deviceCall]: refused(429, 'TOO_MANY_DEVICE_CODES', { 'retry-after': '600' }) },
    steps: [fill('userCode', 'BCDF-GHJK'), send],
  },
  { id: 'device/confirm', path: ofDevice, answers: { [deviceCall]: deviceRequest } },
  {
    id: 'device/confirm-elsewhere',
    path: ofDevice,
    answers: {
      [deviceCall]: { ...deviceRequest, isElsewhere: true, client: { ...deviceRequest.client, standing: 'unknown' } },
    },
  },
  { id: 'device/done', path: '/device?done=northwind-tv' },
  { id: 'device/expired', path: '/device?problem=expired' },
  { id: 'device/used', path: '/device?problem=used' },
  { id: 'device/refused', path: '/device?problem=refused' },
]

export const signInStates: readonly State[] = [...signIn, ...signUp, ...twoFactor, ...byMail, ...interactions, ...devices]
