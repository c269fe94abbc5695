import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { type Db, lockRow, type Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import { inLanguageOf } from '../../core/language.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { ClaimAccount } from './account-claim.ts'
import type { AccountMails, Outbox } from './account-mails.ts'
import { verificationErrors } from './contract.ts'
import { verificationEvents } from './events.ts'
import * as store from './store.ts'

/** Takes the mail address from an account, and leaves everything else as it is. Returns false if the user has another address by now. */
export type ReleaseAddress = (tx: Tx, actor: Actor, user: User) => Promise<boolean>

/**
 * Recovery links. When the mail address of an account is changed, a recovery link is mailed to the former address. With it, the owner can
 * take the account back (docs/design/accounts.md#a-changed-address).
 */
export interface AddressRecovery {
  /** The lifetime of a recovery link in seconds. */
  readonly ttlSeconds: number
  /**
   * Makes the token of a recovery link, for the notice to the former mail address of `user`. The database stores only the hash of the
   * token. Returns undefined if that address was never verified: after a typing error at sign-up, the account must not go to the owner of
   * the mistyped address.
   */
  issue(tx: Tx, user: User): Promise<string | undefined>
  /** The former mail addresses for which a recovery link of this user is still valid. */
  openAddresses(db: Db, userId: string): Promise<readonly string[]>
  /**
   * The user of a recovery link, the mail address that the link restores, and the time at which the address was changed. The link stays
   * valid. Throws INVALID_TOKEN.
   */
  find(token: string): Promise<{ readonly userId: string; readonly email: string; readonly givenUpAt: Date }>
  /**
   * Uses a recovery link and restores the mail address of the user. The caller has locked the row of the user. Throws INVALID_TOKEN.
   * Throws ANOTHER_ACCOUNT_HAS_THIS_ADDRESS if another account has verified the address; the link then stays valid.
   */
  restore(tx: Tx, principal: Principal, userId: string, token: string): Promise<User>
  /** Deletes all recovery links of a user. */
  withdrawAll(tx: Tx, userId: string): Promise<void>
  readonly release: ReleaseAddress
  readonly retention: Retention
}

interface Deps extends Core {
  readonly users: Users
  readonly claimAccount: ClaimAccount
  readonly mail: Outbox
  readonly accountMails: AccountMails
  readonly ttlSeconds: number
}

const wrongToken = () => verificationErrors.error('INVALID_TOKEN', { status: 400, message: 'invalid token' })
const taken = () => verificationErrors.error('ANOTHER_ACCOUNT_HAS_THIS_ADDRESS')

export const createAddressRecovery = (deps: Deps): AddressRecovery => {
  const { db, transact, clock, random, events, users, claimAccount, mail, accountMails, ttlSeconds } = deps

  // The account gets an invented mail address. It receives no mail, signs nobody in, and belongs to no other account.
  const release: ReleaseAddress = async (tx, actor, user) =>
    (await users.changeEmail(tx, actor, user.id, user, `${random.token(32).toLowerCase()}@released.invalid`)) === 'changed'

  /**
   * Takes the mail address from an account that has not verified it. Otherwise a thief could sign up with the address and so make the
   * recovery link useless. If the account has verified another address before, its sign-in methods stay.
   */
  const releaseUnverified = async (tx: Tx, actor: Actor, email: string) => {
    const found = await users.findByEmail(tx, email)
    if (found === undefined) return
    await lockRow(tx, 'user', found.id)
    const holder = await users.find(tx, found.id)
    if (holder === undefined || holder.email !== email) return
    if (holder.emailVerified) throw taken()
    if (!holder.emailEverVerified) await claimAccount(tx, actor, holder)
    await release(tx, actor, holder)
  }

  return {
    ttlSeconds,
    release,
    issue: async (tx, { id: userId, email, emailVersion, emailVerified }) => {
      if (ttlSeconds === 0 || !emailVerified) return undefined
      const token = random.token(32)
      await store.insertRecovery(tx, { id: sha256(token), userId, email, emailVersion, expiresAt: clock.after(ttlSeconds) })
      return token
    },
    openAddresses: (reader, userId) => store.listRecoveryAddresses(reader, userId, clock.now()),
    withdrawAll: async (tx, userId) => void (await store.deleteRecoveriesOf(tx, userId)),
    find: async (token) => {
      const row = await store.findRecovery(db, sha256(token), clock.now())
      if (row === undefined) throw wrongToken()
      const { userId, email, expiresAt } = row
      return { userId, email, givenUpAt: new Date(expiresAt.getTime() - ttlSeconds * 1000) }
    },
    restore: async (tx, principal, userId, token) => {
      const row = await store.findRecovery(tx, sha256(token), clock.now())
      if (row === undefined || !(await store.consumeRecovery(tx, row.id))) throw wrongToken()
      const user = await users.require(tx, userId)
      if (user.email !== row.email) {
        await releaseUnverified(tx, principal, row.email)
        if ((await users.changeEmail(tx, principal, userId, user, row.email)) !== 'changed') throw taken()
        // A thief may read mail at the present mail address. The notice to that address therefore does not show the browser and network
        // of the owner.
        await mail.enqueue(tx, accountMails.emailChanged(inLanguageOf(principal, user), row.email, { at: clock.now() }))
      }
      const restored = user.email === row.email ? user : await users.require(tx, userId)
      await events.record(tx, principal, verificationEvents['user.email_recovered'], { subject: userId, data: {} })
      await store.deleteLaterRecoveries(tx, row)
      return restored
    },
    retention: retentionOfRows({ db, transact }, 'links that take a former address back', 'that have expired', () =>
      store.expiredRecoveries(clock.now()),
    ),
  }
}
