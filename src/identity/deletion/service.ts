import type { z } from 'zod'
import { isImpersonated, type Principal, type UserPrincipal } from '../../access/principal.ts'
import type { RequireProof } from '../../access/proof.ts'
import type { Attempts } from '../../authentication/attempts/index.ts'
import type { SecondFactors } from '../../authentication/second-factors/index.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { AccountMails, OneTimeTokens } from '../../authentication/verification/index.ts'
import type { Core, DeleteUserGuard } from '../../core/core.ts'
import { lockRow, type Tx } from '../../core/db/database.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import { inLanguageOf } from '../../core/language.ts'
import type { Mail } from '../../mail/index.ts'
import type { Credentials } from '../identities/index.ts'
import { userEvents } from '../users/contract.ts'
import type { User, Users } from '../users/index.ts'
import { type DeleteUser, type DeletionConfig, deletionErrors } from './contract.ts'

export interface Deletion {
  /**
   * Deletes the caller's account, or mails the caller a link that deletes it. Throws USER_NOT_FOUND if the account was already deleted,
   * and the errors of `RequireProof`. If the person needs no second factor, SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION is
   * thrown instead of SESSION_IS_NOT_FRESH.
   */
  request(principal: UserPrincipal, input: z.output<typeof DeleteUser>): Promise<'deleted' | 'mailed'>
  /** Deletes the caller's account. `token` comes from the link in the mail. */
  confirm(principal: UserPrincipal, token: string): Promise<void>
  /** Deletes a user with all rows that depend on the user, such as sessions and tokens. Throws the errors of the guards. */
  remove(tx: Tx, principal: Principal, user: User): Promise<void>
  /** Throws NOT_FOUND if the configuration does not let people delete their own account. */
  requireEnabled(): void
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'events'> {
  readonly users: Users
  readonly credentials: Credentials
  readonly sessions: Sessions
  readonly attempts: Pick<Attempts, 'forgetFailures'>
  readonly requireProof: RequireProof
  readonly secondFactors: Pick<SecondFactors, 'isNeeded'>
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly tokens: OneTimeTokens
  readonly config: DeletionConfig
  readonly deleteUserGuards: readonly DeleteUserGuard[]
}

export const createDeletion = (deps: Deps): Deletion => {
  const {
    db,
    transact,
    events,
    users,
    credentials,
    sessions,
    attempts,
    requireProof,
    secondFactors,
    mail,
    accountMails,
    tokens,
    config,
  } = deps

  const lockDeletable = async (tx: Tx, user: User) => {
    await lockRow(tx, 'user', user.id)
    await users.requireOtherAdministrator(tx, user.id)
    for (const guard of deps.deleteUserGuards) await guard(tx, user)
  }

  const remove: Deletion['remove'] = async (tx, principal, user) => {
    await lockDeletable(tx, user)
    await events.record(tx, principal, userEvents['user.deleted'], { subject: user.id, data: {} })
    await sessions.endAll(tx, principal, user.id)
    await attempts.forgetFailures(tx, user)
    await users.remove(tx, user)
  }

  const confirm = (principal: UserPrincipal, token: string) =>
    transact(async (tx) => {
      if (isImpersonated(principal)) throw coreErrors.error('FORBIDDEN')
      await lockRow(tx, 'user', principal.user.id)
      const user = await tokens.consume(tx, 'deletion', token)
      if (user === undefined || user.id !== principal.user.id) throw tokens.invalidToken('deletion')
      await sessions.requireAlive(tx, principal)
      await remove(tx, principal, user)
    })

  const requireRecentProof = async (principal: UserPrincipal, password: string | undefined) => {
    const { id } = principal.user
    if (password === undefined && config.deleteUserNeedsPassword && (await credentials.find(db, id)) !== undefined)
      throw deletionErrors.error('USER_ALREADY_HAS_A_PASSWORD_PROVIDE_THAT_TO_DELETE_THE_ACCOUNT')
    try {
      await requireProof(principal, 'delete-account', { password })
    } catch (error) {
      const isStale = error instanceof AppError && error.code === 'SESSION_IS_NOT_FRESH'
      if (!isStale || (await secondFactors.isNeeded(db, await users.require(db, id)))) throw error
      throw deletionErrors.error('SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION')
    }
  }

  const requireEnabled = () => {
    if (!config.deleteUserEnabled) throw coreErrors.error('NOT_FOUND')
  }

  return {
    remove,
    requireEnabled,
    confirm,
    request: async (principal, { password, token, callbackURL = '/' }) => {
      requireEnabled()
      if (token !== undefined) {
        await confirm(principal, token)
        return 'deleted'
      }
      await requireRecentProof(principal, password)
      return transact(async (tx) => {
        // The user is locked before it is read. So if the account is deleted at the same time, this is noticed, and the user is neither
        // deleted again nor mailed.
        await lockRow(tx, 'user', principal.user.id)
        const user = await users.require(tx, principal.user.id)
        await sessions.requireAlive(tx, principal)
        if (!config.deleteUserVerification) {
          await remove(tx, principal, user)
          return 'deleted'
        }
        // The mail is sent only if the account could be deleted now, so that the link in the mail works.
        await lockDeletable(tx, user)
        const issued = await tokens.issue(tx, 'deletion', user)
        await mail.enqueue(
          tx,
          accountMails.deleteAccount(
            inLanguageOf(principal, user),
            issued,
            callbackURL,
            tokens.ttlSeconds.deletion,
            accountMails.requesterOf(principal),
          ),
        )
        return 'mailed'
      })
    },
  }
}
