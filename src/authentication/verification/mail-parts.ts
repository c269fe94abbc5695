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

/** Where the button of a notice leads: for so long to the answer "this was not me"; without a time to a page for whoever can sign in. */
export interface NoticeAnswer {
  readonly url: string
  readonly ttlSeconds?: number
}

/** How the account was changed, for the rows of a notice. */
export interface Change extends Circumstances {
  readonly at: Date
  /** The rows name no place, and a line says who it was. */
  readonly isByAdministrator?: boolean
}

/** What mails about accounts share, in the texts of `catalogues`. */
export const createMailParts = (catalogues: Catalogues<keyof AccountMailTexts>) => {
  /** The texts in the language of the recipient; `begin` gives what every mail to them begins with. */
  const textsFor = ({ name, language }: Addressee) => {
    const locale = localeOf(language) ?? 'en'
    const texts = catalogues[locale]
    const text = (key: keyof AccountMailTexts, values: Readonly<Record<string, string>> = {}) => fillIn(texts[key], values)
    const heading = isPlainName(name) ? text('helloName', { name }) : text('hello')
    const begin = (subject: keyof AccountMailTexts, values?: Readonly<Record<string, string>>) => ({
      ...{ language: locale, subject: text(subject, values), heading },
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

  return { textsFor, factsOf, byWhom, answerOf }
}
export type MailParts = ReturnType<typeof createMailParts>
