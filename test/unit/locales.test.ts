import { describe, expect, test } from 'vitest'
import { consoleLanguages, consoleLoaders, loadConsoleTexts } from '../../admin-ui/console/locales/loaders.ts'
import type { ConsoleCatalogue } from '../../admin-ui/shared/i18n.ts'
import { languageNames } from '../../admin-ui/shared/language.ts'
import { de } from '../../admin-ui/shared/locales/de.ts'
import { en } from '../../admin-ui/shared/locales/en.ts'
import { es } from '../../admin-ui/shared/locales/es.ts'
import { fr } from '../../admin-ui/shared/locales/fr.ts'
import { moreLoaders } from '../../admin-ui/shared/locales/more.ts'
import { pl } from '../../admin-ui/shared/locales/pl.ts'
import { ru } from '../../admin-ui/shared/locales/ru.ts'
import { tr } from '../../admin-ui/shared/locales/tr.ts'
import { uk } from '../../admin-ui/shared/locales/uk.ts'
import { attemptErrors } from '../../src/authentication/attempts/contract.ts'
import { passwordErrors } from '../../src/authentication/methods/password/contract.ts'
import { verificationErrors } from '../../src/authentication/verification/contract.ts'
import { accountMailTexts } from '../../src/authentication/verification/mail-parts.ts'
import { coreErrors } from '../../src/core/errors.ts'
import { locales } from '../../src/core/locale.ts'
import { userErrors } from '../../src/identity/users/contract.ts'
import { organizationErrors } from '../../src/organizations/errors.ts'
import { organizationMailTexts } from '../../src/organizations/mails.ts'

type Message = string | Readonly<Record<string, string>>
type Catalogue = Readonly<Record<string, Message>>

const pages: Readonly<Record<string, Catalogue>> = { ru, uk, en, es, de, pl, fr, tr }
const loadMore = async (name: keyof typeof moreLoaders): Promise<Readonly<Record<string, Catalogue>>> =>
  Object.fromEntries(await Promise.all(locales.map(async (locale) => [locale, await moreLoaders[name][locale]()])))
const accountMails: Readonly<Record<string, Catalogue>> = accountMailTexts
const organizationMails: Readonly<Record<string, Catalogue>> = organizationMailTexts

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
const formsOf = (message: Message): readonly string[] => (typeof message === 'string' ? [message] : Object.values(message))

/** Texts that are the same word in another language, or nothing but names. */
const mayBeAlike = new Set([
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
  'org.teams',
  'pager.range',
  'role.admin',
])

describe.each([
  ['pages', pages],
  ['pages of the account', await loadMore('account')],
  ['pages about consent', await loadMore('consent')],
  ['pages that links lead to', await loadMore('links')],
  ['pages of organizations', await loadMore('organizations')],
  ['pages about second factors', await loadMore('secondFactor')],
  ['pages about user names', await loadMore('userNames')],
  ['mails about accounts', accountMails],
  ['mails of organizations', organizationMails],
])('the %s', (_, catalogues) => {
  const english: Catalogue = catalogues['en'] ?? {}

  test('each language has a catalogue', () => {
    expect(Object.keys(catalogues).sort()).toEqual([...locales].sort())
  })

  test.each(Object.entries(catalogues))('the catalogue %s has every text and no other', (_locale, catalogue) => {
    expect(Object.keys(catalogue)).toEqual(Object.keys(english))
    for (const [key, message] of Object.entries(catalogue))
      for (const text of formsOf(message)) expect(text, key).toMatch(/^\S(.*\S)?$/)
  })

  test.each(Object.entries(catalogues))('the catalogue %s has every form of its plurals', (locale, catalogue) => {
    const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories
    for (const [key, message] of Object.entries(catalogue)) {
      expect(typeof message, key).toBe(typeof english[key])
      if (typeof message !== 'string') expect(Object.keys(message).sort(), key).toEqual([...forms].sort())
    }
  })

  test.each(Object.entries(catalogues))(
    'the texts of the catalogue %s have the same placeholders as in English',
    (_locale, catalogue) => {
      for (const [key, message] of Object.entries(catalogue)) {
        const [model = ''] = formsOf(english[key] ?? '').slice(-1)
        for (const text of formsOf(message)) expect(placeholders(text), key).toEqual(placeholders(model))
      }
    },
  )

  test.each(Object.entries(catalogues).filter(([locale]) => locale !== 'en'))(
    'the catalogue %s is translated',
    (_locale, catalogue) => {
      const left = Object.keys(catalogue).filter((key) => catalogue[key] === english[key] && !mayBeAlike.has(key))
      expect(left).toEqual([])
    },
  )
})

test('each language is offered once, under its own name', () => {
  expect(languageNames.map(([locale]) => locale).sort()).toEqual([...locales].sort())
  for (const [locale, name] of languageNames) {
    const own = new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? ''
    expect(name.toLocaleLowerCase(locale)).toBe(own.toLocaleLowerCase(locale))
  }
})

test('every error message of the pages belongs to an existing error code', async () => {
  const codes = new Set([
    ...Object.keys(organizationErrors.table),
    ...Object.keys({ ...attemptErrors.table, ...passwordErrors.table, ...verificationErrors.table }),
    ...Object.keys({ ...userErrors.table, ...coreErrors.table }),
  ])
  const words = Object.keys((await loadMore('organizations'))['en'] ?? {}).filter((key) => key.startsWith('serverError.'))
  expect(words.map((key) => key.slice('serverError.'.length)).filter((code) => !codes.has(code))).toEqual([])
})

describe.each(Object.keys(consoleLoaders) as ConsoleCatalogue[])('the texts of the console in %s', (name) => {
  test('its keys are those of no other catalogue', async () => {
    const own = Object.keys(await loadConsoleTexts(name, 'en'))
    const others = [
      en,
      ...(await Promise.all(Object.values(moreLoaders).map(({ en: load }) => load()))),
      ...(await Promise.all(
        (Object.keys(consoleLoaders) as ConsoleCatalogue[])
          .filter((other) => other !== name)
          .map((other) => loadConsoleTexts(other, 'en')),
      )),
    ].flatMap((catalogue) => Object.keys(catalogue))
    expect(own.filter((key) => others.includes(key))).toEqual([])
  })

  test('each language that the console is offered in has all of them, with the placeholders and the plurals', async () => {
    const english = (await loadConsoleTexts(name, 'en')) as Catalogue
    for (const locale of consoleLanguages) {
      expect(Object.keys(consoleLoaders[name]), `${locale} of ${name}`).toContain(locale)
      const catalogue = (await loadConsoleTexts(name, locale)) as Catalogue
      const forms = [...new Intl.PluralRules(locale).resolvedOptions().pluralCategories].sort()
      expect(Object.keys(catalogue)).toEqual(Object.keys(english))
      for (const [key, message] of Object.entries(catalogue)) {
        const [model = ''] = formsOf(english[key] ?? '').slice(-1)
        if (typeof message !== 'string') expect(Object.keys(message).sort(), key).toEqual(forms)
        for (const text of formsOf(message)) expect(placeholders(text), key).toEqual(placeholders(model))
        // Single words and names may be the same; sentences are not.
        if (locale !== 'en' && model.split(' ').length > 2) expect(formsOf(message), key).not.toContain(model)
      }
    }
  })
})
