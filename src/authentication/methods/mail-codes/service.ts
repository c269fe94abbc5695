import { isImpersonated, type Principal } from '../../../access/principal.ts'
import type { Core, SecondFactorGuard } from '../../../core/core.ts'
import { sha256 } from '../../../core/crypto.ts'
import { type Db, lockRow } from '../../../core/db/database.ts'
import { coreErrors } from '../../../core/errors.ts'
import { inLanguageOf } from '../../../core/language.ts'
import { networkOf } from '../../../core/network.ts'
import { hourSeconds } from '../../../core/time.ts'
import type { Credentials } from '../../../identity/identities/index.ts'
import type { User, Users } from '../../../identity/users/index.ts'
import type { Mail, Requester } from '../../../mail/index.ts'
import type { Attempts, AuthenticationMethod, ContinuedAttempt, Outcome } from '../../attempts/index.ts'
import type { RememberedBrowsers } from '../../remembered-browsers/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { AccountMails } from '../../verification/index.ts'
import { mailCodeErrors } from './contract.ts'
import { isAllowed, isBesideMailbox, lifeSeconds, mostAttempts } from './rules.ts'
import * as store from './store.ts'

/**
 * A mailed code as a second factor. RFC 8176 defines no value for mail. Only for this method does a mailbox count as something that the
 * person has. The code helps to sign in, but does not raise `acr` (docs/design/second-factors.md#what-counts).
 */
export const mailCode: AuthenticationMethod = { name: 'mail-code', amr: ['otp'], factors: ['possession'], raisesNoAcr: true }

/** A mailed code as the recent proof of a person who has neither a password nor a second factor. It does not count as a second factor. */
const mailboxAlone: AuthenticationMethod = { ...mailCode, factors: ['knowledge'] }

export interface MailCodes {
  /** True if the user may use a mailed code as a second factor. */
  isAvailable(db: Db, userId: string): Promise<boolean>
  /**
   * Mails a code for the pending sign-in that the cookie names, or for the caller's session. It replaces an earlier code. In a session, a
   * mailed code is the recent proof of people who have neither a password nor a second factor. Throws INVALID_TWO_FACTOR_COOKIE and
   * TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER. Throws OTP_NOT_CONFIGURED if the user may not use mailed codes.
   */
  send(principal: Principal, pendingToken: string | undefined): Promise<void>
  /**
   * Continues the sign-in with the code. With `trustDevice`, this browser is remembered and needs no second factor for a while. Throws
   * the errors of the contract.
   */
  verify(
    principal: Principal,
    pendingToken: string | undefined,
    input: { readonly code: string; readonly trustDevice?: boolean | undefined },
  ): Promise<{ readonly user: User; readonly outcome: Outcome }>
}

interface Deps extends Core {
  readonly users: Users
  readonly credentials: Pick<Credentials, 'find'>
  readonly sessions: Pick<Sessions, 'isKnownDevice' | 'deviceOf'>
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly rememberedBrowsers: RememberedBrowsers
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly isOn: boolean
  readonly requiresSecondFactor: SecondFactorGuard
}

const codeOf = (id: string, code: string) => `mail-code:${id}:${code}`

