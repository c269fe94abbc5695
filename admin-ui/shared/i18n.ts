import { en } from './locales/en.ts'

/** A text that depends on a number; the forms are those of `Intl.PluralRules` for the language. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

type English = typeof en
export type Key = keyof English
/** What a language file holds: every key of the English one, plurals where English has them. */
export type Messages = { readonly [K in Key]: English[K] extends string ? string : Plural }

type Names<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type TextOf<K extends Key> = English[K] extends string ? English[K] : English[K] extends Plural ? English[K]['other'] : never
/** The names between braces in the English text of a key. */
export type ParamsOf<K extends Key> = Names<TextOf<K>>

type Params<K extends Key, V> = [ParamsOf<K>] extends [never] ? [] : [values: Readonly<Record<ParamsOf<K>, V>>]

/** The languages there are; each but English is a file of its own, loaded when it is wanted. */
const loaders: Readonly<Record<string, () => Promise<Messages>>> = {
  en: async () => en,
}

/** The first wanted language that exists: the exact tag, else its primary part; else English. */
export const pickLocale = (wanted: readonly string[], known: readonly string[] = Object.keys(loaders)): string => {
  for (const tag of wanted) {
    const lower = tag.toLowerCase()
    const found = known.find((name) => name === lower) ?? known.find((name) => name === lower.split('-')[0])
    if (found !== undefined) return found
  }
  return 'en'
}

/** Wanted languages in order: `ui_locales` of OpenID Connect (blank-separated tags), then the browser's. */
export const wantedLocales = (query: URLSearchParams, languages: readonly string[]): readonly string[] => [
  ...(query.get('ui_locales') ?? '').split(' ').filter((tag) => tag !== ''),
  ...languages,
]

export interface I18n {
  readonly locale: string
  readonly t: <K extends Key>(key: K, ...params: Params<K, string | number>) => string
  /** The text cut at its braces: odd places are names. For texts with elements inside. */
  readonly parts: (key: Key, count?: number) => readonly string[]
  readonly dateTime: (date: Date) => string
  readonly date: (date: Date) => string
}

export const createI18n = (locale: string, messages: Messages): I18n => {
  const plurals = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  const dateTimes = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })

  const parts = (key: Key, count?: number) => {
    const message: string | Plural = messages[key]
    const text = typeof message === 'string' ? message : (message[plurals.select(count ?? 0)] ?? message.other)
    return text.split(/\{(\w+)\}/)
  }
  const fill = (key: Key, values: Readonly<Record<string, string | number>>) => {
    const count = typeof values['count'] === 'number' ? values['count'] : undefined
    return parts(key, count)
      .map((part, index) => {
        if (index % 2 === 0) return part
        const value = values[part] ?? ''
        return typeof value === 'number' ? numbers.format(value) : value
      })
      .join('')
  }
  return {
    locale,
    t: (key, ...params) => fill(key, params[0] ?? {}),
    parts,
    dateTime: (date) => dateTimes.format(date),
    date: (date) => dates.format(date),
  }
}

/** Picks and loads the language of this page. */
export const loadI18n = async (query: URLSearchParams, languages: readonly string[]): Promise<I18n> => {
  const locale = pickLocale(wantedLocales(query, languages))
  const messages = await (loaders[locale] ?? (async () => en))()
  return createI18n(locale, messages)
}
