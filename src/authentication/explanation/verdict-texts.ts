import { fillPlaces, type Values } from '../../core/checks.ts'

/** The English sentences about the outcome of a sign-in and its obstacles, by code. Translations are part of the console. */
export const verdictTexts = {
  'no-account': 'No account has the address.',
  'no-account-open': 'No account has the address. Sign-up is open.',
  'no-account-closed': 'No account has the address. Sign-up is closed.',
  'account-deleted': 'The account was deleted.',
  unknown: 'The story names no account, or several.',
  banned: 'The user is banned until the ban is lifted.',
  'banned-until': 'The user is banned until {until}.',
  'application-closed': 'The application cannot sign anybody in.',
  'no-way-open': 'No way to sign in is open to the account.',
  'others-wait': 'The right password is taken from browsers that the account knows; others have to wait.',
  'some-wait': 'The right password is taken, except where there were too many wrong ones.',
  'can-sign-in': 'The account can sign in now, with {named}.',
  'password-off': 'Sign-in with email and password is off.',
  'no-password': 'The account has no password.',
  'not-verified':
    'The address is not verified: the mailed link has to be followed first. Each attempt with the right password mails a new one.',
  'must-add-factor': 'The password opens only the page that adds a second factor: the time to add one is over.',
  'no-factor-open': 'After the password a second factor is asked, and none that the user has is switched on.',
  'factor-asked': 'After the password a second factor is asked: {named}.',
  'provider-off': 'Sign-in with {provider} is not switched on.',
  'all-locked':
    'Browsers that the account does not know cannot use the password after {failures} wrong ones in a row, until it is reset.',
  'some-locked':
    'One network, browser or session cannot use the password after {failures} wrong ones in a row, until it is reset.',
  'all-wait': 'Browsers that the account does not know have to wait until {until} after {failures} wrong passwords.',
  'one-waits': 'One network, browser or session has to wait until {until} after {failures} wrong passwords.',
  'application-unknown': 'The application {clientId} is not registered.',
  'application-disabled': 'The application {clientId} is disabled.',
  'application-asks':
    'The application {clientId} asks everybody for {acr}: the user has no second factor, and adds one on the way.',
  'organization-asks': 'The organization {organization} requires two factors: the user has to add a second one.',
} as const

type VerdictCode = keyof typeof verdictTexts

/** The sentence in English, with its code and values. */
export const say = (code: VerdictCode, values: Values = {}) => ({ text: fillPlaces(verdictTexts[code], values), code, values })
