import type { Asker, Mail, NewMail } from '../mail/index.ts'
import type { User } from '../users/index.ts'
import * as words from './mails.ts'

type Recipient = Pick<User, 'name' | 'email' | 'language'>

/**
 * Every mail about an account: who gets it, in their language, and where its link leads. What a link needs signed or random comes with the
 * call. Those with an asker were asked for, the others tell of something that has happened.
 */
export const createNotices = (url: string) => {
  const to = ({ name, email }: Recipient): NewMail['to'] => ({ name, address: email })
  const link = (path: string, query: Readonly<Record<string, string>>) => `${url}${path}?${new URLSearchParams(query)}`
  return {
    verification: (user: Recipient, token: string, callbackURL: string, ttlSeconds: number, asker: Asker): NewMail => ({
      asker,
      to: to(user),
      kind: 'verification',
      words: words.verificationMail(user, link('/verify-email', { token, callbackURL }), ttlSeconds),
    }),
    changeEmail: (
      user: Recipient,
      newEmail: string,
      token: string,
      callbackURL: string,
      ttlSeconds: number,
      asker: Asker,
    ): NewMail => ({
      asker,
      to: to(user),
      kind: 'change-email',
      words: words.changeEmailMail(user, newEmail, link('/verify-email', { token, callbackURL }), ttlSeconds),
    }),
    /** `recovery`: the address was proven, and takes the account back with this. */
    emailChanged: (
      user: Recipient,
      newEmail: string,
      recovery?: { readonly token: string; readonly ttlSeconds: number },
    ): NewMail => ({
      to: to(user),
      kind: 'email-changed',
      words:
        recovery === undefined
          ? words.emailChangedMail(user, newEmail, `${url}/account`)
          : words.emailChangedMail(user, newEmail, link('/recover-address', { token: recovery.token }), recovery.ttlSeconds),
    }),
    resetPassword: (user: Recipient, token: string, callbackURL: string, ttlSeconds: number, asker: Asker): NewMail => ({
      asker,
      to: to(user),
      kind: 'reset-password',
      words: words.resetPasswordMail(user, link(`/reset-password/${token}`, { callbackURL }), ttlSeconds),
    }),
    passwordChanged: (user: Recipient): NewMail => ({
      to: to(user),
      kind: 'password-changed',
      words: words.passwordChangedMail(user, `${url}/forgot-password`),
    }),
    deleteAccount: (user: Recipient, token: string, callbackURL: string, ttlSeconds: number, asker: Asker): NewMail => ({
      asker,
      to: to(user),
      kind: 'delete-account',
      words: words.deleteAccountMail(user, link('/delete-user/callback', { token, callbackURL }), ttlSeconds),
    }),
    newDevice: (user: Recipient, device: string, address: string, at: Date): NewMail => ({
      to: to(user),
      kind: 'new-device',
      words: words.newDeviceMail(user, device, address, at, `${url}/account/devices`),
    }),
  }
}

export type Notices = ReturnType<typeof createNotices>

/** Puts mails into the outbox. */
export type Outbox = Pick<Mail, 'enqueue'>
