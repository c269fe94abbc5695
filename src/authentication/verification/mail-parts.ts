import { durationIn, isPlainName, timeIn } from '../../core/language.ts'
import { localeOf } from '../../core/locale.ts'
import { type MailKey, type MailValues, type PlainMailKey, sayIn, type TextsIn } from '../../core/mail-texts.ts'
import type { Fact, MailContent } from '../../mail/index.ts'

/** The texts of all mails about an account. */
export type AccountMailTexts = TextsIn<MailKey<'account'>>
type PlainKey = PlainMailKey<'account'>

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

/** Where the button of a notice leads: until that time to the answer "this was not me"; without a time to a page for people who can sign in. */
export interface NoticeAnswer {
  readonly url: string
  readonly ttlSeconds?: number
}

/** How the account was changed, for the rows of a notice. */
export interface Change extends Circumstances {
  readonly at: Date
  /** True if the mail has no rows for device and network, and a line names the administrator as the actor. */
  readonly isByAdministrator?: boolean
}

/** The common parts of mails about accounts. */
export const createMailParts = (textsIn: AccountMailTexts) => {
  /** The texts in the language of the recipient; `begin` gives what every mail to them begins with. */
  const textsFor = ({ name, language }: Addressee) => {
    const locale = localeOf(language) ?? 'en'
    const text = sayIn<'account'>(textsIn(locale))
    const heading = isPlainName(name) ? text('helloName', { name }) : text('hello')
    const begin = <K extends MailKey<'account'>>(subject: K, ...values: MailValues<'account', K>) => ({
      ...{ language: locale, subject: text(subject, ...values), heading },
    })
    return { locale, text, begin }
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

  /** Button and last words of a notice. `other`: for a notice that leads to a page for people who can sign in. */
  const answerOf = (
    to: Addressee,
    { url, ttlSeconds }: NoticeAnswer,
    other: { readonly label: PlainKey; readonly foot: PlainKey },
  ): Pick<MailContent, 'action' | 'footnote'> => {
    const { locale, text } = textsFor(to)
    if (ttlSeconds === undefined) return { action: { label: text(other.label), url }, footnote: text(other.foot) }
    const once = text('validOnce', { time: durationIn(locale, ttlSeconds) })
    return { action: { label: text('notMe.action'), url }, footnote: `${text('fine')} ${text('notMe.foot')} ${once}` }
  }

  return { textsFor, factsOf, byWhom, answerOf }
}
export type MailParts = ReturnType<typeof createMailParts>
