import type { Clock } from '../../core/clock.ts'
import type { Transact, Tx } from '../../core/db/database.ts'
import { sweep } from '../../core/db/sweep.ts'
import { deleteConsents } from '../interactions/store.ts'
import { deleteByAccount, deleteByAccountExcept, deleteExpired } from './store.ts'

export interface Artifacts {
  /** Deletes expired codes, tokens and interactions in small batches. */
  sweep(stop?: AbortSignal): Promise<unknown>
  /**
   * Deletes codes and tokens of a user; consents stay, and with `keptSessionId` what was authorized in that session. The caller has locked the
   * user's row: a refresh at the same time either comes first, or finds its token deleted.
   */
  endAccess(tx: Tx, userId: string, keptSessionId?: string): Promise<void>
  /** The same, and deletes the user's consents. */
  forgetUser(tx: Tx, userId: string): Promise<void>
}

export const createArtifacts = ({ transact, clock }: { transact: Transact; clock: Clock }): Artifacts => ({
  endAccess: async (tx, userId, keptSessionId) => {
    if (keptSessionId === undefined) await deleteByAccount(tx, userId)
    else await deleteByAccountExcept(tx, userId, keptSessionId)
  },
  forgetUser: async (tx, userId) => {
    await deleteByAccount(tx, userId)
    await deleteConsents(tx, userId)
  },
  sweep: (stop) => sweep(transact, (tx, limit) => deleteExpired(tx, clock.now(), limit), stop),
})
