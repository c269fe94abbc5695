import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type { Identities } from '../../identity/identities/index.ts'
import type { User } from '../../identity/users/index.ts'
import type { Attempts } from '../attempts/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { verificationEvents } from './events.ts'

/**
 * Pre-hijacking defence: hands an account over to the person who has proven its address, which the account never had verified. Whoever
 * created it keeps no access: password, identities at providers, sessions, known browsers and all tokens of applications are deleted. The
 * caller has locked the user's row.
 */
export type ClaimAccount = (tx: Tx, actor: Actor, user: Pick<User, 'id' | 'email'>) => Promise<void>

interface Deps extends Pick<Core, 'events'> {
  readonly sessions: Sessions
  readonly attempts: Pick<Attempts, 'forgetFailures'>
  readonly identities: Identities
}

export const createClaimAccount =
  ({ sessions, attempts, identities, events }: Deps): ClaimAccount =>
  async (tx, actor, user) => {
    await identities.removeAll(tx, user.id)
    await sessions.endAll(tx, actor, user.id)
    await sessions.forgetDevices(tx, user.id)
    await attempts.forgetFailures(tx, user)
    await events.record(tx, actor, verificationEvents['user.claimed'], { subject: user.id, data: {} })
  }
