import { restsOnMailbox } from '../../../core/authentication-classes.ts'
import type { AuthenticationMethod } from '../../attempts/index.ts'

/** Lifetime of a code, in seconds. */
export const lifeSeconds = 300
/** Number of wrong codes after which a new one has to be requested. */
export const mostAttempts = 3

export interface Situation {
  /** `secondFactor.mailCodes`. */
  readonly isOn: boolean
  readonly emailVerified: boolean
  /** True for a user with another second factor: a code is its alternative. */
  readonly hasSecondFactor: boolean
  /** True for a user who needs a second factor. */
  readonly isRequired: boolean
  /** True after a reset of the password, until another second factor is given. */
  readonly isBlocked: boolean
}

/** True where a mailed code may be the second factor: not where the mailbox alone would give access, or two factors are required. */
export const isAllowed = ({ isOn, emailVerified, hasSecondFactor, isRequired, isBlocked }: Situation): boolean =>
  isOn && emailVerified && hasSecondFactor && !isRequired && !isBlocked

/** True after a proof that the mailbox does not give. */
export const isBesideMailbox = (given: readonly AuthenticationMethod[]): boolean =>
  given.some((method) => !restsOnMailbox(method))
