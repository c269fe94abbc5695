import { durationIn, isPlainName, timeIn } from '../../core/language.ts'
import { localeOf } from '../../core/locale.ts'
import { type MailKey, type MailValues, type PlainMailKey, sayIn, type TextsIn } from '../../core/mail-texts.ts'
import type { Fact, MailContent } from '../../mail/index.ts'

/** The texts of all mails about an account. */
export type AccountMailTexts = TextsIn<MailKey<'account'>>
type PlainKey = PlainMailKey<'account'>

/** The recipient of a mail. `language` is the number of a language; null means English. */
export interface Addressee {
  readonly name: string
  readonly language: number | null
  /** The IANA name of the recipient's time zone. If it is null or absent, the mail shows times in UTC. */
  readonly timeZone?: string | null
}

interface Circumstances {
  /** The browser and network of a change or request, such as `Firefox on Linux, 203.0.113.9`. */
  readonly place?: string | undefined
  readonly at?: Date
}

/**
 * The URL to which the button in a notice leads. With `ttlSeconds`, the button answers "this was not me", and works for that long.
 * Without it, the button opens a page for people who can sign in.
 */
export interface NoticeAnswer {
  readonly url: string
  readonly ttlSeconds?: number
}

/** The circumstances of a change, as the table in a notice shows them. */
export interface Change extends Circumstances {
  readonly at: Date
  /** True if an administrator made the change. The mail then says so in a line of text, and shows no device and no network. */
  readonly isByAdministrator?: boolean
}

/** The parts that the contents of all mails about accounts share. */
export const createMailParts = (textsIn: AccountMailTexts) => {
  /** The texts in the recipient's language. `begin` makes the lines with which every mail begins. */
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

  /** The button and the last line of a notice. `other` has the words for a button that opens a page for people who can sign in. */
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
