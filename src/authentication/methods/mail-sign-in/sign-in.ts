import type { z } from 'zod'
import type { Principal } from '../../../access/principal.ts'
import { defaultRole } from '../../../access/roles.ts'
import type { Core } from '../../../core/core.ts'
import { sha256 } from '../../../core/crypto.ts'
import { lockRow, type Tx } from '../../../core/db/database.ts'
import { AppError } from '../../../core/errors.ts'
import { nameFrom } from '../../../core/wire.ts'
import type { FieldValues, User, Users } from '../../../identity/users/index.ts'
import type { Attempts, AuthenticationMethod, OpenAttempt, Outcome } from '../../attempts/index.ts'
import type { FailureReason, SignInFailures } from '../../failures/index.ts'
import type { AddressClaims, Verification } from '../../verification/index.ts'
import { browserHashOf, codeOf } from './asking.ts'
import { type MailSignInConfig, mailSignInErrors, type SignInEmailOtp } from './contract.ts'
import { lifeSeconds, mostAttempts, problemOf } from './rules.ts'
import * as store from './store.ts'

/**
 * The method for both the link and the code of a mail. Each proves that the person reads the mailbox, just as a link for resetting the
 * password does.
 */
const mailLink: AuthenticationMethod = { name: 'mail-link', amr: [], factors: ['knowledge'] }

export interface MailSignIn {
  /** The user who is signed in by the correct link or code. */
  readonly user: User
  readonly outcome: Outcome
  /** True if this sign-in has created the account. */
  readonly isNew: boolean
}

export interface SignInByMail {
  /** Signs in with a code. Throws INVALID_OTP, OTP_EXPIRED, TOO_MANY_ATTEMPTS, the errors of throttling, and the refusals of the policy. */
  withCode(principal: Principal, input: z.output<typeof SignInEmailOtp>): Promise<MailSignIn>
  /**
   * Signs in with a link. In another browser the link stays valid. Throws INVALID_TOKEN, OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED, and the
   * refusals of the policy.
   */
  withLink(principal: Principal, token: string): Promise<MailSignIn>
}

interface Deps extends Core {
  readonly users: Users
  readonly attempts: Attempts
  readonly verification: Pick<Verification, 'isOwner' | 'invalidToken'>
  readonly addressClaims: Pick<AddressClaims, 'settle'>
  readonly config: MailSignInConfig
  readonly maySignUp: boolean
  /**
   * True if people can sign up (`accounts.signUpEnabled`). It decides whether the owner of a mail address can get a new account in place
   * of an unverified one. The setting `mailSignIn.signUp` is not needed for that.
   */
  readonly signUpEnabled: boolean
  /** Undefined if failed attempts are not stored. */
  readonly signInFailures?: Pick<SignInFailures, 'record'>
}

/** The reason of a failed sign-in by mail, by the code of its error. */
const reasons: Readonly<Record<string, FailureReason>> = {
  ...{
    INVALID_OTP: 'mail-code',
    OTP_EXPIRED: 'mail-code-expired',
    TOO_MANY_ATTEMPTS: 'mail-code-ended',
    INVALID_TOKEN: 'mail-link',
  },
  ...{ OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED: 'mail-link-browser', SIGN_IN_BY_MAIL_IS_NOT_ENABLED: 'mail-disabled' },
  ...{ BANNED_USER: 'banned', TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD: 'locked' },
}

/** If no mail was sent, there is no hash. The code is then compared with this text, so that a wrong code takes the same time. */
const noHash = 'none'

