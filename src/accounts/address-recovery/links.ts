import type { Clock } from '../../core/clock.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Db, Transact, Tx } from '../../core/database.ts'
import type { Entropy } from '../../core/entropy.ts'
import { sweep } from '../../core/sweep.ts'
import type { User } from '../../users/index.ts'
import { deleteExpired, hasRecovery, insertRecovery } from './store.ts'

/** The links by which an address that was given up takes the account back. */
export interface RecoveryLinks {
  /**
   * The token for the notice to the address that `user` gives up, or undefined when its holder never proved it: a slip at sign-up must not
   * hand the account to whoever has that address. Only its hash is stored.
   */
  issue(tx: Tx, user: User): Promise<string | undefined>
  /** True while an address that the user gave up can take the account back. */
  isOpen(db: Db, userId: string): Promise<boolean>
  /** Seconds that a link works. */
  readonly ttlSeconds: number
  /** Deletes expired ones in small batches. */
  sweep(stop?: AbortSignal): Promise<unknown>
}

interface Deps {
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly ttlSeconds: number
}

/** For an account that loses its address: no mail reaches it, nobody can sign in with it, and nobody can have it before. */
export const releasedAddress = (entropy: Entropy): string => `${entropy.token(32).toLowerCase()}@released.invalid`

export const createRecoveryLinks = ({ transact, clock, entropy, ttlSeconds }: Deps): RecoveryLinks => ({
  ttlSeconds,
  issue: async (tx, { id: userId, email, emailVersion, emailVerified }) => {
    if (ttlSeconds === 0 || !emailVerified) return undefined
    const token = entropy.token(32)
    await insertRecovery(tx, { id: sha256(token), userId, email, emailVersion, expiresAt: clock.after(ttlSeconds) })
    return token
  },
  isOpen: (db, userId) => hasRecovery(db, userId, clock.now()),
  sweep: (stop) => sweep(transact, (tx, limit) => deleteExpired(tx, clock.now(), limit), stop),
})
