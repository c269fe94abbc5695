import { restsOnMailbox } from '../../../core/authentication-classes.ts'
import type { AuthenticationMethod } from '../../attempts/index.ts'

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

/** True when something was proven first that the mailbox does not open. */
export const isBesideMailbox = (given: readonly AuthenticationMethod[]): boolean =>
  given.some((method) => !restsOnMailbox(method))
