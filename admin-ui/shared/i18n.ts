import type { Locale } from '../../src/core/locale.ts'
import type { ConsoleTexts } from '../console/locales/texts.ts'
import type { en as accountEn } from './locales/account/en.ts'
import type { en as consentEn } from './locales/consent/en.ts'
import type { en } from './locales/en.ts'
import type { en as linksEn } from './locales/links/en.ts'
import type { en as organizationsEn } from './locales/organizations/en.ts'
import type { en as secondFactorEn } from './locales/second-factor/en.ts'
import type { en as userNamesEn } from './locales/user-names/en.ts'

/** The plural forms of each language; those of `Intl.PluralRules`, which a test compares. */
export interface PluralForms {
  readonly ru: 'one' | 'few' | 'many' | 'other'
  readonly uk: 'one' | 'few' | 'many' | 'other'
  readonly en: 'one' | 'other'
  readonly es: 'one' | 'many' | 'other'
  readonly de: 'one' | 'other'
  readonly pl: 'one' | 'few' | 'many' | 'other'
  readonly fr: 'one' | 'many' | 'other'
  readonly tr: 'one' | 'other'
}

/** A text that depends on a number. */
type Plural<L extends Locale> = Readonly<Record<PluralForms[L], string>>
type AnyPlural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Texts that only some pages need, by the name of their catalogue. */
interface More {
  readonly account: typeof accountEn
  readonly consent: typeof consentEn
  readonly links: typeof linksEn
  readonly organizations: typeof organizationsEn
  readonly secondFactor: typeof secondFactorEn
  readonly userNames: typeof userNamesEn
}
export type HostedCatalogue = keyof More
/** Texts of the console, which has loaders of its own (`admin-ui/console/locales/loaders.ts`). */
export type ConsoleCatalogue = keyof ConsoleTexts
export type CatalogueName = HostedCatalogue | ConsoleCatalogue

type Every<T> = { [N in keyof T]: (texts: T[N]) => void }[keyof T] extends (texts: infer All) => void ? All : never

type English = typeof en &
  More['account'] &
  More['consent'] &
  More['links'] &
  More['organizations'] &
  More['secondFactor'] &
  More['userNames'] &
  Every<ConsoleTexts>
export type Key = keyof English

type Translated<E, L extends Locale> = { readonly [K in keyof E]: E[K] extends string ? string : Plural<L> }
/** What a language file holds: every key of the English one, and every form of its own plurals where English has plurals. */
export type MessagesOf<L extends Locale> = Translated<typeof en, L>
export type MoreMessagesOf<L extends Locale, C extends CatalogueName> = Translated<(More & ConsoleTexts)[C], L>
export type AccountMessagesOf<L extends Locale> = MoreMessagesOf<L, 'account'>
export type ConsentMessagesOf<L extends Locale> = MoreMessagesOf<L, 'consent'>
export type LinkMessagesOf<L extends Locale> = MoreMessagesOf<L, 'links'>
export type OrganizationMessagesOf<L extends Locale> = MoreMessagesOf<L, 'organizations'>
export type SecondFactorMessagesOf<L extends Locale> = MoreMessagesOf<L, 'secondFactor'>
export type UserNameMessagesOf<L extends Locale> = MoreMessagesOf<L, 'userNames'>

/** The texts of every page, and those of the catalogues that have been loaded. */
export type Messages = {
  readonly [L in Locale]: MessagesOf<L> &
    Partial<
      AccountMessagesOf<L> &
        ConsentMessagesOf<L> &
        LinkMessagesOf<L> &
        OrganizationMessagesOf<L> &
        SecondFactorMessagesOf<L> &
        UserNameMessagesOf<L> &
        Translated<Every<ConsoleTexts>, L>
    >
}[Locale]

type Names<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type TextOf<K extends Key> = English[K] extends string ? English[K] : English[K] extends AnyPlural ? English[K]['other'] : never
/** The names between braces in the English text of a key. */
export type ParamsOf<K extends Key> = Names<TextOf<K>>

type Params<K extends Key, V> = [ParamsOf<K>] extends [never] ? [] : [values: Readonly<Record<ParamsOf<K>, V>>]

/** Each language is a file of its own, loaded when it is wanted. */
const loaders: { readonly [L in Locale]: () => Promise<MessagesOf<L>> } = {
  ru: () => import('./locales/ru.ts').then(({ ru }) => ru),
  uk: () => import('./locales/uk.ts').then(({ uk }) => uk),
  en: () => import('./locales/en.ts').then(({ en }) => en),
  es: () => import('./locales/es.ts').then(({ es }) => es),
  de: () => import('./locales/de.ts').then(({ de }) => de),
  pl: () => import('./locales/pl.ts').then(({ pl }) => pl),
  fr: () => import('./locales/fr.ts').then(({ fr }) => fr),
  tr: () => import('./locales/tr.ts').then(({ tr }) => tr),
}

