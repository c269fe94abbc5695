import type { MethodName } from '../../attempts/index.ts'

/** Life of a code, in seconds. */
export const lifeSeconds = 300
/** Wrong codes after which another one has to be asked for. */
export const mostAttempts = 3

export interface Situation {
  /** `secondFactor.mailCodes`. */
  readonly isOn: boolean
  readonly emailVerified: boolean
  /** The user has another second factor: a code is its alternative. */
  readonly hasSecondFactor: boolean
  /** A second factor is required of the user. */
  readonly isRequired: boolean
  /** The password was reset, and no other second factor was given since. */
  readonly isBlocked: boolean
}

/** True where a mailed code may be the second factor: nowhere where the mailbox alone would open the account, or two factors are required. */
export const isAllowed = ({ isOn, emailVerified, hasSecondFactor, isRequired, isBlocked }: Situation): boolean =>
  isOn && emailVerified && hasSecondFactor && !isRequired && !isBlocked

/** True when something else than the mailbox was proven first. */
export const isBesideMailbox = (given: readonly MethodName[]): boolean =>
  given.some((name) => name !== 'mail-link' && name !== 'mail-code')
