import { durationIn, fillIn, isPlainName, timeIn } from '../../core/language.ts'
import { type Locale, localeOf } from '../../core/locale.ts'
import type { Catalogues } from '../../core/own-texts.ts'
import type { Fact, MailContent } from '../../mail/index.ts'
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
  /** IANA name; null or missing: times are said in UTC. */
  readonly timeZone?: string | null
}

interface Circumstances {
  /** Browser and network, such as `Firefox on Linux, 203.0.113.9`. */
  readonly place?: string | undefined
  readonly at?: Date
}

export interface NewDevice {
  /** "Firefox on Linux" */
  readonly device: string
  readonly address: string
  readonly at: Date
}

/** Where the button of a notice leads: for so long to the answer "this was not me"; without a time to a page for whoever can sign in. */
export interface NoticeAnswer {
  readonly url: string
  readonly ttlSeconds?: number
}

/** What a notice about the ways to sign in may say, as the events are named, in the order in which it says them. */
export const wayInChanges = [
  'totp.enabled',
  'totp.replaced',
  'totp.shown',
  'totp.disabled',
  'user.passkey_added',
  'user.passkey_removed',
  'second_factor.removed',
  'second_factor.enabled',
  'second_factor.disabled',
  'recovery_codes.generated',
  'user.identity_linked',
  'user.identity_unlinked',
  'api_key.created',
  'api_key.rotated',
] as const
export type WayInChange = (typeof wayInChanges)[number]

/** A change, and the id of the provider that it is about: `credential` for the password, empty where there is none. */
export interface ChangedWayIn {
  readonly change: WayInChange
  readonly provider?: string
}

/** How the account was changed, for the rows of a notice. */
export interface Change extends Circumstances {
  readonly at: Date
  /** The rows name no place, and a line says who it was. */
  readonly isByAdministrator?: boolean
}

/** The provider of the identity that holds a password. */
const passwordProvider = 'credential'

/** What a notice about the removal of lost second factors says. */
export interface RecoveryNotice {
  /** The wait is over. */
  readonly isReady: boolean
  /** Browser and network that asked. */
  readonly from: string
  /** When the wait is over, then until when it counts. */
  readonly at: Date
}

