/// <reference types="vite/types/importMeta.d.ts" />
import type { Locale } from '../../src/core/locale.ts'
import type account from '../locales/account/en.json'
import type consoleTexts from '../locales/console/en.json'
import type organizations from '../locales/organizations/en.json'
import type pages from '../locales/pages/en.json'
import type { Parameters } from '../locales/parameters.ts'

type Hosted = typeof pages & typeof account & typeof organizations
/** Names of the catalogues that only some hosted pages need. */
export type HostedCatalogue = Exclude<keyof Hosted, 'pages' | 'server'>
/** Catalogues of the console, which has its own loaders (`admin-ui/console/texts.ts`). */
export type ConsoleCatalogue = keyof typeof consoleTexts | 'settings'
export type CatalogueName = HostedCatalogue | ConsoleCatalogue

type KeysOf<T> = { [N in keyof T]: keyof T[N] }[keyof T]
/** Keys of all texts of pages and console. */
export type Key = KeysOf<Hosted> | KeysOf<typeof consoleTexts>

/** A text that depends on a number. It has one form for each plural category of the language. */
type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
/** The texts of the catalogue of every page and of the other loaded catalogues. */
export type Messages = Readonly<Partial<Record<Key, string | Plural>>>

/** The placeholders in the English text of a key. */
export type ParamsOf<K extends Key> = K extends keyof Parameters ? Parameters[K] : never
/** Keys of texts without parameters. */
export type PlainKey = Exclude<Key, keyof Parameters>
type Params<K extends Key, V> = [ParamsOf<K>] extends [never] ? [] : [values: Readonly<Record<ParamsOf<K>, V>>]

/** The files of a catalogue, one for each language, loaded on demand (`admin-ui/texts.ts`). */
export type TextFiles = Readonly<Record<string, () => Promise<object>>>

const ofEveryPage: TextFiles = import.meta.glob('../locales/pages/*.json', { query: '?only=pages', import: 'pages' })

/** Loads a catalogue in a language. It is empty if there is no file, for example for server texts in English. */
const load = async (files: TextFiles, locale: Locale): Promise<object> => {
  const path = Object.keys(files).find((name) => name.endsWith(`/${locale}.json`)) ?? ''
  return (await files[path]?.()) ?? {}
}

export interface I18n {
  readonly locale: Locale
  /** Loaded catalogues in addition to the catalogue of every page. */
  readonly catalogues: readonly CatalogueName[]
  /** Returns the text of an error code. Undefined if no loaded catalogue contains the code. */
  readonly serverMessage: (code: string) => string | undefined
  /** Returns the text for a key that the server has sent. Undefined if there is no such text. */
  readonly told: (key: string, values?: Readonly<Record<string, string | number>>) => string | undefined
  readonly t: <K extends Key>(key: K, ...params: Params<K, string | number>) => string
  /**
   * Splits a text at its placeholders, so that elements can be put in their places. Parts with an odd index are the names of the
   * placeholders.
   */
  readonly parts: (key: Key, count?: number) => readonly string[]
  /** Formats a time, which the server sends in ISO 8601. */
  readonly dateTime: (at: string) => string
  readonly date: (at: string) => string
  /** The distance to a past time in the largest fitting unit: "5 minutes ago". */
  readonly ago: (at: string, now: Date) => string
  /** The distance to a future time in the largest fitting unit: "in 2 days". */
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

/** Makes the texts and formats of a language. `tag` is the browser's language tag, because `en-GB` has other dates than `en`. */
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
    // Distances to past times are rounded down, and distances to future times to the nearest unit.
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

/**
 * Loads the texts of a language, or the English texts if its files do not load. `languages` are those that the browser prefers.
 * `ownTexts` loads the texts that the operator has changed.
 */
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
