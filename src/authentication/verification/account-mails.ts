import type { Principal } from '../../access/principal.ts'
import { sha256 } from '../../core/crypto.ts'
import { networkOf } from '../../core/network.ts'
import { withQuery } from '../../core/web.ts'
import type { User } from '../../identity/users/index.ts'
import type { Mail, NewMail, Requester } from '../../mail/index.ts'
import * as content from './mails.ts'

type Recipient = Pick<User, 'name' | 'email' | 'language'>

export const requesterInNetwork = (network: string): Requester => ({ key: sha256(`network:${network}`), isKnown: false })

/**
 * Every mail about an account: its recipient, its content in their language, and where its link leads. The caller gives what a link needs
 * signed or random. Mails with a requester were requested; the others report what has happened.
 */
export const createAccountMails = (url: string) => {
  const to = ({ name, email }: Recipient): NewMail['to'] => ({ name, address: email })
  const link = (path: string, query: Readonly<Record<string, string>>) => withQuery(url + path, query)
  return {
    /** Who requests a mail: the session of a signed-in user, else the network. */
    requesterOf: (principal: Principal): Requester =>
      principal.kind === 'user'
        ? { key: sha256(`session:${principal.session.id}`), isKnown: false }
        : requesterInNetwork(networkOf(principal.address)),
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
    /** `recovery`: the address had been verified, and can take the account back with this link. */
    emailChanged: (
      user: Recipient,
      newEmail: string,
      recovery?: { readonly token: string; readonly ttlSeconds: number },
    ): NewMail => ({
      to: to(user),
      kind: 'email-changed',
      content:
        recovery === undefined
          ? content.emailChangedMail(user, newEmail, `${url}/account`)
          : content.emailChangedMail(user, newEmail, link('/recover-address', { token: recovery.token }), recovery.ttlSeconds),
    }),
    resetPassword: (user: Recipient, token: string, callbackURL: string, ttlSeconds: number, requester: Requester): NewMail => ({
      requester,
      to: to(user),
      kind: 'reset-password',
      content: content.resetPasswordMail(user, link(`/reset-password/${token}`, { callbackURL }), ttlSeconds),
    }),
    passwordChanged: (user: Recipient): NewMail => ({
      to: to(user),
      kind: 'password-changed',
      content: content.passwordChangedMail(user, `${url}/forgot-password`),
    }),
    deleteAccount: (user: Recipient, token: string, callbackURL: string, ttlSeconds: number, requester: Requester): NewMail => ({
      requester,
      to: to(user),
      kind: 'delete-account',
      content: content.deleteAccountMail(user, link('/delete-user/callback', { token, callbackURL }), ttlSeconds),
    }),
    /** A recovery code was used, and so many are left. */
    fewCodes: (user: Recipient, left: number): NewMail => ({
      to: to(user),
      kind: 'few-recovery-codes',
      content: content.fewCodesMail(user, left, `${url}/account`),
    }),
    /** `url`: the link that signs in. `from`: the browser and network that asked. */
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
      content: content.secondFactorMail(user, code, `${url}/forgot-password`, from, ttlSeconds),
    }),
    newDevice: (user: Recipient, device: string, address: string, at: Date): NewMail => ({
      to: to(user),
      kind: 'new-device',
      content: content.newDeviceMail(user, device, address, at, `${url}/account/devices`),
    }),
    /** `place`: browser and network of the person who did it; undefined for an administrator. Each kind of change is limited by itself. */
    waysInChanged: (user: Recipient, changes: readonly content.WayInChange[], place: string | undefined, at: Date): NewMail => ({
      to: to(user),
      kind: (changes[0] ?? 'ways-in').replace(/[._]/g, '-'),
      content: content.waysInMail(user, changes, place, at, `${url}/forgot-password`),
    }),
    passkeyRefused: (user: Recipient, place: string, at: Date): NewMail => ({
      to: to(user),
      kind: 'passkey-refused',
      content: content.passkeyRefusedMail(user, place, at, `${url}/account`),
    }),
  }
}

export type AccountMails = ReturnType<typeof createAccountMails>

/** Puts mails into the outbox. */
export type Outbox = Pick<Mail, 'enqueue'>
