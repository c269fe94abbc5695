export interface Section {
  readonly id: 'password' | 'mail' | 'passkeys' | 'second' | 'signUp' | 'sessions' | 'providers' | 'limits' | 'account'
  /** Configuration keys, or prefixes that end with a dot. A key belongs to the first section that matches. */
  readonly keys: readonly string[]
  /** Keys that are shown at once. The other keys are behind a line with their number. */
  readonly first: readonly string[]
}

/** Settings about sign-ins, in an order for operators. */
export const sections: readonly Section[] = [
  {
    id: 'password',
    keys: ['accounts.emailPasswordEnabled', 'accounts.passwordResetEnabled', 'accounts.resetTtlSeconds', 'password.'],
    first: ['accounts.emailPasswordEnabled', 'password.minLength', 'password.refuseCommon', 'password.breached.source'],
  },
  { id: 'mail', keys: ['mailSignIn.'], first: ['mailSignIn.enabled', 'mailSignIn.signUp'] },
  { id: 'passkeys', keys: ['passkeys.'], first: ['passkeys.enabled', 'passkeys.offerAfterSignIn'] },
  {
    id: 'second',
    keys: ['secondFactor.', 'totp.'],
    first: ['secondFactor.requiredFor', 'secondFactor.graceDays', 'secondFactor.rememberDays', 'secondFactor.mailCodes'],
  },
  {
    id: 'signUp',
    keys: [
      ...['accounts.signUpEnabled', 'accounts.autoSignIn', 'accounts.verifyOnSignUp', 'accounts.requireEmailVerification'],
      ...['accounts.signInAfterVerification', 'accounts.verificationMailEnabled', 'accounts.verificationTtlSeconds'],
      ...['organizations.invitedSignUpEnabled', 'social.signUpEnabled', 'social.implicitSignUp'],
    ],
    first: ['accounts.signUpEnabled', 'accounts.requireEmailVerification', 'organizations.invitedSignUpEnabled'],
  },
  {
    id: 'sessions',
    keys: ['sessions.'],
    first: ['sessions.expiresInSeconds', 'sessions.absoluteExpiresInSeconds', 'sessions.freshAgeSeconds'],
  },
  {
    id: 'providers',
    keys: [
      ...['social.trustedProviders', 'social.linkingEnabled', 'social.allowDifferentEmails', 'social.autoRedirect'],
      'social.stateTtlSeconds',
    ],
    first: ['social.linkingEnabled', 'social.autoRedirect'],
  },
  {
    id: 'limits',
    keys: ['limits.', 'accounts.guessing.', 'signIns.'],
    first: ['limits.enabled', 'accounts.guessing.freeAttempts', 'accounts.guessing.longestWaitSeconds', 'limits.proofOfWork.for'],
  },
  { id: 'account', keys: ['accounts.'], first: ['accounts.addressFirst', 'accounts.userNames.mode', 'accounts.newDeviceMail'] },
]

const fits = (keys: readonly string[], key: string) => keys.some((one) => (one.endsWith('.') ? key.startsWith(one) : key === one))

/** The section of a key; undefined for a key about something else. */
export const sectionOf = (key: string): Section | undefined => sections.find(({ keys }) => fits(keys, key))

/** Checks with findings about sign-ins. */
export const checksOfWays: ReadonlySet<string> = new Set([
  ...['waysIn', 'second-factors', 'passkeys', 'passkeys-off', 'breached-passwords', 'administrator'],
])
