import type { Clock } from '../../core/clock.ts'
import type { Transact, Tx } from '../../core/database.ts'
import { deleteConsents } from '../consents/store.ts'
import { deleteByAccount, deleteByAccountExcept, deleteExpired } from './store.ts'

export interface Models {
  /** Deletes expired codes, tokens and sign-ins under way in small batches. */
  sweep(): Promise<void>
  /**
   * Ends all that applications hold in a user's name; what the user agreed to stays, and with `keptSessionId` what was authorized in that
   * session. The caller has locked the user's row: a refresh at the same time either comes before, or finds its token gone.
   */
  endAccess(tx: Tx, userId: string, keptSessionId?: string): Promise<void>
  /** The same, and forgets what the user agreed to. */
  forgetUser(tx: Tx, userId: string): Promise<void>
}

const batch = 500

export const createModels = ({ transact, clock }: { transact: Transact; clock: Clock }): Models => ({
  endAccess: async (tx, userId, keptSessionId) => {
    if (keptSessionId === undefined) await deleteByAccount(tx, userId)
    else await deleteByAccountExcept(tx, userId, keptSessionId)
  },
  forgetUser: async (tx, userId) => {
    await deleteByAccount(tx, userId)
    await deleteConsents(tx, userId)
  },
  sweep: async () => {
    for (;;) {
      const deleted = await transact((tx) => deleteExpired(tx, clock.now(), batch))
      if (deleted < batch) return
    }
  },
})
