import { durationIn, fillIn, isPlainName } from '../core/language.ts'
import { type Locale, localeOf } from '../core/locale.ts'
import type { MailContent } from '../mail/index.ts'
import { de } from './mails/locales/de.ts'
import { en } from './mails/locales/en.ts'
import { es } from './mails/locales/es.ts'
import { fr } from './mails/locales/fr.ts'
import { pl } from './mails/locales/pl.ts'
import { ru } from './mails/locales/ru.ts'
import { tr } from './mails/locales/tr.ts'
import { uk } from './mails/locales/uk.ts'

/** The texts of all mails of an organization, in one language. A language that lacks one does not compile. */
export type OrganizationMailTexts = Readonly<Record<keyof typeof en, string>>

export const organizationMailTexts: Readonly<Record<Locale, OrganizationMailTexts>> = { ru, uk, en, es, de, pl, fr, tr }

export interface InvitationMail {
  /** The invited address. */
  readonly email: string
  /** Name of the account with this address; empty when there is none. */
  readonly name: string
  /** The language's number, null for English. */
  readonly language: number | null
  /** Undefined: an operator. */
  readonly inviterName: string | undefined
  readonly organization: { readonly name: string; readonly slug: string }
  readonly url: string
  readonly ttlSeconds: number
}

/** Names that could carry a message (security baseline, section 7) are left out: the organization's slug replaces its name, or nothing. */
export const invitationMail = ({ email, name, inviterName, organization, ...mail }: InvitationMail): MailContent => {
  const locale = localeOf(mail.language) ?? 'en'
  const texts = organizationMailTexts[locale]
  const say = (key: keyof OrganizationMailTexts, values: Readonly<Record<string, string>> = {}) => fillIn(texts[key], values)
  const called = [organization.name, organization.slug].find(isPlainName)
  const text = () => {
    if (called === undefined) return say('invitation.textNameless')
    const named = { organization: called }
    return inviterName !== undefined && isPlainName(inviterName)
      ? say('invitation.text', { ...named, inviter: inviterName })
      : say('invitation.textUnnamed', named)
  }
  return {
    language: locale,
    subject: called === undefined ? say('invitation.subjectNameless') : say('invitation.subject', { organization: called }),
    heading: isPlainName(name) ? say('helloName', { name }) : say('hello'),
    paragraphs: [text()],
    action: { label: say('invitation.action'), url: mail.url },
    footnote: say('invitation.foot', { email, time: durationIn(locale, mail.ttlSeconds) }),
  }
}
