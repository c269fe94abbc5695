import type { z } from 'zod'
import type { UserCaller } from '../../core/caller.ts'
import { type Db, lockRow, type Transact } from '../../core/database.ts'
import type { AccountsConfig } from '../config.ts'
import { accountErrors } from '../errors.ts'
import { chooseAccount } from '../rules.ts'
import * as store from '../store.ts'
import type { LinkedAccount, UnlinkAccount } from './contract.ts'

export interface LinkedAccounts {
  list(caller: UserCaller): Promise<z.output<typeof LinkedAccount>[]>
  /** Removes a way in. Throws YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT and ACCOUNT_NOT_FOUND. */
  unlink(caller: UserCaller, input: z.output<typeof UnlinkAccount>): Promise<void>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly config: AccountsConfig
}

/** Kept comma-separated (accounts specification, section 3). */
const scopesOf = (scope: string | null) => (scope ?? '').split(',').filter((part) => part !== '')

export const createLinkedAccounts = ({ db, transact, config }: Deps): LinkedAccounts => ({
  list: async ({ user }) => {
    const accounts = await store.listAccounts(db, user.id)
    return accounts.map(({ id, providerId, createdAt, updatedAt, accountId, scope }) => ({
      id,
      provider: providerId,
      providerId,
      userId: user.id,
      createdAt,
      updatedAt,
      accountId,
      scopes: scopesOf(scope),
    }))
  },
  unlink: ({ user }, choice) =>
    transact(async (tx) => {
      // Two at once see one another: the last way in stays.
      await lockRow(tx, 'user', user.id)
      const accounts = await store.listAccounts(tx, user.id)
      if (accounts.length <= 1 && !config.unlinkingAllAllowed) throw accountErrors.refuse('YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT')
      const account = chooseAccount(accounts, choice)
      if (account === undefined) throw accountErrors.refuse('ACCOUNT_NOT_FOUND')
      await store.deleteAccount(tx, account.id)
    }),
})