export interface I18n {
  readonly locale: Locale
  /** Catalogues that are there besides the one of every page. */
  readonly catalogues: readonly CatalogueName[]
  /** The words of a server's error code, where a catalogue has some. */
  readonly serverMessage: (code: string) => string | undefined
  /** The text of a key that an answer of the server makes; undefined where no catalogue has one. */
  readonly told: (key: string, values?: Readonly<Record<string, string | number>>) => string | undefined
  readonly t: <K extends Key>(key: K, ...params: Params<K, string | number>) => string
  /** The text cut at its braces: odd places are names. For texts with elements inside. */
  readonly parts: (key: Key, count?: number) => readonly string[]
  /** Points in time are ISO 8601 texts, as the server sends them. */
  readonly dateTime: (at: string) => string
  readonly date: (at: string) => string
  /** "5 minutes ago", in the greatest unit that fits. */
  readonly ago: (at: string, now: Date) => string
  /** "in 2 days", in the greatest unit that fits. */
  readonly ahead: (at: string, now: Date) => string
  readonly list: (words: readonly string[]) => string
  readonly number: (value: number) => string
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `tag` is the same language as the browser wants it written: `en-GB` has other dates than `en`. */
export const createI18n = (
  locale: Locale,
  messages: Messages,
  tag: string = locale,
  catalogues: readonly CatalogueName[] = [],
): I18n => {
  const plurals = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(tag)
  const dateTimes = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' })
  const dates = new Intl.DateTimeFormat(tag, { dateStyle: 'long' })
  const distances = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const lists = new Intl.ListFormat(tag, { type: 'conjunction' })

  const parts = (key: Key, count?: number) => {
    const message: string | AnyPlural = messages[key] ?? key
    const text = typeof message === 'string' ? message : (message[plurals.select(count ?? 0)] ?? message.other)
    return text.split(/\{(\w+)\}/)
  }
  const distance = (from: Date, to: Date, sign: 1 | -1) => {
    const seconds = Math.max(0, (to.getTime() - from.getTime()) / 1000)
    const [unit, length] = units.find(([, least]) => seconds >= least) ?? (['minute', 60] as const)
    // What is over is not made longer; what is to come is as near as it is.
    return distances.format(sign === 1 ? Math.round(seconds / length) : -Math.floor(seconds / length), unit)
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
  const told: I18n['told'] = (key, values = {}) => (Object.hasOwn(messages, key) ? fill(key as Key, values) : undefined)
  return {
    locale,
    catalogues,
    serverMessage: (code) => told(`serverError.${code}`),
    told,
    t: (key, ...params) => fill(key, params[0] ?? {}),
    parts,
    dateTime: (at) => dateTimes.format(new Date(at)),
    date: (at) => dates.format(new Date(at)),
    ago: (at, now) => distance(new Date(at), now, -1),
    ahead: (at, now) => distance(now, new Date(at), 1),
    list: (words) => lists.format(words),
    number: (value) => numbers.format(value),
  }
}

const loadMore = async (locale: Locale, catalogues: readonly CatalogueName[]): Promise<readonly object[]> => {
  if (catalogues.length === 0) return []
  const isConsole = (name: CatalogueName): name is ConsoleCatalogue => name.startsWith('console')
  const hosted = catalogues.filter((name) => !isConsole(name)) as readonly HostedCatalogue[]
  const [{ moreLoaders }, console] = await Promise.all([
    import('./locales/more.ts'),
    catalogues.some(isConsole) ? import('../console/locales/loaders.ts') : undefined,
  ])
  return Promise.all([
    ...hosted.map((name) => moreLoaders[name][locale]()),
    ...catalogues.filter(isConsole).map((name) => console?.loadConsoleTexts(name, locale) ?? {}),
  ])
}

export const loadMessages = async (locale: Locale, catalogues: readonly CatalogueName[]): Promise<Messages> => {
  const [base, more] = await Promise.all([loaders[locale](), loadMore(locale, catalogues)])
  return Object.assign({}, base, ...more)
}

/** Loads a language, or English when its files do not arrive. `languages` are the browser's; `ownTexts` what the operator says in other words. */
export const loadI18n = async (
  locale: Locale,
  languages: readonly string[],
  catalogues: readonly CatalogueName[] = [],
  ownTexts: (locale: Locale) => Promise<object> = async () => ({}),
): Promise<I18n> => {
  const tag = languages.find((language) => language.toLowerCase().split('-')[0] === locale)
  try {
    const [messages, own] = await Promise.all([loadMessages(locale, catalogues), ownTexts(locale)])
    return createI18n(locale, { ...messages, ...own }, tag, catalogues)
  } catch {
    return createI18n('en', await loadMessages('en', catalogues), 'en', catalogues)
  }
}
