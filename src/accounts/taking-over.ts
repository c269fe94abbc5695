import type { Tx } from '../core/database.ts'
import type { Sessions } from '../sessions/index.ts'
import type { User } from '../users/index.ts'
import type { Guessing } from './guessing/service.ts'
import type { Identities } from './identities/service.ts'

/** Told inside the transaction in which a user's account is freed of what others may have had of it. */
export type AccessEnded = (tx: Tx, userId: string) => Promise<void>

/**
 * Readies an account for the one who has proven its address, which its holder never had: whoever set it up must not keep a way into it.
 * Password, accounts at providers, sessions, known browsers and all that applications hold end; the user's row is to be locked.
 */
export type TakeOver = (tx: Tx, user: Pick<User, 'id' | 'email'>) => Promise<void>

interface Deps {
  readonly sessions: Sessions
  readonly guessing: Guessing
  readonly identities: Identities
  readonly onTakenOver: readonly AccessEnded[]
}

export const createTakeOver =
  ({ sessions, guessing, identities, onTakenOver }: Deps): TakeOver =>
  async (tx, user) => {
    await identities.removeAll(tx, user.id)
    await sessions.endAll(tx, user.id)
    await sessions.forgetDevices(tx, user.id)
    await guessing.forget(tx, user)
    for (const tell of onTakenOver) await tell(tx, user.id)
  }
