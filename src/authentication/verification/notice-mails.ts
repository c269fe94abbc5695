import { durationIn, timeIn } from '../../core/language.ts'
import type { MailContent } from '../../mail/index.ts'
import type { Addressee, Change, MailParts, NoticeAnswer } from './mail-parts.ts'

export interface NewDevice {
  /** The readable name of the browser, such as "Firefox on Linux". */
  readonly device: string
  readonly address: string
  readonly at: Date
}

/** The changes of sign-in methods that a notice can report, by the names of their events. */
export type WayInChange =
  | 'totp.enabled'
  | 'totp.replaced'
  | 'totp.shown'
  | 'totp.disabled'
  | 'user.passkey_added'
  | 'user.passkey_removed'
  | 'second_factor.removed'
  | 'second_factor.enabled'
  | 'second_factor.disabled'
  | 'recovery_codes.generated'
  | 'user.identity_linked'
  | 'user.identity_unlinked'
  | 'api_key.created'
  | 'api_key.rotated'

/** A change with the provider that it concerns. The provider is `credential` for the password, and empty if there is none. */
export interface ChangedWayIn {
  readonly change: WayInChange
  readonly provider?: string
}

/** The id that stands for the password in the place of a provider. */
const passwordProvider = 'credential'

/** The data of a notice about the removal of lost second factors. */
export interface RecoveryNotice {
  /** True if the wait is over. */
  readonly isReady: boolean
  /** The browser and the network of the request. */
  readonly from: string
  /** The end of the wait or, when the wait is over, the end of the time for completing it. */
  readonly at: Date
}

/** Mails that report changes of an account, made or announced. */
export const createNoticeMails = ({ textsFor, factsOf, byWhom, answerOf }: MailParts) => {
  /** The mail to the former address. `recoverySeconds` says how long its link can take the account back. */
  const emailChangedMail = (
    to: Addressee,
    newEmail: string,
    change: Change,
    url: string,
    recoverySeconds?: number,
  ): MailContent => {
    const { begin, locale, text } = textsFor(to)
    return {
      ...begin('emailChanged.subject'),
      paragraphs: [text('emailChanged.text', { newEmail }), ...byWhom(to, change)],
      facts: factsOf(to, change),
      action: { label: text(recoverySeconds === undefined ? 'emailChanged.action' : 'emailChanged.recover'), url },
      footnote:
        recoverySeconds === undefined
          ? text('emailChanged.foot')
          : `${text('fine')} ${text('validOnce', { time: durationIn(locale, recoverySeconds) })}`,
    }
  }

  const passwordChangedMail = (to: Addressee, change: Change, answer: NoticeAnswer): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('passwordChanged.subject'),
      paragraphs: [text('passwordChanged.text'), ...byWhom(to, change)],
      facts: factsOf(to, change),
      ...answerOf(to, answer, { label: 'passwordChanged.action', foot: 'fine' }),
    }
  }

  /** The mail to the address of a deleted account. The name of the user is left out. */
  const accountDeletedMail = (to: Addressee, at: Date, url: string): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('accountDeleted.subject'),
      paragraphs: [text('accountDeleted.text')],
      facts: factsOf(to, { at }),
      action: { label: text('accountDeleted.action'), url },
      footnote: text('accountDeleted.foot'),
    }
  }

  const newDeviceMail = (to: Addressee, { device, address, at }: NewDevice, answer: NoticeAnswer): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('newDevice.subject', { device }),
      paragraphs: [text('newDevice.text')],
      facts: factsOf(to, { place: `${device}, ${address}`, at }),
      ...answerOf(to, answer, { label: 'newDevice.action', foot: 'newDevice.foot' }),
    }
  }

  /** The mail to the owner of an account with few recovery codes. `left` is their number. */
  const fewCodesMail = (to: Addressee, left: number, url: string): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('fewCodes.subject'),
      paragraphs: [text('fewCodes.text', { left: String(left) })],
      action: { label: text('fewCodes.action'), url },
      footnote: text('fewCodes.foot'),
    }
  }

  /** `place` is the browser and network of the change; undefined if an administrator made it. */
  const waysInMail = (
    to: Addressee,
    changes: readonly ChangedWayIn[],
    place: string | undefined,
    at: Date,
    answer: NoticeAnswer,
  ): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('waysIn.subject'),
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

  /** The mail that says from when on the owner needs a second factor. */
  const factorRequiredMail = (to: Addressee, dueAt: Date, url: string): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('required.subject'),
      paragraphs: [text('required.text')],
      facts: [{ label: text('required.from'), value: factsOf(to, { at: dueAt })[0]?.value ?? '' }],
      action: { label: text('required.action'), url },
      footnote: text('required.foot'),
    }
  }

  /** The mail that says that the wait has ended and the second factors stay. */
  const recoveryCancelledMail = (to: Addressee, place: string | undefined, at: Date, answer: NoticeAnswer): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('recovery.cancelledSubject'),
      paragraphs: [text('recovery.cancelledText'), ...(place === undefined ? [text('waysIn.administrator')] : [])],
      facts: factsOf(to, { place, at }),
      ...answerOf(to, answer, { label: 'emailChanged.action', foot: 'emailChanged.foot' }),
    }
  }

  /** The mail to the owner of a passkey that may have been copied. `place` is the browser and network of its use. */
  const passkeyRefusedMail = (to: Addressee, place: string, at: Date, url: string): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('passkeyRefused.subject'),
      paragraphs: [text('passkeyRefused.text')],
      facts: factsOf(to, { place, at }),
      action: { label: text('emailChanged.action'), url },
      footnote: text('passkeyRefused.foot'),
    }
  }

  /** `url` is the link that ends the wait. */
  const recoveryMail = (to: Addressee, { isReady, from, at }: RecoveryNotice, url: string): MailContent => {
    const { begin, locale, text } = textsFor(to)
    return {
      ...begin(isReady ? 'recovery.readySubject' : 'recovery.subject'),
      paragraphs: [text(isReady ? 'recovery.readyText' : 'recovery.text', { time: timeIn(locale, at, to.timeZone) })],
      facts: factsOf(to, { place: from }),
      action: { label: text('recovery.action'), url },
      footnote: text('recovery.foot'),
    }
  }

  return {
    emailChangedMail,
    passwordChangedMail,
    accountDeletedMail,
    newDeviceMail,
    fewCodesMail,
    waysInMail,
    factorRequiredMail,
    recoveryCancelledMail,
    passkeyRefusedMail,
    recoveryMail,
  }
}
