import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { Identities, Identity } from '../../identity/identities/index.ts'
import type { User } from '../../identity/users/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { verificationEvents } from './events.ts'

/**
 * Pre-hijacking defence: hands an account over to the person who has proven its address, which the account never had verified. Whoever
 * created it keeps no access: password, identities at providers, second factors, sessions, known browsers and all tokens of applications are deleted. The
 * caller has locked the user's row.
 */
export type ClaimAccount = (
  tx: Tx,
  actor: Actor,
  user: Pick<User, 'id' | 'email' | 'emailEverVerified'>,
  /** Identities at providers that stay: those that are known to be the owner's, where nothing else would let them in. */
  keeps?: (identity: Identity) => boolean,
) => Promise<void>

interface Deps extends Pick<Core, 'events'> {
  readonly sessions: Sessions
  readonly attempts: Pick<Attempts, 'forgetFailures'>
  readonly identities: Identities
  readonly secondFactors: SecondFactors
}

export const createClaimAccount =
  ({ sessions, attempts, identities, secondFactors, events }: Deps): ClaimAccount =>
  async (tx, actor, user, keeps) => {
    await identities.removeAll(tx, user.id, keeps)
    // Of an account whose owner was known they are that person's: a mailbox alone does not replace them.
    if (!user.emailEverVerified) await secondFactors.removeAll(tx, actor, user.id)
    await sessions.endAll(tx, actor, user.id)
    await sessions.forgetDevices(tx, user.id)
    await attempts.forgetFailures(tx, user)
    await events.record(tx, actor, verificationEvents['user.claimed'], { subject: user.id, data: {} })
  }