export const createSignInByMail = (deps: Deps): SignInByMail => {
  const { db, transact, clock, secrets, users, attempts, verification, addressClaims, config, maySignUp, signUpEnabled } = deps
  const { signInFailures } = deps
  const deviceOf = (principal: Principal) => principal.deviceId?.() ?? ''

  const requireEnabled = () => {
    if (!config.enabled) throw mailSignInErrors.error('SIGN_IN_BY_MAIL_IS_NOT_ENABLED')
  }

  /** Calls `attempt`, and stores for support that it failed. `attempt` adds the account to `about` when it finds it. */
  const keepingFailures = async <T>(
    principal: Principal,
    about: { userId?: string | undefined; email?: string | undefined },
    attempt: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof AppError) {
        const { code, retryAfterSeconds: seconds } = error
        const reason = reasons[code] ?? (error.status === 429 ? 'waiting' : 'refused')
        signInFailures?.record(principal, { method: 'mail', reason, code, ...about, detail: { seconds } }, error)
      }
      throw error
    }
  }

  const create = (tx: Tx, principal: Principal, email: string, name: string | null, fields: FieldValues) =>
    users.create(tx, principal, {
      ...{ name: name ?? nameFrom(email.split('@')[0] ?? '') ?? email, email, role: defaultRole },
      ...{ emailVerified: true, fields },
    })

  /**
   * The sign-in proves that the person reads the mailbox. If the account knows this browser, the person is its owner. Otherwise another
   * person may have created the account with this mail address (docs/design/accounts.md#an-address-that-nobody-has-proven and
   * docs/design/sign-in.md#links-by-mail).
   */
  const verify = async (tx: Tx, principal: Principal, user: User, isOwner: boolean): Promise<User | undefined> => {
    const settled = isOwner
      ? user
      : await addressClaims.settle(tx, principal, user, {
          maySignUp: signUpEnabled,
          create: (email) => create(tx, principal, email, null, users.fields.forSignUp({})),
        })
    if (settled === undefined) return undefined
    await users.verifyEmail(tx, principal, settled.id, settled)
    return users.find(tx, settled.id)
  }

  /** Finds the account to which the mail was sent. Undefined if there was no account then, or if its mail address has changed since. */
  const account = async (tx: Tx, { userId, emailVersion, email }: store.MailSignInRow): Promise<User | undefined> => {
    if (userId === null) return undefined
    await lockRow(tx, 'user', userId)
    const user = await users.find(tx, userId)
    return user?.email === email && user.emailVersion === emailVersion ? user : undefined
  }

  const finish = async (
    principal: Principal,
    row: store.MailSignInRow,
    input: { readonly name?: string | undefined; readonly fields: FieldValues; readonly rememberMe: boolean },
    opened: OpenAttempt | undefined,
    invalid: () => AppError,
  ): Promise<MailSignIn> => {
    // The account is read before the transaction, because the transaction may use the only database connection.
    const before = row.userId === null ? undefined : await users.find(db, row.userId)
    const isOwner = before !== undefined && (await verification.isOwner(principal, before))
    return transact(async (tx) => {
      if (!(await store.consume(tx, row))) throw invalid()
      const isNew = row.userId === null
      if (isNew && (!maySignUp || (await users.findByEmail(tx, row.email)) !== undefined)) throw invalid()
      const found = isNew ? await create(tx, principal, row.email, input.name ?? row.name, input.fields) : await account(tx, row)
      if (found === undefined) throw invalid()
      attempts.requireNotBanned(found)
      const user = found.emailVerified ? found : await verify(tx, principal, found, isOwner)
      if (user === undefined) throw invalid()
      if (opened !== undefined) await attempts.succeed(tx, opened)
      const outcome = await attempts.concludeWith(tx, principal, user, [attempts.proof(mailLink, user.id)], {
        rememberMe: input.rememberMe,
      })
      return { user, outcome, isNew }
    })
  }

  return {
    withCode: (principal, { email: typed, otp, name, rememberMe = true, ...others }) => {
      const email = users.requireEmail(typed)
      const about: { userId?: string | undefined; email: string } = { email }
      return keepingFailures(principal, about, async () => {
        requireEnabled()
        const found = await users.findByEmail(db, email)
        about.userId = found?.id
        const opened = await attempts.openByAddress(principal, email, found?.id)
        const row = await store.findByBrowser(db, browserHashOf(email, deviceOf(principal)))
        const problem = problemOf(row, clock.now())
        if (problem === 'expired') throw mailSignInErrors.error('OTP_EXPIRED')
        if (problem === 'ended') throw mailSignInErrors.error('TOO_MANY_ATTEMPTS')
        let isRight = false
        await attempts.prove(opened, mailLink, async () => {
          if (row === undefined) return false
          if (!(await transact((tx) => store.countAttempt(tx, row.id, mostAttempts))))
            throw mailSignInErrors.error('TOO_MANY_ATTEMPTS')
          isRight = secrets.isSigned('mailed-codes', codeOf(row.id, otp), row.codeHash ?? noHash, lifeSeconds)
          return isRight
        })
        if (!isRight || row === undefined) throw mailSignInErrors.error('INVALID_OTP')
        const fields = row.userId === null ? users.fields.forSignUp(others) : {}
        return finish(principal, row, { name, fields, rememberMe }, opened, () => mailSignInErrors.error('INVALID_OTP'))
      })
    },
    withLink: (principal, token) => {
      const about: { userId?: string | undefined; email?: string } = {}
      return keepingFailures(principal, about, async () => {
        requireEnabled()
        const row = await store.findByLink(db, sha256(token))
        about.userId = row?.userId ?? undefined
        if (row !== undefined) about.email = row.email
        if (row === undefined || problemOf(row, clock.now()) !== undefined) throw verification.invalidToken()
        if (row.browserHash !== browserHashOf(row.email, deviceOf(principal)))
          throw mailSignInErrors.error('OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED')
        const fields = row.userId === null ? users.fields.forSignUp({}) : {}
        return finish(principal, row, { fields, rememberMe: true }, undefined, verification.invalidToken)
      })
    },
  }
}
