import type { Principal } from '../../access/principal.ts'
import { sha256 } from '../../core/crypto.ts'
import { networkOf } from '../../core/network.ts'
import { withQuery } from '../../core/web.ts'
import type { User } from '../../identity/users/index.ts'
import type { Mail, NewMail, Requester } from '../../mail/index.ts'
import { createAccountMailContents } from './mail-contents.ts'
import type { AccountMailTexts, Change, NoticeAnswer } from './mail-parts.ts'
import type { ChangedWayIn, NewDevice, RecoveryNotice } from './notice-mails.ts'
import type { ReportLink } from './notices.ts'

type Recipient = Pick<User, 'name' | 'email' | 'language'> & Partial<Pick<User, 'timeZone'>>

export const requesterInNetwork = (network: string): Requester => ({ key: sha256(`network:${network}`), isKnown: false })

/** The parts that all mails about an account need: texts, recipients, and URLs of pages. */
const createParts = (url: string, texts: AccountMailTexts, isResetOn: boolean) => {
  const link = (path: string, query: Readonly<Record<string, string>>) => withQuery(url + path, query)
  /** The page for recipients of a mail that has no link for them. */
  const help = url + (isResetOn ? '/forgot-password' : '/account')
  return {
    url,
    isResetOn,
    help,
    link,
    content: createAccountMailContents(texts),
    to: ({ name, email }: Recipient): NewMail['to'] => ({ name, address: email }),
    answerOf: (report: ReportLink | undefined, other = help): NoticeAnswer =>
      report === undefined ? { url: other } : { url: link('/not-me', { token: report.token }), ttlSeconds: report.ttlSeconds },
  }
}

type Parts = ReturnType<typeof createParts>

/** Mails that a person has requested. */
const createRequestedMails = ({ content, to, link, help, isResetOn }: Parts) => ({
  verification: (user: Recipient, token: string, callbackURL: string, ttlSeconds: number, requester: Requester): NewMail => ({
    requester,
    to: to(user),
    kind: 'verification',
    content: content.verificationMail(user, link('/verify-email', { token, callbackURL }), ttlSeconds),
  }),
  changeEmail: (
    user: Recipient,
    newEmail: string,
    token: string,
    callbackURL: string,
    ttlSeconds: number,
    requester: Requester,
  ): NewMail => ({
    requester,
    to: to(user),
    kind: 'change-email',
    content: content.changeEmailMail(user, newEmail, link('/verify-email', { token, callbackURL }), ttlSeconds),
  }),
  resetPassword: (user: Recipient, token: string, callbackURL: string, ttlSeconds: number, requester: Requester): NewMail => ({
    requester,
    to: to(user),
    kind: 'reset-password',
    content: content.resetPasswordMail(user, link(`/reset-password/${token}`, { callbackURL }), ttlSeconds),
  }),
  deleteAccount: (user: Recipient, token: string, callbackURL: string, ttlSeconds: number, requester: Requester): NewMail => ({
    requester,
    to: to(user),
    kind: 'delete-account',
    content: content.deleteAccountMail(user, link('/delete-user/callback', { token, callbackURL }), ttlSeconds),
  }),
  /** `url` is the link with which the person signs in. `from` is the browser and network that requested the mail. */
  signIn: (user: Recipient, code: string, url: string, from: string, ttlSeconds: number, requester: Requester): NewMail => ({
    requester,
    to: to(user),
    kind: 'sign-in',
    content: content.signInMail(user, code, url, from, ttlSeconds),
  }),
  secondFactor: (user: Recipient, code: string, from: string, ttlSeconds: number, requester: Requester): NewMail => ({
    requester,
    to: to(user),
    kind: 'second-factor-code',
    content: content.secondFactorMail(user, code, help, isResetOn, from, ttlSeconds),
  }),
  recoveryCode: (
    user: Recipient,
    code: string,
    from: string,
    url: string,
    ttlSeconds: number,
    requester: Requester,
  ): NewMail => ({
    requester,
    to: to(user),
    kind: 'second-factor-recovery-code',
    content: content.recoveryCodeMail(user, code, from, url, ttlSeconds),
  }),
})

