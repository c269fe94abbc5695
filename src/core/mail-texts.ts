import { readFileSync } from 'node:fs'
import type english from '../../admin-ui/locales/mails/en.json'
import type { MailParameters } from '../../admin-ui/locales/parameters.ts'
import { fillIn } from './language.ts'
import type { Locale } from './locale.ts'

type English = typeof english
type MailFile = { readonly [C in MailCatalogue]: Readonly<Record<MailKey<C>, string>> }

/** The name of a group of mail texts: the texts of one feature's mails, or of the frame around every mail. */
export type MailCatalogue = keyof English
export type MailKey<C extends MailCatalogue> = keyof English[C] & string

type ParametersOf<C extends MailCatalogue, K> = C extends keyof MailParameters
  ? K extends keyof MailParameters[C]
    ? MailParameters[C][K] & string
    : never
  : never
/** The keys of those texts that have no parameters. */
export type PlainMailKey<C extends MailCatalogue> = Exclude<
  MailKey<C>,
  C extends keyof MailParameters ? keyof MailParameters[C] : never
>
export type MailValues<C extends MailCatalogue, K> = [ParametersOf<C, K>] extends [never]
  ? []
  : [values: Readonly<Record<ParametersOf<C, K>, string>>]

/** Returns the texts of a language by their keys. The texts of a language are loaded when they are first used. */
export type TextsIn<Key extends string> = (locale: Locale) => Readonly<Record<Key, string>>
export type MailTexts = <C extends MailCatalogue>(catalogue: C) => TextsIn<MailKey<C>>

/**
 * The files with the texts. `new URL` with `import.meta.url` also finds them in the bundle, because `bin/bundle.ts` copies files that are
 * named in this way.
 */
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

/** Reads gatehouse's texts for mails. The texts of a language are read once. */
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

/** Formats a text for a mail. The compiler requires the parameters that the text has. */
export type Say<C extends MailCatalogue> = <K extends MailKey<C>>(key: K, ...values: MailValues<C, K>) => string

export const sayIn =
  <C extends MailCatalogue>(texts: Readonly<Record<MailKey<C>, string>>): Say<C> =>
  (key, ...[values = {}]) =>
    fillIn(texts[key], values)
