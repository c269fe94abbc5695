import { readFileSync } from 'node:fs'
import type english from '../../admin-ui/locales/mails/en.json'
import type { MailParameters } from '../../admin-ui/locales/parameters.ts'
import { fillIn } from './language.ts'
import type { Locale } from './locale.ts'

type English = typeof english
type MailFile = { readonly [C in MailCatalogue]: Readonly<Record<MailKey<C>, string>> }

/** A catalogue of texts: those of one feature's mails, or the frame of every mail. */
export type MailCatalogue = keyof English
export type MailKey<C extends MailCatalogue> = keyof English[C] & string

type ParametersOf<C extends MailCatalogue, K> = C extends keyof MailParameters
  ? K extends keyof MailParameters[C]
    ? MailParameters[C][K] & string
    : never
  : never
/** Texts without parameters. */
export type PlainMailKey<C extends MailCatalogue> = Exclude<
  MailKey<C>,
  C extends keyof MailParameters ? keyof MailParameters[C] : never
>
export type MailValues<C extends MailCatalogue, K> = [ParametersOf<C, K>] extends [never]
  ? []
  : [values: Readonly<Record<ParametersOf<C, K>, string>>]

/** Texts by their keys. A language is loaded when it is first used. */
export type TextsIn<Key extends string> = (locale: Locale) => Readonly<Record<Key, string>>
export type MailTexts = <C extends MailCatalogue>(catalogue: C) => TextsIn<MailKey<C>>

/** The files stand next to this source, and later next to the bundle: `bin/bundle.ts` adds files that are addressed in this way. */
const files: Readonly<Record<Locale, URL>> = {
  ru: new URL('../../admin-ui/locales/mails/ru.json', import.meta.url),
  uk: new URL('../../admin-ui/locales/mails/uk.json', import.meta.url),
  en: new URL('../../admin-ui/locales/mails/en.json', import.meta.url),
  es: new URL('../../admin-ui/locales/mails/es.json', import.meta.url),
  de: new URL('../../admin-ui/locales/mails/de.json', import.meta.url),
  pl: new URL('../../admin-ui/locales/mails/pl.json', import.meta.url),
  fr: new URL('../../admin-ui/locales/mails/fr.json', import.meta.url),
  tr: new URL('../../admin-ui/locales/mails/tr.json', import.meta.url),
}

/** Gatehouse's texts of mails. Each language is read once. */
export const createMailTexts = (): MailTexts => {
  const read = new Map<Locale, MailFile>()
  const textsIn = (locale: Locale): MailFile => {
    const known = read.get(locale)
    if (known !== undefined) return known
    const texts: MailFile = JSON.parse(readFileSync(files[locale], 'utf8'))
    read.set(locale, texts)
    return texts
  }
  return (catalogue) => (locale) => textsIn(locale)[catalogue]
}

/** Formats a text of a mail. A call without the parameters of the text does not compile. */
export type Say<C extends MailCatalogue> = <K extends MailKey<C>>(key: K, ...values: MailValues<C, K>) => string

export const sayIn =
  <C extends MailCatalogue>(texts: Readonly<Record<MailKey<C>, string>>): Say<C> =>
  (key, ...[values = {}]) =>
    fillIn(texts[key], values)
