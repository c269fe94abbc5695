import type { Clock } from '../../core/clock.ts'
import type { Transact, Tx } from '../../core/database.ts'
import { deleteConsents } from '../consents/store.ts'
import { deleteByAccount, deleteExpired } from './store.ts'

export interface Models {
  /** Deletes expired codes, tokens and sign-ins under way in small batches. */
  sweep(): Promise<void>
  /** Ends all that applications hold in a user's name; what the user agreed to stays. */
  endAccess(tx: Tx, userId: string): Promise<void>
  /** The same, and forgets what the user agreed to. */
  forgetUser(tx: Tx, userId: string): Promise<void>
}

const batch = 500

export const createModels = ({ transact, clock }: { transact: Transact; clock: Clock }): Models => ({
  endAccess: async (tx, userId) => void (await deleteByAccount(tx, userId)),
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
