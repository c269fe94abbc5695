import { isFresh, isImpersonated } from '../../access/principal.ts'
import { isProven, proofActions, type RequireProof } from '../../access/proof.ts'
import type { Core } from '../../core/core.ts'
import { coreErrors } from '../../core/errors.ts'
import type { Credentials } from '../../identity/identities/index.ts'
import type { Users } from '../../identity/users/index.ts'
import type { PasswordService } from '../methods/password/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import type { Sessions } from '../sessions/index.ts'

interface Deps extends Pick<Core, 'db' | 'clock'> {
  readonly users: Pick<Users, 'require'>
  readonly credentials: Pick<Credentials, 'find'>
  readonly secondFactors: Pick<SecondFactors, 'isNeeded'>
  readonly sessions: Pick<Sessions, 'authenticationOf'>
  readonly passwordService: Pick<PasswordService, 'confirm'>
  /** True if passwords can sign in. */
  readonly emailPasswordEnabled: boolean
  /** Seconds for which a proof counts as recent. With 0 a fresh session is enough for every change. */
  readonly recentSeconds: number
  /** Seconds for which a session counts as fresh. With 0 every session counts as fresh. */
  readonly freshSeconds: number
}

export const createRequireProof = (deps: Deps): RequireProof => {
  const { db, clock, users, credentials, secondFactors, sessions, passwordService } = deps
  const { emailPasswordEnabled, recentSeconds, freshSeconds } = deps

  const factsOf = async (userId: string, sessionId: string) => {
    const authentication = await sessions.authenticationOf(db, sessionId)
    // The session may have ended since the call began.
    if (authentication === undefined) throw coreErrors.error('UNAUTHORIZED')
    const user = await users.require(db, userId)
    const credential = await credentials.find(db, userId)
    const proofs = authentication.proofs.map(({ method, at, factors = ['knowledge'], isNew, raisesNoAcr }) => ({
      ...{ method, at: new Date(at), factors, isNew: isNew === true, raisesNoAcr: raisesNoAcr === true },
    }))
    const needsSecondFactor = await secondFactors.isNeeded(db, user)
    return { proofs, hasPassword: emailPasswordEnabled && credential !== undefined, needsSecondFactor }
  }

  return async (principal, action, { password, isPasswordChecked = false } = {}) => {
    if (principal.kind !== 'user') return
    if (isImpersonated(principal)) throw coreErrors.error('FORBIDDEN')
    const { user, session } = principal
    const isPasswordGiven = isPasswordChecked || password !== undefined
    const isSessionEnough = proofActions[action] === 'session' || recentSeconds === 0
    const isEnough =
      isSessionEnough && !isPasswordGiven
        ? isFresh(session, clock.now(), freshSeconds)
        : isProven({ ...(await factsOf(user.id, session.id)), isPasswordGiven }, clock.now(), {
            ...{ recentSeconds: recentSeconds === 0 ? freshSeconds : recentSeconds, freshSeconds },
          })
    if (!isEnough) throw coreErrors.error('SESSION_IS_NOT_FRESH')
    if (password !== undefined) await passwordService.confirm(principal, password)
  }
}
