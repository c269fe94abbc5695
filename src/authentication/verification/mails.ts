import { durationIn, fillIn, isPlainName, timeIn } from '../../core/language.ts'
import { type Locale, localeOf } from '../../core/locale.ts'
import type { MailContent } from '../../mail/index.ts'
import { de } from './mails/locales/de.ts'
import { en } from './mails/locales/en.ts'
import { es } from './mails/locales/es.ts'
import { fr } from './mails/locales/fr.ts'
import { pl } from './mails/locales/pl.ts'
import { ru } from './mails/locales/ru.ts'
import { tr } from './mails/locales/tr.ts'
import { uk } from './mails/locales/uk.ts'

/** The texts of all mails about an account, in one language. A language that lacks one does not compile. */
export type AccountMailTexts = Readonly<Record<keyof typeof en, string>>

export const accountMailTexts: Readonly<Record<Locale, AccountMailTexts>> = { ru, uk, en, es, de, pl, fr, tr }

/** The recipient of a mail. `language`: its number, null for English. */
export interface Addressee {
  readonly name: string
  readonly language: number | null
}

const textsFor = ({ name, language }: Addressee) => {
  const locale = localeOf(language) ?? 'en'
  const texts = accountMailTexts[locale]
  const text = (key: keyof AccountMailTexts, values: Readonly<Record<string, string>> = {}) => fillIn(texts[key], values)
  return { locale, text, heading: isPlainName(name) ? text('helloName', { name }) : text('hello') }
}

/** Confirms an address: after sign-up, on request, and after it was changed. */
export const verificationMail = (to: Addressee, url: string, ttlSeconds: number): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('verification.subject'),
    heading,
    paragraphs: [text('verification.text')],
    action: { label: text('verification.action'), url },
    footnote: `${text('valid', { time: durationIn(locale, ttlSeconds) })} ${text('ignore')}`,
  }
}

/** To the current address: a signed-in user wants another one. */
export const changeEmailMail = (to: Addressee, newEmail: string, url: string, ttlSeconds: number): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('changeEmail.subject'),
    heading,
    paragraphs: [text('changeEmail.text', { newEmail }), text('sameBrowser')],
    action: { label: text('changeEmail.action'), url },
    footnote: `${text('valid', { time: durationIn(locale, ttlSeconds) })} ${text('beware')}`,
  }
}

/** To the address that was given up. With `recoverySeconds` the link takes the account back, for so long. */
export const emailChangedMail = (to: Addressee, newEmail: string, url: string, recoverySeconds?: number): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('emailChanged.subject'),
    heading,
    paragraphs: [text('emailChanged.text', { newEmail })],
    action: { label: text(recoverySeconds === undefined ? 'emailChanged.action' : 'emailChanged.recover'), url },
    footnote:
      recoverySeconds === undefined
        ? text('emailChanged.foot')
        : `${text('fine')} ${text('validOnce', { time: durationIn(locale, recoverySeconds) })}`,
  }
}

export const resetPasswordMail = (to: Addressee, url: string, ttlSeconds: number): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('resetPassword.subject'),
    heading,
    paragraphs: [text('resetPassword.text')],
    action: { label: text('resetPassword.action'), url },
    footnote: `${text('validOnce', { time: durationIn(locale, ttlSeconds) })} ${text('ignore')}`,
  }
}

export const passwordChangedMail = (to: Addressee, url: string): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('passwordChanged.subject'),
    heading,
    paragraphs: [text('passwordChanged.text')],
    action: { label: text('passwordChanged.action'), url },
    footnote: text('fine'),
  }
}

export const deleteAccountMail = (to: Addressee, url: string, ttlSeconds: number): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('deleteAccount.subject'),
    heading,
    paragraphs: [text('deleteAccount.text'), text('sameBrowser')],
    action: { label: text('deleteAccount.action'), url },
    footnote: `${text('valid', { time: durationIn(locale, ttlSeconds) })} ${text('beware')}`,
  }
}

/** `from`: the browser and network that asked. */
export const signInMail = (to: Addressee, code: string, url: string, from: string, ttlSeconds: number): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('signIn.subject'),
    heading,
    paragraphs: [text('signIn.text'), text('code.from', { from }), text('code.secret')],
    code,
    action: { label: text('signIn.action'), url },
    footnote: `${text('signIn.foot', { time: durationIn(locale, ttlSeconds) })} ${text('ignore')}`,
  }
}

export const secondFactorMail = (to: Addressee, code: string, url: string, from: string, ttlSeconds: number): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('secondFactor.subject'),
    heading,
    paragraphs: [text('secondFactor.text'), text('code.from', { from }), text('code.secret')],
    code,
    action: { label: text('secondFactor.action'), url },
    footnote: text('secondFactor.foot', { time: durationIn(locale, ttlSeconds) }),
  }
}

/** `at`: when, `device`: "Firefox on Linux", `address`: from where. */
export const newDeviceMail = (to: Addressee, device: string, address: string, at: Date, url: string): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('newDevice.subject', { device }),
    heading,
    paragraphs: [text('newDevice.text'), `${device}, ${address}, ${timeIn(locale, at)}`],
    action: { label: text('newDevice.action'), url },
    footnote: text('newDevice.foot'),
  }
}

/** To the owner of an account with few recovery codes left: `left` of them. */
export const fewCodesMail = (to: Addressee, left: number, url: string): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('fewCodes.subject'),
    heading,
    paragraphs: [text('fewCodes.text', { left: String(left) })],
    action: { label: text('fewCodes.action'), url },
    footnote: text('fewCodes.foot'),
  }
}

/** What a notice about the ways to sign in may say, as the events are named, in the order in which it says them. */
export const wayInChanges = [
  'totp.enabled',
  'totp.disabled',
  'user.passkey_added',
  'user.passkey_removed',
  'second_factor.removed',
  'second_factor.enabled',
  'second_factor.disabled',
  'recovery_codes.generated',
] as const
export type WayInChange = (typeof wayInChanges)[number]

/** `place`: browser and network of the person who did it; undefined for an administrator. */
export const waysInMail = (
  to: Addressee,
  changes: readonly WayInChange[],
  place: string | undefined,
  at: Date,
  url: string,
): MailContent => {
  const { locale, text, heading } = textsFor(to)
  const by = `${place ?? text('waysIn.administrator')}, ${timeIn(locale, at)}`
  return {
    language: locale,
    subject: text('waysIn.subject'),
    heading,
    paragraphs: [...changes.map((change) => text(`waysIn.${change}`)), by],
    action: { label: text('secondFactor.action'), url },
    footnote: `${text('fine')} ${text('waysIn.foot')}`,
  }
}

/** To the owner of a passkey that may have been copied. `place`: the browser and network that used it. */
export const passkeyRefusedMail = (to: Addressee, place: string, at: Date, url: string): MailContent => {
  const { locale, text, heading } = textsFor(to)
  return {
    language: locale,
    subject: text('passkeyRefused.subject'),
    heading,
    paragraphs: [text('passkeyRefused.text'), `${place}, ${timeIn(locale, at)}`],
    action: { label: text('emailChanged.action'), url },
    footnote: text('passkeyRefused.foot'),
  }
}
