import type { Locale } from '../../../src/core/locale.ts'
import type { ConsoleCatalogue, MoreMessagesOf } from '../../shared/i18n.ts'

/** Languages that the console is offered in: those that have every text of every catalogue, which a test compares. */
export const consoleLanguages: readonly Locale[] = ['ru', 'uk', 'en', 'es', 'de', 'pl', 'fr', 'tr']

type Loaders = {
  readonly [C in ConsoleCatalogue]: { readonly en: () => Promise<MoreMessagesOf<'en', C>> } & {
    readonly [L in Locale]?: () => Promise<MoreMessagesOf<L, C>>
  }
}

/** Each language of a catalogue is a file of its own, loaded when it is wanted. */
export const consoleLoaders: Loaders = {
  consoleApplications: {
    ru: () => import('./applications/ru.ts').then(({ ru }) => ru),
    uk: () => import('./applications/uk.ts').then(({ uk }) => uk),
    en: () => import('./applications/en.ts').then(({ en }) => en),
    es: () => import('./applications/es.ts').then(({ es }) => es),
    de: () => import('./applications/de.ts').then(({ de }) => de),
    pl: () => import('./applications/pl.ts').then(({ pl }) => pl),
    fr: () => import('./applications/fr.ts').then(({ fr }) => fr),
    tr: () => import('./applications/tr.ts').then(({ tr }) => tr),
  },
  consoleBilling: {
    ru: () => import('./billing/ru.ts').then(({ ru }) => ru),
    uk: () => import('./billing/uk.ts').then(({ uk }) => uk),
    en: () => import('./billing/en.ts').then(({ en }) => en),
    es: () => import('./billing/es.ts').then(({ es }) => es),
    de: () => import('./billing/de.ts').then(({ de }) => de),
    pl: () => import('./billing/pl.ts').then(({ pl }) => pl),
    fr: () => import('./billing/fr.ts').then(({ fr }) => fr),
    tr: () => import('./billing/tr.ts').then(({ tr }) => tr),
  },
  console: {
    ru: () => import('./console/ru.ts').then(({ ru }) => ru),
    uk: () => import('./console/uk.ts').then(({ uk }) => uk),
    en: () => import('./console/en.ts').then(({ en }) => en),
    es: () => import('./console/es.ts').then(({ es }) => es),
    de: () => import('./console/de.ts').then(({ de }) => de),
    pl: () => import('./console/pl.ts').then(({ pl }) => pl),
    fr: () => import('./console/fr.ts').then(({ fr }) => fr),
    tr: () => import('./console/tr.ts').then(({ tr }) => tr),
  },
  consoleFindings: {
    ru: () => import('./findings/ru.ts').then(({ ru }) => ru),
    uk: () => import('./findings/uk.ts').then(({ uk }) => uk),
    en: () => import('./findings/en.ts').then(({ en }) => en),
    es: () => import('./findings/es.ts').then(({ es }) => es),
    de: () => import('./findings/de.ts').then(({ de }) => de),
    pl: () => import('./findings/pl.ts').then(({ pl }) => pl),
    fr: () => import('./findings/fr.ts').then(({ fr }) => fr),
    tr: () => import('./findings/tr.ts').then(({ tr }) => tr),
  },
  consoleHistory: {
    ru: () => import('./history/ru.ts').then(({ ru }) => ru),
    uk: () => import('./history/uk.ts').then(({ uk }) => uk),
    en: () => import('./history/en.ts').then(({ en }) => en),
    es: () => import('./history/es.ts').then(({ es }) => es),
    de: () => import('./history/de.ts').then(({ de }) => de),
    pl: () => import('./history/pl.ts').then(({ pl }) => pl),
    fr: () => import('./history/fr.ts').then(({ fr }) => fr),
    tr: () => import('./history/tr.ts').then(({ tr }) => tr),
  },
  consoleLists: {
    ru: () => import('./lists/ru.ts').then(({ ru }) => ru),
    uk: () => import('./lists/uk.ts').then(({ uk }) => uk),
    en: () => import('./lists/en.ts').then(({ en }) => en),
    es: () => import('./lists/es.ts').then(({ es }) => es),
    de: () => import('./lists/de.ts').then(({ de }) => de),
    pl: () => import('./lists/pl.ts').then(({ pl }) => pl),
    fr: () => import('./lists/fr.ts').then(({ fr }) => fr),
    tr: () => import('./lists/tr.ts').then(({ tr }) => tr),
  },
  consoleMail: {
    ru: () => import('./mail/ru.ts').then(({ ru }) => ru),
    uk: () => import('./mail/uk.ts').then(({ uk }) => uk),
    en: () => import('./mail/en.ts').then(({ en }) => en),
    es: () => import('./mail/es.ts').then(({ es }) => es),
    de: () => import('./mail/de.ts').then(({ de }) => de),
    pl: () => import('./mail/pl.ts').then(({ pl }) => pl),
    fr: () => import('./mail/fr.ts').then(({ fr }) => fr),
    tr: () => import('./mail/tr.ts').then(({ tr }) => tr),
  },
  consoleOrganizations: {
    ru: () => import('./organizations/ru.ts').then(({ ru }) => ru),
    uk: () => import('./organizations/uk.ts').then(({ uk }) => uk),
    en: () => import('./organizations/en.ts').then(({ en }) => en),
    es: () => import('./organizations/es.ts').then(({ es }) => es),
    de: () => import('./organizations/de.ts').then(({ de }) => de),
    pl: () => import('./organizations/pl.ts').then(({ pl }) => pl),
    fr: () => import('./organizations/fr.ts').then(({ fr }) => fr),
    tr: () => import('./organizations/tr.ts').then(({ tr }) => tr),
  },
  consoleOverview: {
    ru: () => import('./overview/ru.ts').then(({ ru }) => ru),
    uk: () => import('./overview/uk.ts').then(({ uk }) => uk),
    en: () => import('./overview/en.ts').then(({ en }) => en),
    es: () => import('./overview/es.ts').then(({ es }) => es),
    de: () => import('./overview/de.ts').then(({ de }) => de),
    pl: () => import('./overview/pl.ts').then(({ pl }) => pl),
    fr: () => import('./overview/fr.ts').then(({ fr }) => fr),
    tr: () => import('./overview/tr.ts').then(({ tr }) => tr),
  },
  consolePeople: {
    ru: () => import('./people/ru.ts').then(({ ru }) => ru),
    uk: () => import('./people/uk.ts').then(({ uk }) => uk),
    en: () => import('./people/en.ts').then(({ en }) => en),
    es: () => import('./people/es.ts').then(({ es }) => es),
    de: () => import('./people/de.ts').then(({ de }) => de),
    pl: () => import('./people/pl.ts').then(({ pl }) => pl),
    fr: () => import('./people/fr.ts').then(({ fr }) => fr),
    tr: () => import('./people/tr.ts').then(({ tr }) => tr),
  },
  consoleReasons: {
    ru: () => import('./reasons/ru.ts').then(({ ru }) => ru),
    uk: () => import('./reasons/uk.ts').then(({ uk }) => uk),
    en: () => import('./reasons/en.ts').then(({ en }) => en),
    es: () => import('./reasons/es.ts').then(({ es }) => es),
    de: () => import('./reasons/de.ts').then(({ de }) => de),
    pl: () => import('./reasons/pl.ts').then(({ pl }) => pl),
    fr: () => import('./reasons/fr.ts').then(({ fr }) => fr),
    tr: () => import('./reasons/tr.ts').then(({ tr }) => tr),
  },
  consoleSystem: {
    ru: () => import('./system/ru.ts').then(({ ru }) => ru),
    uk: () => import('./system/uk.ts').then(({ uk }) => uk),
    en: () => import('./system/en.ts').then(({ en }) => en),
    es: () => import('./system/es.ts').then(({ es }) => es),
    de: () => import('./system/de.ts').then(({ de }) => de),
    pl: () => import('./system/pl.ts').then(({ pl }) => pl),
    fr: () => import('./system/fr.ts').then(({ fr }) => fr),
    tr: () => import('./system/tr.ts').then(({ tr }) => tr),
  },
  consoleWays: {
    ru: () => import('./ways-in/ru.ts').then(({ ru }) => ru),
    uk: () => import('./ways-in/uk.ts').then(({ uk }) => uk),
    en: () => import('./ways-in/en.ts').then(({ en }) => en),
    es: () => import('./ways-in/es.ts').then(({ es }) => es),
    de: () => import('./ways-in/de.ts').then(({ de }) => de),
    pl: () => import('./ways-in/pl.ts').then(({ pl }) => pl),
    fr: () => import('./ways-in/fr.ts').then(({ fr }) => fr),
    tr: () => import('./ways-in/tr.ts').then(({ tr }) => tr),
  },
}

/** The texts of a catalogue, in English where the language has none yet. */
export const loadConsoleTexts = (name: ConsoleCatalogue, locale: Locale): Promise<object> => {
  const loaders: Readonly<Partial<Record<Locale, () => Promise<object>>>> & { readonly en: () => Promise<object> } =
    consoleLoaders[name]
  return (loaders[locale] ?? loaders.en)()
}
