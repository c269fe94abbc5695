import { restsOnMailbox } from '../../../core/authentication-classes.ts'
import type { AuthenticationMethod } from '../../attempts/index.ts'

/** The lifetime of a mailed code in seconds. */
export const lifeSeconds = 300
/** The number of wrong codes after which the user has to request a new code. */
export const mostAttempts = 3

export interface Situation {
  /** True if the setting `secondFactor.mailCodes` is on. */
  readonly isOn: boolean
  readonly emailVerified: boolean
  /** True if the user has another second factor, so that a mailed code is only an alternative. */
  readonly hasSecondFactor: boolean
  /** True for a user of whom a second factor is required. */
  readonly isRequired: boolean
  /** True after the password was reset by mail, until the user has given a second factor other than a mailed code. */
  readonly isBlocked: boolean
}

/**
 * True if a mailed code may be the second factor. It may not if access to the mailbox alone would then be enough to sign in, or if a
 * second factor is required of the user.
 */
export const isAllowed = ({ isOn, emailVerified, hasSecondFactor, isRequired, isBlocked }: Situation): boolean =>
  isOn && emailVerified && hasSecondFactor && !isRequired && !isBlocked

/** True if the user has given a proof for which access to the mailbox is not enough. */
export const isBesideMailbox = (given: readonly AuthenticationMethod[]): boolean =>
  given.some((method) => !restsOnMailbox(method))