/** The mails about accounts, in the texts of `catalogues`. */
export const createAccountMailContents = (catalogues: Catalogues<keyof AccountMailTexts>) => {
  const textsFor = ({ name, language }: Addressee) => {
    const locale = localeOf(language) ?? 'en'
    const texts = catalogues[locale]
    const text = (key: keyof AccountMailTexts, values: Readonly<Record<string, string>> = {}) => fillIn(texts[key], values)
    return { locale, text, heading: isPlainName(name) ? text('helloName', { name }) : text('hello') }
  }

  const factsOf = (to: Addressee, { place = '', at }: Circumstances): readonly Fact[] => {
    const { locale, text } = textsFor(to)
    const end = place.lastIndexOf(', ')
    return [
      { label: text('fact.device'), value: end < 0 ? '' : place.slice(0, end) },
      { label: text('fact.network'), value: end < 0 ? place : place.slice(end + 2) },
      { label: text('fact.time'), value: at === undefined ? '' : timeIn(locale, at, to.timeZone) },
    ].filter(({ value }) => value !== '')
  }

  const byWhom = (to: Addressee, { isByAdministrator = false }: Change): readonly string[] =>
    isByAdministrator ? [textsFor(to).text('waysIn.administrator')] : []

  /** Button and last words of a notice. `other`: those of one that leads to a page for whoever can sign in. */
  const answerOf = (
    to: Addressee,
    { url, ttlSeconds }: NoticeAnswer,
    other: { readonly label: keyof AccountMailTexts; readonly foot: keyof AccountMailTexts },
  ): Pick<MailContent, 'action' | 'footnote'> => {
    const { locale, text } = textsFor(to)
    if (ttlSeconds === undefined) return { action: { label: text(other.label), url }, footnote: text(other.foot) }
    const once = text('validOnce', { time: durationIn(locale, ttlSeconds) })
    return { action: { label: text('notMe.action'), url }, footnote: `${text('fine')} ${text('notMe.foot')} ${once}` }
  }

  /** Confirms an address: after sign-up, on request, and after it was changed. */
  const verificationMail = (to: Addressee, url: string, ttlSeconds: number): MailContent => {
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
  const changeEmailMail = (to: Addressee, newEmail: string, url: string, ttlSeconds: number): MailContent => {
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
  const emailChangedMail = (
    to: Addressee,
    newEmail: string,
    change: Change,
    url: string,
    recoverySeconds?: number,
  ): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('emailChanged.subject'),
      heading,
      paragraphs: [text('emailChanged.text', { newEmail }), ...byWhom(to, change)],
      facts: factsOf(to, change),
      action: { label: text(recoverySeconds === undefined ? 'emailChanged.action' : 'emailChanged.recover'), url },
      footnote:
        recoverySeconds === undefined
          ? text('emailChanged.foot')
          : `${text('fine')} ${text('validOnce', { time: durationIn(locale, recoverySeconds) })}`,
    }
  }

  const resetPasswordMail = (to: Addressee, url: string, ttlSeconds: number): MailContent => {
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

  const passwordChangedMail = (to: Addressee, change: Change, answer: NoticeAnswer): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('passwordChanged.subject'),
      heading,
      paragraphs: [text('passwordChanged.text'), ...byWhom(to, change)],
      facts: factsOf(to, change),
      ...answerOf(to, answer, { label: 'passwordChanged.action', foot: 'fine' }),
    }
  }

  const deleteAccountMail = (to: Addressee, url: string, ttlSeconds: number): MailContent => {
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

  /** To the address of an account that is gone, without the name that went with it. */
  const accountDeletedMail = (to: Addressee, at: Date, url: string): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('accountDeleted.subject'),
      heading,
      paragraphs: [text('accountDeleted.text')],
      facts: factsOf(to, { at }),
      action: { label: text('accountDeleted.action'), url },
      footnote: text('accountDeleted.foot'),
    }
  }

  /** `from`: the browser and network that asked. */
  const signInMail = (to: Addressee, code: string, url: string, from: string, ttlSeconds: number): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('signIn.subject'),
      heading,
      paragraphs: [text('signIn.text'), text('code.secret')],
      code,
      facts: factsOf(to, { place: from }),
      action: { label: text('signIn.action'), url },
      footnote: `${text('signIn.foot', { time: durationIn(locale, ttlSeconds) })} ${text('ignore')}`,
    }
  }

  /** `isResetOn`: the link leads to a new password, else to the account. */
  const secondFactorMail = (
    to: Addressee,
    code: string,
    url: string,
    isResetOn: boolean,
    from: string,
    ttlSeconds: number,
  ): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('secondFactor.subject'),
      heading,
      paragraphs: [text('secondFactor.text'), text('code.secret')],
      code,
      facts: factsOf(to, { place: from }),
      action: { label: text(isResetOn ? 'secondFactor.action' : 'emailChanged.action'), url },
      footnote: text('secondFactor.foot', { time: durationIn(locale, ttlSeconds) }),
    }
  }

  const newDeviceMail = (to: Addressee, { device, address, at }: NewDevice, answer: NoticeAnswer): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('newDevice.subject', { device }),
      heading,
      paragraphs: [text('newDevice.text')],
      facts: factsOf(to, { place: `${device}, ${address}`, at }),
      ...answerOf(to, answer, { label: 'newDevice.action', foot: 'newDevice.foot' }),
    }
  }

  /** To the owner of an account with few recovery codes left: `left` of them. */
  const fewCodesMail = (to: Addressee, left: number, url: string): MailContent => {
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

  /** `place`: browser and network of the person who did it; undefined for an administrator. */
  const waysInMail = (
    to: Addressee,
    changes: readonly ChangedWayIn[],
    place: string | undefined,
    at: Date,
    answer: NoticeAnswer,
  ): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('waysIn.subject'),
      heading,
      paragraphs: [
        ...changes.map(({ change, provider = '' }) =>
          provider === passwordProvider ? text('waysIn.password_removed') : text(`waysIn.${change}`, { provider }),
        ),
        ...(place === undefined ? [text('waysIn.administrator')] : []),
      ],
      facts: factsOf(to, { place, at }),
      ...answerOf(to, answer, { label: 'emailChanged.action', foot: 'emailChanged.foot' }),
    }
  }

  /** A second factor is required of the owner from `dueAt` on. */
  const factorRequiredMail = (to: Addressee, dueAt: Date, url: string): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('required.subject'),
      heading,
      paragraphs: [text('required.text')],
      facts: [{ label: text('required.from'), value: factsOf(to, { at: dueAt })[0]?.value ?? '' }],
      action: { label: text('required.action'), url },
      footnote: text('required.foot'),
    }
  }

  /** The wait for the removal of the owner's second factors has ended without it. */
  const recoveryCancelledMail = (to: Addressee, place: string | undefined, at: Date, answer: NoticeAnswer): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('recovery.cancelledSubject'),
      heading,
      paragraphs: [text('recovery.cancelledText'), ...(place === undefined ? [text('waysIn.administrator')] : [])],
      facts: factsOf(to, { place, at }),
      ...answerOf(to, answer, { label: 'emailChanged.action', foot: 'emailChanged.foot' }),
    }
  }

  /** To the owner of a passkey that may have been copied. `place`: the browser and network that used it. */
  const passkeyRefusedMail = (to: Addressee, place: string, at: Date, url: string): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('passkeyRefused.subject'),
      heading,
      paragraphs: [text('passkeyRefused.text')],
      facts: factsOf(to, { place, at }),
      action: { label: text('emailChanged.action'), url },
      footnote: text('passkeyRefused.foot'),
    }
  }

  /** `url`: the link that ends the wait. */
  const recoveryMail = (to: Addressee, { isReady, from, at }: RecoveryNotice, url: string): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text(isReady ? 'recovery.readySubject' : 'recovery.subject'),
      heading,
      paragraphs: [text(isReady ? 'recovery.readyText' : 'recovery.text', { time: timeIn(locale, at, to.timeZone) })],
      facts: factsOf(to, { place: from }),
      action: { label: text('recovery.action'), url },
      footnote: text('recovery.foot'),
    }
  }

  /** `from`: the browser and network that asked; `url`: the link that ends the wait. */
  const recoveryCodeMail = (to: Addressee, code: string, from: string, url: string, ttlSeconds: number): MailContent => {
    const { locale, text, heading } = textsFor(to)
    return {
      language: locale,
      subject: text('recovery.codeSubject'),
      heading,
      paragraphs: [text('recovery.codeText'), text('code.secret')],
      code,
      facts: factsOf(to, { place: from }),
      action: { label: text('recovery.action'), url },
      footnote: text('secondFactor.foot', { time: durationIn(locale, ttlSeconds) }),
    }
  }

  return {
    verificationMail,
    changeEmailMail,
    emailChangedMail,
    resetPasswordMail,
    passwordChangedMail,
    deleteAccountMail,
    accountDeletedMail,
    signInMail,
    secondFactorMail,
    newDeviceMail,
    fewCodesMail,
    waysInMail,
    factorRequiredMail,
    recoveryCancelledMail,
    passkeyRefusedMail,
    recoveryMail,
    recoveryCodeMail,
  }
}
