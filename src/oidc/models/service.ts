import type { Clock } from '../../core/clock.ts'
import type { Transact } from '../../core/database.ts'
import { deleteExpired } from './store.ts'

export interface Models {
  /** Deletes expired codes, tokens and sign-ins under way in small batches. */
  sweep(): Promise<void>
}

const batch = 500

export const createModels = ({ transact, clock }: { transact: Transact; clock: Clock }): Models => ({
  sweep: async () => {
    for (;;) {
      const deleted = await transact((tx) => deleteExpired(tx, clock.now(), batch))
      if (deleted < batch) return
    }
  },
})
