import { durationIn, isPlainName } from '../core/language.ts'
import { localeOf } from '../core/locale.ts'
import { type MailKey, sayIn, type TextsIn } from '../core/mail-texts.ts'
import type { MailContent, MailSample } from '../mail/index.ts'

/** The texts of all mails of an organization. */
export type OrganizationMailTexts = TextsIn<MailKey<'organizations'>>

export interface InvitationMail {
  /** The invited address. */
  readonly email: string
  /** Name of the account with this address; empty when there is none. */
  readonly name: string
  /** The language's number, null for English. */
  readonly language: number | null
  /** Undefined: an operator. */
  readonly inviterName: string | undefined
  readonly organization: { readonly name: string; readonly slug: string; readonly logo: string | null }
  /** The name of the operator of this instance; undefined: none is configured. */
  readonly company: string | undefined
  readonly url: string
  readonly ttlSeconds: number
}

/** Names that could carry a message (security baseline, section 7) are left out: the organization's slug replaces its name, or nothing. */
export const invitationMail = (
  { email, name, inviterName, organization, company, ...mail }: InvitationMail,
  textsIn: OrganizationMailTexts,
): MailContent => {
  const locale = localeOf(mail.language) ?? 'en'
  const say = sayIn<'organizations'>(textsIn(locale))
  const called = [organization.name, organization.slug].find(isPlainName)
  const inviter = inviterName !== undefined && isPlainName(inviterName) ? inviterName : undefined
  const text = () => {
    if (called === undefined) return say('invitation.textNameless')
    const named = { organization: called }
    return inviter === undefined ? say('invitation.textUnnamed', named) : say('invitation.text', { ...named, inviter })
  }
  // Served here over TLS, or not at all: another server would learn who reads the mail.
  const { protocol, origin } = new URL(mail.url)
  const isShown = protocol === 'https:' && organization.logo?.startsWith(`${origin}/images/`) === true
  const subject = () => {
    if (called === undefined) return say('invitation.subjectNameless')
    if (inviter === undefined) return say('invitation.subject', { organization: called })
    const named = { inviter, organization: called }
    return company === undefined ? say('invitation.subjectBy', named) : say('invitation.subjectByOn', { ...named, company })
  }
  return {
    reason: 'invitation',
    language: locale,
    subject: subject(),
    picture: isShown && organization.logo !== null ? { url: organization.logo, alt: called ?? '' } : undefined,
    heading: isPlainName(name) ? say('helloName', { name }) : say('hello'),
    paragraphs: [text()],
    action: { label: say('invitation.action'), url: mail.url },
    footnote: say('invitation.foot', { email, time: durationIn(locale, mail.ttlSeconds) }),
  }
}

/** The invitation as its reader would get it, with a link that opens nothing. `url`: the public address. */
export const invitationSample = (url: string, textsIn: OrganizationMailTexts, ttlSeconds: number): MailSample => ({
  kind: 'invitation',
  content: ({ name, email, language }) =>
    invitationMail(
      {
        ...{ email, name, language, inviterName: 'Ann Example', company: undefined, ttlSeconds },
        organization: { name: 'Example Ltd', slug: 'example', logo: null },
        url: `${url}/invitation/example`,
      },
      textsIn,
    ),
})
