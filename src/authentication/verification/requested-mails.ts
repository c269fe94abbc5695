import { durationIn } from '../../core/language.ts'
import type { MailContent } from '../../mail/index.ts'
import type { Addressee, MailParts } from './mail-parts.ts'

/** The contents of mails that a person has requested. Each has a link or a code. */
export const createRequestedMails = ({ textsFor, factsOf }: MailParts) => {
  /** The mail that verifies a mail address: after a sign-up, at a request, or after a change of the address. */
  const verificationMail = (to: Addressee, url: string, ttlSeconds: number): MailContent => {
    const { begin, locale, text } = textsFor(to)
    return {
      ...begin('verification.subject'),
      paragraphs: [text('verification.text')],
      action: { label: text('verification.action'), url },
      footnote: `${text('valid', { time: durationIn(locale, ttlSeconds) })} ${text('ignore')}`,
    }
  }

  /** The mail to the present mail address of a signed-in user who wants to change it. */
  const changeEmailMail = (to: Addressee, newEmail: string, url: string, ttlSeconds: number): MailContent => {
    const { begin, locale, text } = textsFor(to)
    return {
      ...begin('changeEmail.subject'),
      paragraphs: [text('changeEmail.text', { newEmail }), text('sameBrowser')],
      action: { label: text('changeEmail.action'), url },
      footnote: `${text('valid', { time: durationIn(locale, ttlSeconds) })} ${text('beware')}`,
    }
  }

  const resetPasswordMail = (to: Addressee, url: string, ttlSeconds: number): MailContent => {
    const { begin, locale, text } = textsFor(to)
    return {
      ...begin('resetPassword.subject'),
      paragraphs: [text('resetPassword.text')],
      action: { label: text('resetPassword.action'), url },
      footnote: `${text('validOnce', { time: durationIn(locale, ttlSeconds) })} ${text('ignore')}`,
    }
  }

  const deleteAccountMail = (to: Addressee, url: string, ttlSeconds: number): MailContent => {
    const { begin, locale, text } = textsFor(to)
    return {
      ...begin('deleteAccount.subject'),
      paragraphs: [text('deleteAccount.text'), text('sameBrowser')],
      action: { label: text('deleteAccount.action'), url },
      footnote: `${text('valid', { time: durationIn(locale, ttlSeconds) })} ${text('beware')}`,
    }
  }

  /** `from` is the browser and network that requested the mail. */
  const signInMail = (to: Addressee, code: string, url: string, from: string, ttlSeconds: number): MailContent => {
    const { begin, locale, text } = textsFor(to)
    return {
      ...begin('signIn.subject'),
      paragraphs: [text('signIn.text'), text('code.secret')],
      code,
      facts: factsOf(to, { place: from }),
      action: { label: text('signIn.action'), url },
      footnote: `${text('signIn.foot', { time: durationIn(locale, ttlSeconds) })} ${text('ignore')}`,
    }
  }

  /** With `isResetOn` the link leads to a page for setting a new password. Otherwise it leads to the account page. */
  const secondFactorMail = (
    to: Addressee,
    code: string,
    url: string,
    isResetOn: boolean,
    from: string,
    ttlSeconds: number,
  ): MailContent => {
    const { begin, locale, text } = textsFor(to)
    return {
      ...begin('secondFactor.subject'),
      paragraphs: [text('secondFactor.text'), text('code.secret')],
      code,
      facts: factsOf(to, { place: from }),
      action: { label: text(isResetOn ? 'secondFactor.action' : 'emailChanged.action'), url },
      footnote: text('secondFactor.foot', { time: durationIn(locale, ttlSeconds) }),
    }
  }

  /** `from` is the browser and network that requested the mail. `url` is the link that ends the recovery wait. */
  const recoveryCodeMail = (to: Addressee, code: string, from: string, url: string, ttlSeconds: number): MailContent => {
    const { begin, locale, text } = textsFor(to)
    return {
      ...begin('recovery.codeSubject'),
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
    resetPasswordMail,
    deleteAccountMail,
    signInMail,
    secondFactorMail,
    recoveryCodeMail,
  }
}
