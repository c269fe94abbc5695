import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { languageNames } from '../../admin-ui/shared/language.ts'
import type { Catalogue, Texts } from '../../admin-ui/texts.ts'
import {
  catalogueModule,
  directory,
  formatted,
  formsOf,
  missingTexts,
  parametersFile,
  parametersModule,
  problemsOf,
  readTexts,
} from '../../admin-ui/texts.ts'
import { locales } from '../../src/core/locale.ts'
import { namedIn } from '../support/text-keys.ts'

const texts = readTexts()
const read = (path: string) => readFileSync(path, 'utf8')

/** Every text of a language with the English one. */
const translated = Object.entries(texts).flatMap(([bundle, files]) =>
  Object.entries(files).flatMap(([locale, file]) =>
    Object.entries(file).flatMap(([catalogue, own]) =>
      Object.entries(own).map(([key, text]) => ({
        bundle,
        locale,
        catalogue,
        key,
        text,
        english: files['en']?.[catalogue]?.[key],
      })),
    ),
  ),
)

/** Texts that equal the English ones, because they are the same word or only names. */
const mayBeAlike = new Set([
  'account.console',
  'device.code',
  'device.program',
  'account.deviceText',
  'account.profile',
  'code.label',
  'consent.new',
  'error.code',
  'error.description',
  'error.details',
  'error.requestId',
  'field.name',
  'invitation.title',
  'invite.team',
  'method.passkey',
  'org.invitations',
  'org.logo',
  'org.plan',
  'org.teams',
  'pager.range',
  'role.admin',
])

describe('the texts of all languages', () => {
  test('every language has every text of pages, mails and errors, with its parameters and each plural form of the language', () => {
    expect(problemsOf(texts, locales)).toEqual([])
  })

  test('the files generated from the English texts are up to date', () => {
    expect(read(parametersFile)).toBe(parametersModule(texts))
    for (const [bundle, files] of Object.entries(texts))
      for (const [language, file] of Object.entries(files))
        expect(read(join(directory, bundle, `${language}.json`)), `${bundle}/${language}.json`).toBe(
          formatted(file, files['en'] ?? {}),
        )
  })

  test('a text in another language differs from the English text', () => {
    const others = translated.filter(({ locale }) => locale !== 'en')
    const copied = others.filter(({ bundle, key, text, english = '' }) =>
      bundle === 'console' || bundle === 'settings'
        ? // Single words and names may be equal, and sentences may not.
          formsOf(english).some((form) => form.split(' ').length > 2 && formsOf(text).includes(form))
        : JSON.stringify(text) === JSON.stringify(english) && !mayBeAlike.has(key),
    )
    expect(copied.map(({ bundle, locale, key }) => `${bundle}/${locale}.json: ${key}`)).toEqual([])
  })

  test('every text is used somewhere', () => {
    const inPages = namedIn(['admin-ui/**/*.{ts,tsx}', 'src/http/*.ts'])
    const inMails = namedIn(['src/{mail,organizations,authentication/verification}/**/*.ts'])
    const unused = translated.filter(
      ({ bundle, locale, key }) => locale === 'en' && bundle !== 'settings' && !(bundle === 'mails' ? inMails : inPages)(key),
    )
    expect(unused.map(({ bundle, catalogue, key }) => `${bundle}: ${catalogue} ${key}`)).toEqual([])
  })

  test('every error message of the pages belongs to an existing error code', () => {
    const codes = new Set([...read('docs/reference/errors.md').matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code))
    const words = translated.filter(({ locale, key }) => locale === 'en' && key.startsWith('serverError.'))
    expect(words.map(({ key }) => key.slice('serverError.'.length)).filter((code) => !codes.has(code))).toEqual([])
  })
})

test('each language is offered once, under its own name', () => {
  expect(languageNames.map(([locale]) => locale).sort()).toEqual([...locales].sort())
  for (const [locale, name] of languageNames) {
    const own = new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? ''
    expect(name.toLocaleLowerCase(locale)).toBe(own.toLocaleLowerCase(locale))
  }
})

