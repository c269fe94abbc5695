import type { Core } from '../../../core/core.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import * as store from './store.ts'

/**
 * Passwords that came by mail, or that somebody else has, as their owner said. Until such a password was given together with a second factor, it
 * shows no more than the mailbox.
 */
export interface UnconfirmedPasswords {
  has(db: Db, userId: string): Promise<boolean>
  mark(tx: Tx, userId: string): Promise<void>
  confirm(tx: Tx, userId: string): Promise<void>
}

export const createUnconfirmedPasswords = ({ clock }: Pick<Core, 'clock'>): UnconfirmedPasswords => ({
  has: store.isBlocked,
  mark: (tx, userId) => store.block(tx, userId, clock.now()),
  confirm: async (tx, userId) => void (await store.unblock(tx, userId)),
})
