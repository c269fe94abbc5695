import { describe, expect, test } from 'vitest'
import { textKeyOf } from '../../../admin-ui/console/ways-in/setting-values.ts'
import enTexts from '../../../admin-ui/locales/pages/en.json' with { type: 'json' }
import plTexts from '../../../admin-ui/locales/pages/pl.json' with { type: 'json' }
import ruTexts from '../../../admin-ui/locales/pages/ru.json' with { type: 'json' }
import settingsTexts from '../../../admin-ui/locales/settings/en.json' with { type: 'json' }
import { createI18n, type I18n } from '../../../admin-ui/shared/i18n.ts'
import { chooseLocale } from '../../../admin-ui/shared/language.ts'
import { languageCodes } from '../../../src/core/locale.ts'

const { pages: en } = enTexts
const { pages: pl } = plTexts
const { pages: ru } = ruTexts

describe('the language of a page', () => {
  const wishes = { user: languageCodes.pl, chosen: 'tr', uiLocales: 'fr-CA de', browser: ['ru-RU', 'en'] }

  test.each([
    ['of the signed-in person', wishes, 'pl'],
    ['chosen in this browser', { ...wishes, user: null }, 'tr'],
    ['that the application asked for', { ...wishes, user: null, chosen: undefined }, 'fr'],
    ['of the browser', { ...wishes, user: null, chosen: undefined, uiLocales: null }, 'ru'],
    ['English when no available language is named', { chosen: 'xx', uiLocales: 'ja zh', browser: ['nl'] }, 'en'],
    ['the next available one', { chosen: undefined, uiLocales: 'ja es-419', browser: ['de'] }, 'es'],
  ] as const)('the language of a page is %s', (_, who, expected) => expect(chooseLocale(who)).toBe(expected))
})

describe('texts of the pages', () => {
  test.each([
    [1, '1 more character needed'],
    [2, '2 more characters needed'],
  ])('a number is counted in English: %i', (count, text) =>
    expect(createI18n('en', en).t('strength.short', { count })).toBe(text),
  )

  test.each([
    [1, 'Нужен ещё 1 символ'],
    [3, 'Нужно ещё 3 символа'],
    [5, 'Нужно ещё 5 символов'],
    [11, 'Нужно ещё 11 символов'],
    [21, 'Нужен ещё 21 символ'],
  ])('a number is counted in Russian: %i', (count, text) =>
    expect(createI18n('ru', ru).t('strength.short', { count })).toBe(text),
  )

  test.each([
    [1, 'Sprawdź 1 pole'],
    [4, 'Sprawdź 4 pola'],
    [5, 'Sprawdź 5 pól'],
    [22, 'Sprawdź 22 pola'],
  ])('a number is counted in Polish: %i', (count, text) => expect(createI18n('pl', pl).t('problem.fields', { count })).toBe(text))

  test('a placeholder is filled in once, and the inserted text is not read for placeholders', () => {
    expect(createI18n('en', en).t('social.continueWith', { provider: '{provider} $& {host}' })).toBe(
      'Continue with {provider} $& {host}',
    )
  })

  test('dates follow the regional variant of the language that the browser names', () => {
    const at = '2026-11-21T12:00:00.000Z'
    expect(createI18n('en', en, 'en-GB').date(at)).toBe('21 November 2026')
    expect(createI18n('en', en, 'en-US').date(at)).toBe('November 21, 2026')
    expect(createI18n('ru', ru).date(at)).toBe('21 ноября 2026 г.')
  })

  test.each([
    [0, 'this minute'],
    [59, 'this minute'],
    [60, '1 minute ago'],
    [3_600, '1 hour ago'],
    [86_400, 'yesterday'],
    [3 * 86_400, '3 days ago'],
    [40 * 86_400, 'last month'],
    [800 * 86_400, '2 years ago'],
    [-10, 'this minute'],
  ])('a time %i s ago is shown in the largest unit that fits', (seconds, text) => {
    const now = new Date('2026-11-21T12:00:00Z')
    expect(createI18n('en', en).ago(new Date(now.getTime() - seconds * 1000).toISOString(), now)).toBe(text)
  })
})

test('an unknown page text and a wrong parameter do not compile', () => {
  const refused = ({ t }: I18n) => [
    // @ts-expect-error: there is no such text.
    t('signIn.titel'),
    // @ts-expect-error: the text contains the application's name.
    t('signIn.continueTo'),
    // @ts-expect-error: the parameter has another name.
    t('signIn.continueTo', { application: 'Notes' }),
    // @ts-expect-error: the text has no parameter.
    t('signIn.title', { client: 'Notes' }),
    // @ts-expect-error: the number chooses the plural form.
    t('strength.short'),
  ]
  expect(refused(createI18n('en', en))).toHaveLength(5)
})

test('a setting in a section named by the operator has its text', () => {
  const known: Readonly<Record<string, string>> = settingsTexts.settings
  for (const key of ['sessions.freshAgeSeconds', 'social.acme.issuer', 'social.my-own.clientId'])
    expect(known[textKeyOf(key)], key).toBeTypeOf('string')
})
