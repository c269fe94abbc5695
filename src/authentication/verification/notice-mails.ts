import { durationIn, timeIn } from '../../core/language.ts'
import type { MailContent } from '../../mail/index.ts'
import type { Addressee, Change, MailParts, NoticeAnswer } from './mail-parts.ts'

export interface NewDevice {
  /** The readable name of the browser, such as "Firefox on Linux". */
  readonly device: string
  readonly address: string
  readonly at: Date
}

/** The changes of sign-in methods that a notice can report. Each has the name of its event. */
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

/**
 * A change of a sign-in method, with the identity provider that it concerns. The provider is `credential` for the password, and empty if
 * the change concerns none.
 */
export interface ChangedWayIn {
  readonly change: WayInChange
  readonly provider?: string
}

/** The id that stands for the password in place of an identity provider. */
const passwordProvider = 'credential'

/** The data of a notice about a recovery wait, after which lost second factors are removed. */
export interface RecoveryNotice {
  /** True if the recovery wait is over. */
  readonly isReady: boolean
  /** The browser and network from which the wait was requested. */
  readonly from: string
  /** During the recovery wait, the time at which it ends. After the wait, the time until which the user can remove the factors. */
  readonly at: Date
}

/** The contents of mails that report a change of an account, or a change that will be made. */
export const createNoticeMails = ({ textsFor, factsOf, byWhom, answerOf }: MailParts) => {
  /** The mail to the former mail address. `recoverySeconds` is the lifetime of the link that takes the account back. */
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

  /** The mail to the mail address of a deleted account. It does not contain the name of the user. */
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

  /** The mail to a user who has few unused recovery codes. `left` is the number of unused codes. */
  const fewCodesMail = (to: Addressee, left: number, url: string): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('fewCodes.subject'),
      paragraphs: [text('fewCodes.text', { left: String(left) })],
      action: { label: text('fewCodes.action'), url },
      footnote: text('fewCodes.foot'),
    }
  }

  /** `place` is the browser and network from which the change was made; undefined if an administrator made it. */
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

  /** The mail that tells the user that a second factor will be required, and from which time on. */
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

  /** The mail that tells the user that the recovery wait has ended early and the second factors stay. */
  const recoveryCancelledMail = (to: Addressee, place: string | undefined, at: Date, answer: NoticeAnswer): MailContent => {
    const { begin, text } = textsFor(to)
    return {
      ...begin('recovery.cancelledSubject'),
      paragraphs: [text('recovery.cancelledText'), ...(place === undefined ? [text('waysIn.administrator')] : [])],
      facts: factsOf(to, { place, at }),
      ...answerOf(to, answer, { label: 'emailChanged.action', foot: 'emailChanged.foot' }),
    }
  }

  /** The mail to the owner of a passkey that may have been copied. `place` is the browser and network in which the passkey was used. */
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

  /** `url` is the link that ends the recovery wait. */
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