describe('the check of texts', () => {
  const english: Catalogue = {
    'a.title': 'A title',
    'a.for': 'For {name}',
    'a.rows': { one: '{count} row', other: '{count} rows' },
  }
  const polish: Catalogue = {
    'a.title': 'Tytuł',
    'a.for': 'Dla {name}',
    'a.rows': { one: '{count} wiersz', few: '{count} wiersze', many: '{count} wierszy', other: '{count} wiersza' },
  }
  const withPolish = (pl: Catalogue, bundle = 'pages'): Texts => ({ [bundle]: { en: { first: english }, pl: { first: pl } } })
  const problems = (pl: Catalogue, bundle?: string) => problemsOf(withPolish(pl, bundle), ['en', 'pl'])
  const { 'a.for': _, ...withoutOne } = polish

  test('texts with all keys, parameters and plural forms pass the check', () => expect(problems(polish)).toEqual([]))

  test.each([
    ['a missing text', withoutOne, 'first a.for is missing'],
    ['a text that English lacks', { ...polish, 'a.more': 'Więcej' }, 'first a.more is not in en.json'],
    ['another parameter', { ...polish, 'a.for': 'Dla {imię}' }, 'first a.for must have the parameters name'],
    ['a parameter too many', { ...polish, 'a.title': 'Tytuł {name}' }, 'first a.title must have no parameters'],
    ['a missing plural form', { ...polish, 'a.rows': { one: '{count} wiersz', other: '{count} wiersza' } }, 'few, many'],
    ['one text where English has a plural', { ...polish, 'a.rows': '{count}' }, 'must be a text for each plural form'],
    ['plural forms where English has one text', { ...polish, 'a.title': { other: 'Tytuł' } }, 'must be one text'],
    ['a text with a blank at its end', { ...polish, 'a.title': 'Tytuł ' }, 'must be one line without blanks around it'],
    ['another order', { 'a.for': 'Dla {name}', ...polish }, 'not in the order of en.json'],
  ])('the check of texts reports %s', (_name, pl, message) => {
    expect(problems(pl)).toEqual([expect.stringContaining(message)])
  })

  test('the check of texts reports a missing language', () => {
    expect(problemsOf(withPolish(polish), ['de', 'en', 'pl'])).toEqual(['pages/de.json is missing'])
  })

  test('the check of texts reports a key with different texts in two catalogues of the pages', () => {
    const one = { 'a.title': 'A title' }
    expect(problemsOf({ pages: { en: { first: one, second: one } } }, ['en'])).toEqual([])
    expect(problemsOf({ pages: { en: { first: one } }, console: { en: { second: { 'a.title': 'Another' } } } }, ['en'])).toEqual([
      'a.title has different words in first and second',
    ])
  })

  test('a console text that a language lacks is listed as missing, passes the check, and is shown in English', () => {
    expect(problems(withoutOne, 'console')).toEqual([])
    expect(missingTexts(withPolish(withoutOne, 'console'))).toEqual([
      { bundle: 'console', language: 'pl', catalogue: 'first', key: 'a.for', english: 'For {name}' },
    ])
    expect(catalogueModule('console', 'first', { first: withoutOne }, { first: english })).toBe(
      `export const first = ${JSON.stringify({ ...english, ...withoutOne })}`,
    )
  })

  test('if a language lacks the description of a setting, the pages omit the description and the server shows it in English', () => {
    expect(problems(withoutOne, 'settings')).toEqual([])
    expect(catalogueModule('settings', 'first', { first: withoutOne }, { first: english })).toBe(
      `export const first = ${JSON.stringify(withoutOne)}`,
    )
  })

  test('a catalogue of texts that the console has only in English is shown in English', () => {
    expect(problemsOf({ console: { en: { first: english }, pl: {} } }, ['en', 'pl'])).toEqual([])
    expect(catalogueModule('console', 'first', {}, { first: english })).toBe(`export const first = ${JSON.stringify(english)}`)
  })
})