/** Mails that report a change of the account. */
const createReports = ({ url, content, to, link, answerOf }: Parts) => ({
  /**
   * With `recovery`, the mail has a link that gives the account back to its recipient. It is set only if the recipient's mail address was
   * verified.
   */
  emailChanged: (
    user: Recipient,
    newEmail: string,
    change: Change,
    recovery?: { readonly token: string; readonly ttlSeconds: number },
  ): NewMail => ({
    to: to(user),
    kind: 'email-changed',
    content:
      recovery === undefined
        ? content.emailChangedMail(user, newEmail, change, `${url}/account`)
        : content.emailChangedMail(
            user,
            newEmail,
            change,
            link('/recover-address', { token: recovery.token }),
            recovery.ttlSeconds,
          ),
  }),
  passwordChanged: (user: Recipient, change: Change, report: ReportLink | undefined): NewMail => ({
    to: to(user),
    kind: 'password-changed',
    content: content.passwordChangedMail(user, change, answerOf(report)),
  }),
  /** The account is deleted by then, so the mail uses only its mail address, language and time zone. */
  accountDeleted: ({ email, language, timeZone = null }: Recipient, at: Date): NewMail => ({
    to: { name: '', address: email },
    kind: 'account-deleted',
    content: content.accountDeletedMail({ name: '', language, timeZone }, at, `${url}/sign-in`),
  }),
  /** Sent after the use of a recovery code. `left` is the number of unused codes. */
  fewCodes: (user: Recipient, left: number): NewMail => ({
    to: to(user),
    kind: 'few-recovery-codes',
    content: content.fewCodesMail(user, left, `${url}/account`),
  }),
  newDevice: (user: Recipient, used: NewDevice, report: ReportLink | undefined): NewMail => ({
    to: to(user),
    kind: 'new-device',
    content: content.newDeviceMail(user, used, answerOf(report, `${url}/account/devices`)),
  }),
  /**
   * `place` is the browser and network from which the change was made; undefined if an administrator made it. Mails about different kinds
   * of changes have separate limits.
   */
  waysInChanged: (
    user: Recipient,
    changes: readonly ChangedWayIn[],
    place: string | undefined,
    at: Date,
    report: ReportLink | undefined,
  ): NewMail => ({
    to: to(user),
    kind: (changes[0]?.change ?? 'ways-in').replace(/[._]/g, '-'),
    content: content.waysInMail(user, changes, place, at, answerOf(report, `${url}/account`)),
  }),
  factorRequired: (user: Recipient, dueAt: Date): NewMail => ({
    to: to(user),
    kind: 'second-factor-required',
    content: content.factorRequiredMail(user, dueAt, `${url}/account/sign-in-methods?enrol`),
  }),
  /** `place` is the browser and network from which the wait was cancelled; undefined if an administrator cancelled it. */
  recoveryCancelled: (user: Recipient, place: string | undefined, at: Date, report: ReportLink | undefined): NewMail => ({
    to: to(user),
    kind: 'recovery-cancelled',
    content: content.recoveryCancelledMail(user, place, at, answerOf(report, `${url}/account`)),
  }),
  /** `url` is the link that ends the recovery wait. */
  recoveryNotice: (user: Recipient, notice: RecoveryNotice, url: string): NewMail => ({
    to: to(user),
    kind: notice.isReady ? 'second-factor-recovery-ready' : 'second-factor-recovery',
    content: content.recoveryMail(user, notice, url),
  }),
  passkeyRefused: (user: Recipient, place: string, at: Date): NewMail => ({
    to: to(user),
    kind: 'passkey-refused',
    content: content.passkeyRefusedMail(user, place, at, `${url}/account`),
  }),
})

/** All mails about an account: recipient, link, and content in the recipient's language. The caller passes only the token of a link. */
export const createAccountMails = (
  url: string,
  texts: AccountMailTexts,
  /** True if passwords can sign in and mailed links can set new ones. */
  isResetOn: boolean,
) => {
  const parts = createParts(url, texts, isResetOn)
  return {
    /** The source of a mail, for limits on mails: the session of a signed-in user, or the network of other callers. */
    requesterOf: (principal: Principal): Requester =>
      principal.kind === 'user'
        ? { key: sha256(`session:${principal.session.id}`), isKnown: false }
        : requesterInNetwork(networkOf(principal.address)),
    ...createRequestedMails(parts),
    ...createReports(parts),
  }
}

export type AccountMails = ReturnType<typeof createAccountMails>

/** The function of the mail feature that stores a mail for sending. */
export type Outbox = Pick<Mail, 'enqueue'>
