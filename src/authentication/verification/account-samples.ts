import { daySeconds } from '../../core/time.ts'
import type { MailSample } from '../../mail/index.ts'
import { createAccountMailContents } from './mail-contents.ts'
import type { AccountMailTexts } from './mail-parts.ts'

/** The lifetimes of links and codes in seconds. */
interface Lives {
  readonly verification: number
  readonly reset: number
  readonly deletion: number
  readonly addressRecovery: number
  readonly notice: number
}

/** The place of a change in the samples. Its network address is reserved for documentation (RFC 5737). */
const place = 'Firefox on Linux, 203.0.113.9'
const code = '123456'
const codeSeconds = 600
const newEmail = 'new.address@example.com'

/** A sample of each mail about an account, with invented links and codes. `url` is the public URL of this server. */
export const accountMailSamples = (url: string, texts: AccountMailTexts, lives: Lives): readonly MailSample[] => {
  const content = createAccountMailContents(texts)
  const link = (path: string) => `${url}${path}?token=example`
  const answer = { url: link('/not-me'), ttlSeconds: lives.notice }
  return [
    { kind: 'verification', content: (to) => content.verificationMail(to, link('/verify-email'), lives.verification) },
    { kind: 'reset-password', content: (to) => content.resetPasswordMail(to, link('/reset-password'), lives.reset) },
    { kind: 'sign-in', content: (to) => content.signInMail(to, code, link('/mail-sign-in'), place, codeSeconds) },
    {
      kind: 'second-factor-code',
      content: (to) => content.secondFactorMail(to, code, link('/forgot-password'), true, place, codeSeconds),
    },
    { kind: 'change-email', content: (to) => content.changeEmailMail(to, newEmail, link('/verify-email'), lives.verification) },
    {
      kind: 'email-changed',
      content: (to) =>
        content.emailChangedMail(
          to,
          newEmail,
          { place, at: to.at },
          link('/recover-address'),
          lives.addressRecovery || undefined,
        ),
    },
    { kind: 'password-changed', content: (to) => content.passwordChangedMail(to, { place, at: to.at }, answer) },
    {
      kind: 'new-device',
      content: (to) => content.newDeviceMail(to, { device: 'Firefox on Linux', address: '203.0.113.9', at: to.at }, answer),
    },
    {
      kind: 'user-passkey-added',
      content: (to) => content.waysInMail(to, [{ change: 'user.passkey_added' }], place, to.at, answer),
    },
    {
      kind: 'second-factor-enabled',
      content: (to) =>
        content.waysInMail(to, [{ change: 'totp.enabled' }, { change: 'second_factor.enabled' }], place, to.at, answer),
    },
    {
      kind: 'second-factor-required',
      content: (to) =>
        content.factorRequiredMail(to, new Date(to.at.getTime() + 7 * daySeconds * 1000), `${url}/account/two-step`),
    },
    { kind: 'few-recovery-codes', content: (to) => content.fewCodesMail(to, 2, `${url}/account/two-step`) },
    {
      kind: 'second-factor-recovery',
      content: (to) => content.recoveryMail(to, { isReady: false, from: place, at: to.at }, link('/stop-recovery')),
    },
    {
      kind: 'second-factor-recovery-code',
      content: (to) => content.recoveryCodeMail(to, code, place, link('/stop-recovery'), codeSeconds),
    },
    {
      kind: 'second-factor-recovery-ready',
      content: (to) => content.recoveryMail(to, { isReady: true, from: place, at: to.at }, link('/stop-recovery')),
    },
    { kind: 'recovery-cancelled', content: (to) => content.recoveryCancelledMail(to, place, to.at, answer) },
    { kind: 'passkey-refused', content: (to) => content.passkeyRefusedMail(to, place, to.at, `${url}/account`) },
    { kind: 'delete-account', content: (to) => content.deleteAccountMail(to, link('/account/delete'), lives.deletion) },
    { kind: 'account-deleted', content: (to) => content.accountDeletedMail(to, to.at, `${url}/sign-up`) },
  ]
}
