import { isFresh, type UserPrincipal } from '../../../access/principal.ts'
import type { Core } from '../../../core/core.ts'
import { coreErrors } from '../../../core/errors.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { PasswordService } from '../password/index.ts'

/** What is asked of a person before a second factor is added, shown, replaced or removed. */
export interface FreshProof {
  /**
   * A person with a second factor must have proven it within `sessions.freshAgeSeconds`; of others the password will do in the place of a
   * fresh session. A password that is given must be right. Throws SESSION_IS_NOT_FRESH and what `PasswordService.confirm` throws.
   */
  require(principal: UserPrincipal, password: string | undefined): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'clock'> {
  readonly users: Pick<Users, 'require'>
  readonly secondFactors: Pick<SecondFactors, 'isNeeded'>
  readonly passwordService: Pick<PasswordService, 'confirm'>
  /** 0: sessions are always fresh. */
  readonly freshAgeSeconds: number
}

export const createFreshProof = (deps: Deps): FreshProof => {
  const { db, clock, users, secondFactors, passwordService, freshAgeSeconds } = deps
  return {
    require: async (principal, password) => {
      const { user, session } = principal
      const canPasswordDo = password !== undefined && !(await secondFactors.isNeeded(db, await users.require(db, user.id)))
      if (!canPasswordDo && !isFresh(session, clock.now(), freshAgeSeconds)) throw coreErrors.error('SESSION_IS_NOT_FRESH')
      if (password !== undefined) await passwordService.confirm(principal, password)
    },
  }
}
