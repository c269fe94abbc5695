import { can } from '../access/can.ts'
import { permissions } from '../access/permissions.ts'
import { isFresh, type Principal } from '../access/principal.ts'
import type { Clock } from '../core/clock.ts'
import { AppError, codeOf, coreErrors } from '../core/errors.ts'
import type { Access } from './contract.ts'

interface Deps {
  readonly config: { readonly sessions: { readonly freshAgeSeconds: number } }
  readonly clock: Clock
}

/**
 * Makes the check that a principal may make a call. The check throws UNAUTHORIZED, SECOND_FACTOR_REQUIRED, FORBIDDEN and
 * SESSION_IS_NOT_FRESH.
 */
export const createAccessCheck =
  ({ config, clock }: Deps) =>
  (access: Access, principal: Principal): void => {
    if (typeof access === 'string') return
    if (principal.kind === 'anonymous') throw coreErrors.error('UNAUTHORIZED')
    if (!can(principal, access.permission)) {
      if (principal.kind === 'user' && principal.session.lacksSecondFactor && permissions[access.permission] === 'instance')
        throw coreErrors.error('SECOND_FACTOR_REQUIRED')
      throw access.denied === undefined ? coreErrors.error('FORBIDDEN') : new AppError(codeOf(access.denied), 403, access.denied)
    }
    const needsSession = access.session !== undefined || (principal.kind === 'api-key' && access.fresh === true)
    if (needsSession && principal.kind !== 'user') throw coreErrors.error('FORBIDDEN', { message: 'Only for signed-in people' })
    // A machine never has to prove its identity again: it has no session that another person could find at an unlocked screen.
    if (
      principal.kind === 'user' &&
      access.fresh !== undefined &&
      !isFresh(principal.session, clock.now(), config.sessions.freshAgeSeconds)
    )
      throw coreErrors.error('SESSION_IS_NOT_FRESH')
  }
