export interface Section {
  readonly id: 'password' | 'mail' | 'passkeys' | 'second' | 'signUp' | 'sessions' | 'providers' | 'limits' | 'account'
  /**
   * Configuration keys that belong to the section. An entry that ends with a dot means all keys that begin with it. A key belongs to the
   * first section that matches.
   */
  readonly keys: readonly string[]
  /** Keys whose settings are visible from the start. The other settings are behind a line that says how many they are. */
  readonly first: readonly string[]
}

/** The sections of settings about sign-ins, in the order in which operators need them. */
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

/** The section that a configuration key belongs to. Undefined for a key that is not about sign-ins. */
export const sectionOf = (key: string): Section | undefined => sections.find(({ keys }) => fits(keys, key))

/** Names of the checks whose findings are about sign-ins. */
export const checksOfWays: ReadonlySet<string> = new Set([
  ...['waysIn', 'second-factors', 'passkeys', 'passkeys-off', 'breached-passwords', 'administrator'],
])
