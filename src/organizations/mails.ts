import { durationIn, isPlainName } from '../core/language.ts'
import { localeOf } from '../core/locale.ts'
import { type MailKey, sayIn, type TextsIn } from '../core/mail-texts.ts'
import type { MailContent, MailSample } from '../mail/index.ts'

/** Texts of all mails about organizations. */
export type OrganizationMailTexts = TextsIn<MailKey<'organizations'>>

export interface InvitationMail {
  /** The invited address. */
  readonly email: string
  /** Name of the account with this address. Empty if there is none. */
  readonly name: string
  /** The number of the language. Null for English. */
  readonly language: number | null
  /** Undefined if an operator invites. */
  readonly inviterName: string | undefined
  readonly organization: { readonly name: string; readonly slug: string; readonly logo: string | null }
  /** Name of the operator of this instance. Undefined if it is not configured. */
  readonly company: string | undefined
  readonly url: string
  readonly ttlSeconds: number
}

/** A mail leaves out names that could contain a message (security baseline, section 7). The organization's slug takes the place of its name. */
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
  // Only a logo from this server over TLS is shown. Another server would learn who reads the mail.
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

/** A sample of the invitation, with an invalid link. `url` is the public address. */
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
  /** Name of the other person: the new owner for the former one, and the reverse. */
  readonly other: string
  readonly url: string
}

/** Notifies the new and the former owner. As in invitations, names that could contain a message are left out. */
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

/** Samples of both mails. `url` is the public address. */
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
