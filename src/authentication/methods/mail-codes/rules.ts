import { restsOnMailbox } from '../../../core/authentication-classes.ts'
import type { AuthenticationMethod } from '../../attempts/index.ts'

/** The lifetime of a code in seconds. */
export const lifeSeconds = 300
/** The number of wrong codes after which the user has to request a new code. */
export const mostAttempts = 3

export interface Situation {
  /** The setting `secondFactor.mailCodes`. */
  readonly isOn: boolean
  readonly emailVerified: boolean
  /** True for a user with another second factor. A mailed code is an alternative to that factor. */
  readonly hasSecondFactor: boolean
  /** True for a user of whom a second factor is required. */
  readonly isRequired: boolean
  /** True after a reset of the password, until the user has given another second factor. */
  readonly isBlocked: boolean
}

/**
 * True if a mailed code may be the second factor. Mailed codes are not allowed where the mailbox alone would give access, or where a
 * second factor is required.
 */
export const isAllowed = ({ isOn, emailVerified, hasSecondFactor, isRequired, isBlocked }: Situation): boolean =>
  isOn && emailVerified && hasSecondFactor && !isRequired && !isBlocked

/** True if the user has given a proof that access to the mailbox cannot give. */
export const isBesideMailbox = (given: readonly AuthenticationMethod[]): boolean =>
  given.some((method) => !restsOnMailbox(method))
