import type { Clock } from '../../core/clock.ts'
import type { Transact, Tx } from '../../core/database.ts'
import { sweep } from '../../core/sweep.ts'
import { deleteConsents } from '../consents/store.ts'
import { deleteByAccount, deleteByAccountExcept, deleteExpired } from './store.ts'

export interface Models {
  /** Deletes expired codes, tokens and sign-ins under way in small batches. */
  sweep(stop?: AbortSignal): Promise<unknown>
  /**
   * Ends all that applications hold in a user's name; what the user agreed to stays, and with `keptSessionId` what was authorized in that
   * session. The caller has locked the user's row: a refresh at the same time either comes before, or finds its token gone.
   */
  endAccess(tx: Tx, userId: string, keptSessionId?: string): Promise<void>
  /** The same, and forgets what the user agreed to. */
  forgetUser(tx: Tx, userId: string): Promise<void>
}

export const createModels = ({ transact, clock }: { transact: Transact; clock: Clock }): Models => ({
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
