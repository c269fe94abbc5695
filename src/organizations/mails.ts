import { durationIn, isPlainName } from '../core/language.ts'
import { localeOf } from '../core/locale.ts'
import { type MailKey, sayIn, type TextsIn } from '../core/mail-texts.ts'
import type { MailContent, MailSample } from '../mail/index.ts'

/** Texts of all mails about organizations. */
export type OrganizationMailTexts = TextsIn<MailKey<'organizations'>>

export interface InvitationMail {
  /** The invited email address. */
  readonly email: string
  /** The name of the account with the invited address. Empty if the address has no account. */
  readonly name: string
  /** The number of the mail's language. Null for English. */
  readonly language: number | null
  /** The name of the person who invites. Undefined if an operator invites. */
  readonly inviterName: string | undefined
  readonly organization: { readonly name: string; readonly slug: string; readonly logo: string | null }
  /** The name of the operator of this instance. Undefined if it is not configured. */
  readonly company: string | undefined
  readonly url: string
  readonly ttlSeconds: number
}

/**
 * The mail that invites a person. A name that could contain a message is not written into the mail (security baseline, section 7). If
 * that is the organization's name, its slug takes the place.
 */
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
  // The logo is shown only if it comes from this server over TLS. Another server would learn who reads the mail.
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

/** A sample of the invitation mail. Its link does not work. `url` is the public URL of the instance. */
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

export interface OwnershipMail {
  readonly kind: 'ownership-received' | 'ownership-given'
  /** Name of the recipient. */
  readonly name: string
  readonly language: number | null
  readonly organization: { readonly name: string; readonly slug: string }
  /** The name of the other person: in the mail to the new owner the former one, and in the mail to the former owner the new one. */
  readonly other: string
  readonly url: string
}

/**
 * The mail that tells the new and the former owner about a transfer. As in invitations, a name that could contain a message is not
 * written into the mail.
 */
export const ownershipMail = (mail: OwnershipMail, textsIn: OrganizationMailTexts): MailContent => {
  const { kind, name, organization, other, url } = mail
  const locale = localeOf(mail.language) ?? 'en'
  const say = sayIn<'organizations'>(textsIn(locale))
  const isReceived = kind === 'ownership-received'
  const facts = [
    { label: say('fact.organization'), value: [organization.name, organization.slug].find(isPlainName) ?? '' },
    { label: say(isReceived ? 'fact.formerOwner' : 'fact.newOwner'), value: isPlainName(other) ? other : '' },
  ]
  return {
    language: locale,
    subject: say(isReceived ? 'ownership.receivedSubject' : 'ownership.givenSubject'),
    heading: isPlainName(name) ? say('helloName', { name }) : say('hello'),
    paragraphs: [say(isReceived ? 'ownership.receivedText' : 'ownership.givenText')],
    facts: facts.filter(({ value }) => value !== ''),
    action: { label: say('ownership.action'), url },
    footnote: say('ownership.foot'),
  }
}

/** Samples of the mails to the new and to the former owner. `url` is the public URL of the instance. */
export const ownershipSamples = (url: string, textsIn: OrganizationMailTexts): readonly MailSample[] =>
  (['ownership-received', 'ownership-given'] as const).map((kind) => ({
    kind,
    content: ({ name, language }) =>
      ownershipMail(
        {
          ...{ kind, name, language, other: 'Ann Example', url: `${url}/account/organizations/example` },
          organization: { name: 'Example Ltd', slug: 'example' },
        },
        textsIn,
      ),
  }))
