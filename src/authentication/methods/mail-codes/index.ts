import type { Core } from '../../../core/core.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { reactTo } from '../../../core/events/record.ts'
import { periodic, sweepSeconds } from '../../../core/queue.ts'
import { retentionOfRows } from '../../../core/retention.ts'
import { type Base, type Built, defineFeature } from '../../../feature.ts'
import { bind } from '../../../http/handlers.ts'
import { setOutcome, twoFactorAnswer } from '../../../http/sign-in-outcome.ts'
import type { Credentials } from '../../../identity/identities/index.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { Mail } from '../../../mail/index.ts'
import type { Attempts } from '../../attempts/index.ts'
import type { RememberedBrowsers } from '../../remembered-browsers/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import { sessionEvents } from '../../sessions/contract.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { AccountMails } from '../../verification/index.ts'
import { passwordEvents } from '../password/contract.ts'
import { mailCodeContract, mailCodeErrors } from './contract.ts'
import type { MailCodes } from './service.ts'
import { createMailCodes, mailCode } from './service.ts'
import * as store from './store.ts'

/**
 * Remembers passwords that may prove no more than access to the mailbox: the password was set by mail, or its owner has reported that
 * another person knows it. The password counts fully again after the user has given it together with a second factor.
 */
export interface UnconfirmedPasswords {
  has(db: Db, userId: string): Promise<boolean>
  mark(tx: Tx, userId: string): Promise<void>
  confirm(tx: Tx, userId: string): Promise<void>
}

const createUnconfirmedPasswords = ({ clock }: Pick<Core, 'clock'>): UnconfirmedPasswords => ({
  has: store.isBlocked,
  mark: (tx, userId) => store.block(tx, userId, clock.now()),
  confirm: async (tx, userId) => void (await store.unblock(tx, userId)),
})

const mailCodeRoutes = (codes: MailCodes) =>
  bind(mailCodeContract, {
    sendOtp: async (principal, { cookies }) => {
      await codes.send(principal, cookies.pendingSignIn())
      return { status: true }
    },
    verifyOtp: async (principal, { body, cookies }) => {
      const { user, outcome } = await codes.verify(principal, cookies.pendingSignIn(), body)
      setOutcome(cookies, outcome)
      return outcome.kind === 'pending' ? twoFactorAnswer(outcome.pending) : { token: outcome.started.token, user }
    },
  })

interface Needs {
  readonly users: Users
  readonly credentials: Credentials
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly rememberedBrowsers: RememberedBrowsers
  readonly mail: Mail
  readonly accountMails: AccountMails
}

interface Config {
  readonly secondFactor: { readonly mailCodes: boolean }
}

const build = (base: Base, { secondFactor: { mailCodes: isOn } }: Config, needs: Needs) => {
  const codes = createMailCodes({ ...base, ...needs, isOn })
  const { clock } = base
  const unconfirmedPasswords = createUnconfirmedPasswords(base)
  const retention = retentionOfRows(base, 'mailed codes', 'that have expired', () => store.expiredCodes(clock.now()))
  return {
    access: { mail_code: 'mailed codes' },
    withheldData: [
      { table: 'mail_code', why: 'holds hashes of mailed links and codes, until they are used or expire' },
      { table: 'mail_code_block', why: 'says that somebody had their mailed codes switched off, which an event says too' },
    ],
    api: { unconfirmedPasswords },
    routes: mailCodeRoutes(codes),
    secondFactors: [
      {
        method: mailCode,
        isAlternative: true,
        isEnrolled: (db, { id }) => codes.isAvailable(db, id),
        removeAll: async (tx, userId) => void (await store.deleteCodesOf(tx, userId)),
      },
    ],
    reactions: [
      // The new password was set by mail. If a mailed code were the second factor, access to the mailbox alone would be enough to sign
      // in.
      reactTo(passwordEvents['user.password_reset'], async (tx, { subjectId }) => {
        await store.deleteCodesOf(tx, subjectId)
        await unconfirmedPasswords.mark(tx, subjectId)
      }),
      // The password was given together with a second factor other than a mailed code, so mailed codes are allowed again.
      reactTo(sessionEvents['session.started'], async (tx, { subjectId, data }) => {
        if (data.amr.includes('mfa') && data.amr.includes('pwd')) await unconfirmedPasswords.confirm(tx, subjectId)
      }),
    ],
    retentions: [retention],
    tasks: [periodic('mail-codes.sweep', sweepSeconds, retention.sweep)],
  } satisfies Built
}

/** Lets people use mailed codes as a second factor, if the configuration allows it. */
export const mailCodesFeature = defineFeature({ name: 'mail-codes', errors: mailCodeErrors.table, build })