export const createMailCodes = (deps: Deps): MailCodes => {
  const { db, transact, clock, random, secrets, isOn, users, sessions, attempts, secondFactors, rememberedBrowsers } = deps
  const { mail, accountMails } = deps

  const mayUse = async (reader: Db, user: User): Promise<boolean> =>
    isOn &&
    isAllowed({
      isOn,
      emailVerified: user.emailVerified,
      hasSecondFactor: user.secondFactorSince !== null,
      isRequired:
        user.secondFactorDue !== null ||
        (await secondFactors.isRequired(reader, user)) ||
        (await deps.requiresSecondFactor(reader, user.id)),
      isBlocked: await store.isBlocked(reader, user.id),
    })

  /** True for a signed-in person who can prove nothing except access to the mailbox. */
  const hasMailboxAlone = async (reader: Db, { origin }: ContinuedAttempt, user: User): Promise<boolean> =>
    origin === 'session' &&
    user.emailVerified &&
    user.secondFactorSince === null &&
    (await deps.credentials.find(reader, user.id)) === undefined

  /** Opens the pending sign-in or the session. Decides whether the mailed code will be a second factor or only a recent proof. */
  const open = async (principal: Principal, pendingToken: string | undefined) => {
    const attempt = await attempts.open(principal, pendingToken)
    const given = attempt.proofs.map(({ method }) => method)
    const isSecond = isBesideMailbox(given) && (await mayUse(db, attempt.user))
    if (isImpersonated(principal) || !(isSecond || (await hasMailboxAlone(db, attempt, attempt.user))))
      throw mailCodeErrors.error('OTP_NOT_CONFIGURED')
    return { attempt, method: isSecond ? mailCode : mailboxAlone }
  }

  /** Identifies the sign-in or session to which a code belongs. */
  const bindingOf = ({ origin, userId }: ContinuedAttempt, principal: Principal, pendingToken: string | undefined) =>
    sha256(
      origin === 'pending' || principal.kind !== 'user'
        ? `pending:${userId}:${pendingToken ?? ''}`
        : `session:${userId}:${principal.session.id}`,
    )

  const requesterOf = async (principal: Principal, userId: string): Promise<Requester> => {
    const deviceId = principal.deviceId?.()
    return deviceId !== undefined && (await sessions.isKnownDevice(db, userId, deviceId))
      ? { key: sha256(`device:${deviceId}`), isKnown: true }
      : { key: sha256(`network:${networkOf(principal.address)}`), isKnown: false }
  }

  return {
    isAvailable: async (reader, userId) => {
      const user = isOn ? await users.find(reader, userId) : undefined
      return user !== undefined && mayUse(reader, user)
    },
    send: async (principal, pendingToken) => {
      const { attempt } = await open(principal, pendingToken)
      await attempts.limitNetwork('mails', principal)
      const { user } = attempt
      const [id, code, now] = [random.id(), random.digits(6), clock.now()]
      const from = [sessions.deviceOf(principal.userAgent), principal.address].filter((part) => part !== '').join(', ')
      const requester = await requesterOf(principal, user.id)
      const message = accountMails.secondFactor(inLanguageOf(principal, user), code, from, lifeSeconds, requester)
      await transact(async (tx) => {
        await store.replaceCode(tx, {
          ...{ id, userId: user.id, boundHash: bindingOf(attempt, principal, pendingToken), emailVersion: user.emailVersion },
          codeHash: secrets.sign('mailed-codes', codeOf(id, code)),
          ...{ attempts: 0, createdAt: now, expiresAt: clock.after(lifeSeconds) },
        })
        // The thrown error rolls back the new code, so the earlier code stays valid. Notices about the account have a limit of their own,
        // and are still mailed.
        if (!(await mail.enqueue(tx, message)))
          throw coreErrors.error('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds: hourSeconds })
      })
    },
    verify: async (principal, pendingToken, { code, trustDevice }) => {
      const { attempt: opened, method } = await open(principal, pendingToken)
      const row = await store.findCode(db, opened.user.id, bindingOf(opened, principal, pendingToken))
      if (row === undefined || row.expiresAt <= clock.now()) throw mailCodeErrors.error('OTP_HAS_EXPIRED')
      const attempt = await attempts.prove(opened, method, async () => {
        if (!(await transact((tx) => store.countAttempt(tx, row.id, mostAttempts))))
          throw mailCodeErrors.error('TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
        return secrets.isSigned('mailed-codes', codeOf(row.id, code), row.codeHash, lifeSeconds)
      })
      if (attempt === undefined) throw mailCodeErrors.error('INVALID_CODE')
      const { rememberMe } = attempt
      return transact(async (tx) => {
        await lockRow(tx, 'user', row.userId)
        const user = await users.find(tx, row.userId)
        const isStill = user !== undefined && ((await mayUse(tx, user)) || (await hasMailboxAlone(tx, opened, user)))
        if (user === undefined || user.emailVersion !== row.emailVersion || !isStill)
          throw mailCodeErrors.error('OTP_NOT_CONFIGURED')
        if (!(await store.consume(tx, row.id))) throw mailCodeErrors.error('INVALID_CODE')
        const outcome = await attempts.conclude(tx, principal, attempt, user, { rememberMe })
        if (trustDevice === true && outcome.kind === 'session') await rememberedBrowsers.remember(tx, principal, user.id)
        return { user, outcome }
      })
    },
  }
}
