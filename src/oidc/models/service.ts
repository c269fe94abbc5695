import type { Clock } from '../../core/clock.ts'
import type { Transact, Tx } from '../../core/database.ts'
import { deleteConsents } from '../consents/store.ts'
import { deleteByAccount, deleteExpired } from './store.ts'

export interface Models {
  /** Deletes expired codes, tokens and sign-ins under way in small batches. */
  sweep(): Promise<void>
  /** Ends all that applications hold in a user's name, and forgets what the user agreed to. */
  forgetUser(tx: Tx, userId: string): Promise<void>
}

const batch = 500

export const createModels = ({ transact, clock }: { transact: Transact; clock: Clock }): Models => ({
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
