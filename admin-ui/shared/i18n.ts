/// <reference types="vite/types/importMeta.d.ts" />
import type { Locale } from '../../src/core/locale.ts'
import type account from '../locales/account/en.json'
import type consoleTexts from '../locales/console/en.json'
import type organizations from '../locales/organizations/en.json'
import type pages from '../locales/pages/en.json'
import type { Parameters } from '../locales/parameters.ts'

type Hosted = typeof pages & typeof account & typeof organizations
/** Texts that only some pages need, by the name of their catalogue. */
export type HostedCatalogue = Exclude<keyof Hosted, 'pages' | 'server'>
/** Texts of the console, which has loaders of its own (`admin-ui/console/texts.ts`). */
export type ConsoleCatalogue = keyof typeof consoleTexts | 'settings'
export type CatalogueName = HostedCatalogue | ConsoleCatalogue

type KeysOf<T> = { [N in keyof T]: keyof T[N] }[keyof T]
/** Every text of pages and console. */
export type Key = KeysOf<Hosted> | KeysOf<typeof consoleTexts>

/** A text that depends on a number: one for each plural form of its language. */
type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
/** The texts of every page, and those of the catalogues that have been loaded. */
export type Messages = Readonly<Partial<Record<Key, string | Plural>>>

/** The names between braces in the English text of a key. */
export type ParamsOf<K extends Key> = K extends keyof Parameters ? Parameters[K] : never
/** Texts without parameters. */
export type PlainKey = Exclude<Key, keyof Parameters>
type Params<K extends Key, V> = [ParamsOf<K>] extends [never] ? [] : [values: Readonly<Record<ParamsOf<K>, V>>]

/** The files of a catalogue: each language is one of its own, loaded when it is wanted (`admin-ui/texts.ts`). */
export type TextFiles = Readonly<Record<string, () => Promise<object>>>

const ofEveryPage: TextFiles = import.meta.glob('../locales/pages/*.json', { query: '?only=pages', import: 'pages' })

/** Nothing where the catalogue has no file of the language: what the server says in English. */
const load = async (files: TextFiles, locale: Locale): Promise<object> => {
  const path = Object.keys(files).find((name) => name.endsWith(`/${locale}.json`)) ?? ''
  return (await files[path]?.()) ?? {}
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
    const message = messages[key] ?? key
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
  const isConsole = (name: CatalogueName): name is ConsoleCatalogue => name === 'settings' || name.startsWith('console')
  const [more, ofConsole] = await Promise.all([
    catalogues.every(isConsole) ? undefined : import('./more-texts.ts'),
    catalogues.some(isConsole) ? import('../console/texts.ts') : undefined,
  ])
  const loaders: Readonly<Partial<Record<CatalogueName, TextFiles>>> = { ...more?.moreLoaders, ...ofConsole?.consoleLoaders }
  return Promise.all(catalogues.map((name) => load(loaders[name] ?? {}, locale)))
}

export const loadMessages = async (locale: Locale, catalogues: readonly CatalogueName[]): Promise<Messages> => {
  const [base, more] = await Promise.all([load(ofEveryPage, locale), loadMore(locale, catalogues)])
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
