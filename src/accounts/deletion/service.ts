import type { z } from 'zod'
import type { UserCaller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import type { Passwords } from '../../core/crypto.ts'
import { type Db, lockRow, type Transact, type Tx } from '../../core/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { requesterOf } from '../../core/hash-queue.ts'
import { inLanguageOf } from '../../core/language.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { User, Users } from '../../users/index.ts'
import { askerOf } from '../asker.ts'
import type { AccountsConfig } from '../config.ts'
import { accountErrors } from '../errors.ts'
import { type Guessing, signedIn } from '../guessing/service.ts'
import type { Notices, Outbox } from '../notices.ts'
import { isFresh } from '../rules.ts'
import { findCredential } from '../store.ts'
import type { OneTimeTokens, Purpose } from '../tokens/service.ts'
import type { DeleteUser } from './contract.ts'

/** Asked before a user may ask for the deletion, and again in the transaction that deletes: throws to refuse it, changes nothing. */
export type DeletionGuard = (tx: Tx, user: User) => Promise<void>

/** Inside the transaction that deletes a user: removes or releases what is theirs and hangs on no foreign key. */
export type BeforeDeletion = (tx: Tx, user: User) => Promise<void>

export interface Deletion {
  /** Deletes the caller, or mails the link that does. */
  request(caller: UserCaller, input: z.output<typeof DeleteUser>): Promise<'deleted' | 'mailed'>
  /** Deletes the caller with a mailed token. */
  confirm(caller: UserCaller, token: string): Promise<void>
  /** Deletes a user and everything of theirs; sessions end, and what hangs on them. Throws what refuses it. */
  remove(tx: Tx, user: User): Promise<void>
  /** Throws NOT_FOUND where users may not delete their account. */
  requireEnabled(): void
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly passwords: Passwords
  readonly guessing: Guessing
  readonly users: Users
  readonly sessions: Sessions
  readonly mail: Outbox
  readonly notices: Notices
  readonly tokens: OneTimeTokens
  readonly config: AccountsConfig
  /** 0: sessions never grow stale. */
  readonly freshAgeSeconds: number
  readonly deletionGuards: readonly DeletionGuard[]
  readonly beforeDeletion: readonly BeforeDeletion[]
}

export const createDeletion = (deps: Deps): Deletion => {
  const { db, transact, clock, passwords, guessing, users, sessions, mail, notices, tokens, config } = deps
  const purpose: Purpose = {
    identifier: (hash) => `delete-account-${hash}`,
    length: 32,
    ttlSeconds: config.deletionTtlSeconds,
  }
  const wrongToken = () => accountErrors.refuse('INVALID_TOKEN', { status: 404, message: 'invalid token' })

  const lockDeletable = async (tx: Tx, user: User) => {
    await lockRow(tx, 'user', user.id)
    for (const guard of deps.deletionGuards) await guard(tx, user)
  }

  const remove = async (tx: Tx, user: User) => {
    await lockDeletable(tx, user)
    for (const react of deps.beforeDeletion) await react(tx, user)
    await sessions.endAll(tx, user.id)
    await guessing.forget(tx, user)
    await users.remove(tx, user)
  }

  const confirm = (caller: UserCaller, token: string) =>
    transact(async (tx) => {
      const user = await tokens.consume(tx, purpose, token)
      if (user === undefined || user.id !== caller.user.id) throw wrongToken()
      await remove(tx, user)
    })

  const checkPassword = async (caller: UserCaller, password: string) => {
    const { session } = caller
    const hash = (await findCredential(db, session.userId))?.password ?? undefined
    if (hash === undefined) throw accountErrors.refuse('CREDENTIAL_ACCOUNT_NOT_FOUND')
    const isRight = await guessing.check(signedIn(session), () => passwords.verify(hash, password, requesterOf(caller, true)))
    if (!isRight) throw accountErrors.refuse('INVALID_PASSWORD')
    await transact((tx) => guessing.succeed(tx, signedIn(session)))
  }

  const checkWithoutPassword = async (caller: UserCaller) => {
    if (config.deleteUserNeedsPassword && (await findCredential(db, caller.user.id))?.password)
      throw accountErrors.refuse('USER_ALREADY_HAS_A_PASSWORD_PROVIDE_THAT_TO_DELETE_THE_ACCOUNT')
    if (!config.deleteUserVerification && !isFresh(caller.session, clock.now(), deps.freshAgeSeconds))
      throw accountErrors.refuse('SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION')
  }

  const requireEnabled = () => {
    if (!config.deleteUserEnabled) throw coreErrors.refuse('NOT_FOUND')
  }

  return {
    remove,
    requireEnabled,
    confirm,
    request: async (caller, { password, token, callbackURL = '/' }) => {
      requireEnabled()
      if (password !== undefined) await checkPassword(caller, password)
      if (token !== undefined) {
        await confirm(caller, token)
        return 'deleted'
      }
      if (password === undefined) await checkWithoutPassword(caller)
      return transact(async (tx) => {
        const user = await users.require(tx, caller.user.id)
        if (!config.deleteUserVerification) {
          await remove(tx, user)
          return 'deleted'
        }
        // Whoever may not go hears it now, not from a link that does nothing.
        await lockDeletable(tx, user)
        const issued = await tokens.issue(tx, purpose, user)
        await mail.enqueue(
          tx,
          notices.deleteAccount(inLanguageOf(caller, user), issued, callbackURL, config.deletionTtlSeconds, askerOf(caller)),
        )
        return 'mailed'
      })
    },
  }
}
