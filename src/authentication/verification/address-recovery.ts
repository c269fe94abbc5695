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

/** Takes the address from an account, which keeps everything else. Returns false if the user has another address now. */
export type ReleaseAddress = (tx: Tx, actor: Actor, user: User) => Promise<boolean>

/** Links with which the owner of a former address takes the account back (docs/design/accounts.md#a-changed-address). */
export interface AddressRecovery {
  /** The lifetime of a link in seconds. */
  readonly ttlSeconds: number
  /**
   * Makes the token for the notice to the former address of `user`. The database stores only its hash. Undefined if that address was
   * never verified: a typing error at sign-up must not give the account to the owner of the wrong address.
   */
  issue(tx: Tx, user: User): Promise<string | undefined>
  /** The addresses with a link that can still take the account back. */
  openAddresses(db: Db, userId: string): Promise<readonly string[]>
  /** The user of a link, the address that the link restores, and the time of the change. The link stays valid. Throws INVALID_TOKEN. */
  find(token: string): Promise<{ readonly userId: string; readonly email: string; readonly givenUpAt: Date }>
  /**
   * Uses the link and restores the address of the user. The caller has locked the row of the user. Throws INVALID_TOKEN. Throws
   * ANOTHER_ACCOUNT_HAS_THIS_ADDRESS if another account has verified the address; then the link stays valid.
   */
  restore(tx: Tx, principal: Principal, userId: string, token: string): Promise<User>
  /** Deletes all links of a user. */
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

  // The invented address gets no mail, signs nobody in, and belongs to no other account.
  const release: ReleaseAddress = async (tx, actor, user) =>
    (await users.changeEmail(tx, actor, user.id, user, `${random.token(32).toLowerCase()}@released.invalid`)) === 'changed'

  /**
   * Takes the address from an account that has not verified it. Otherwise a thief could block the link by signing up with the address. An
   * account that has verified another address before loses only this one.
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
        // The present address may be that of a thief. The notice to it does not show where the owner is.
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
