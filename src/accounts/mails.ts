import { durationIn, fillIn, isPlainName, timeIn } from '../core/language.ts'
import { type Locale, localeOf } from '../core/wire.ts'
import type { MailWords } from '../mail/index.ts'
import { de } from './mails/locales/de.ts'
import { en } from './mails/locales/en.ts'
import { es } from './mails/locales/es.ts'
import { fr } from './mails/locales/fr.ts'
import { pl } from './mails/locales/pl.ts'
import { ru } from './mails/locales/ru.ts'
import { tr } from './mails/locales/tr.ts'
import { uk } from './mails/locales/uk.ts'

/** The words of all mails about an account, in one language. A language that lacks one does not compile. */
export type AccountMailTexts = Readonly<Record<keyof typeof en, string>>

export const accountMailTexts: Readonly<Record<Locale, AccountMailTexts>> = { ru, uk, en, es, de, pl, fr, tr }

/** Whom a mail is for. `language`: its number, null for English. */
export interface Addressee {
  readonly name: string
  readonly language: number | null
}

const speaking = ({ name, language }: Addressee) => {
  const locale = localeOf(language) ?? 'en'
  const texts = accountMailTexts[locale]
  const say = (key: keyof AccountMailTexts, values: Readonly<Record<string, string>> = {}) => fillIn(texts[key], values)
  return { locale, say, heading: isPlainName(name) ? say('helloName', { name }) : say('hello') }
}

/** Confirms an address: after sign-up, on request, and after it was changed. */
export const verificationMail = (to: Addressee, url: string, ttlSeconds: number): MailWords => {
  const { locale, say, heading } = speaking(to)
  return {
    language: locale,
    subject: say('verification.subject'),
    heading,
    paragraphs: [say('verification.text')],
    action: { label: say('verification.action'), url },
    footnote: `${say('valid', { time: durationIn(locale, ttlSeconds) })} ${say('ignore')}`,
  }
}

/** To the current address: somebody signed in wants another one. */
export const changeEmailMail = (to: Addressee, newEmail: string, url: string, ttlSeconds: number): MailWords => {
  const { locale, say, heading } = speaking(to)
  return {
    language: locale,
    subject: say('changeEmail.subject'),
    heading,
    paragraphs: [say('changeEmail.text', { newEmail }), say('sameBrowser')],
    action: { label: say('changeEmail.action'), url },
    footnote: `${say('valid', { time: durationIn(locale, ttlSeconds) })} ${say('beware')}`,
  }
}

/** To the address that was given up. With `recoverySeconds` the link takes the account back, for so long. */
export const emailChangedMail = (to: Addressee, newEmail: string, url: string, recoverySeconds?: number): MailWords => {
  const { locale, say, heading } = speaking(to)
  return {
    language: locale,
    subject: say('emailChanged.subject'),
    heading,
    paragraphs: [say('emailChanged.text', { newEmail })],
    action: { label: say(recoverySeconds === undefined ? 'emailChanged.action' : 'emailChanged.recover'), url },
    footnote:
      recoverySeconds === undefined
        ? say('emailChanged.foot')
        : `${say('fine')} ${say('validOnce', { time: durationIn(locale, recoverySeconds) })}`,
  }
}

export const resetPasswordMail = (to: Addressee, url: string, ttlSeconds: number): MailWords => {
  const { locale, say, heading } = speaking(to)
  return {
    language: locale,
    subject: say('resetPassword.subject'),
    heading,
    paragraphs: [say('resetPassword.text')],
    action: { label: say('resetPassword.action'), url },
    footnote: `${say('validOnce', { time: durationIn(locale, ttlSeconds) })} ${say('ignore')}`,
  }
}

export const passwordChangedMail = (to: Addressee, url: string): MailWords => {
  const { locale, say, heading } = speaking(to)
  return {
    language: locale,
    subject: say('passwordChanged.subject'),
    heading,
    paragraphs: [say('passwordChanged.text')],
    action: { label: say('passwordChanged.action'), url },
    footnote: say('fine'),
  }
}

export const deleteAccountMail = (to: Addressee, url: string, ttlSeconds: number): MailWords => {
  const { locale, say, heading } = speaking(to)
  return {
    language: locale,
    subject: say('deleteAccount.subject'),
    heading,
    paragraphs: [say('deleteAccount.text'), say('sameBrowser')],
    action: { label: say('deleteAccount.action'), url },
    footnote: `${say('valid', { time: durationIn(locale, ttlSeconds) })} ${say('beware')}`,
  }
}

/** `at`: when, `device`: "Firefox on Linux", `address`: from where. */
export const newDeviceMail = (to: Addressee, device: string, address: string, at: Date, url: string): MailWords => {
  const { locale, say, heading } = speaking(to)
  return {
    language: locale,
    subject: say('newDevice.subject', { device }),
    heading,
    paragraphs: [say('newDevice.text'), `${device}, ${address}, ${timeIn(locale, at)}`],
    action: { label: say('newDevice.action'), url },
    footnote: say('newDevice.foot'),
  }
}
