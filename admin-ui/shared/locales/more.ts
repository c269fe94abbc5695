import type { Locale } from '../../../src/core/locale.ts'
import type { HostedCatalogue, MoreMessagesOf } from '../i18n.ts'

/** Texts that only some pages speak, each a file of its own. This list too is not asked for before it is wanted. */
export const moreLoaders: {
  readonly [C in HostedCatalogue]: { readonly [L in Locale]: () => Promise<MoreMessagesOf<L, C>> }
} = {
  account: {
    ru: () => import('./account/ru.ts').then(({ ru }) => ru),
    uk: () => import('./account/uk.ts').then(({ uk }) => uk),
    en: () => import('./account/en.ts').then(({ en }) => en),
    es: () => import('./account/es.ts').then(({ es }) => es),
    de: () => import('./account/de.ts').then(({ de }) => de),
    pl: () => import('./account/pl.ts').then(({ pl }) => pl),
    fr: () => import('./account/fr.ts').then(({ fr }) => fr),
    tr: () => import('./account/tr.ts').then(({ tr }) => tr),
  },
  consent: {
    ru: () => import('./consent/ru.ts').then(({ ru }) => ru),
    uk: () => import('./consent/uk.ts').then(({ uk }) => uk),
    en: () => import('./consent/en.ts').then(({ en }) => en),
    es: () => import('./consent/es.ts').then(({ es }) => es),
    de: () => import('./consent/de.ts').then(({ de }) => de),
    pl: () => import('./consent/pl.ts').then(({ pl }) => pl),
    fr: () => import('./consent/fr.ts').then(({ fr }) => fr),
    tr: () => import('./consent/tr.ts').then(({ tr }) => tr),
  },
  links: {
    ru: () => import('./links/ru.ts').then(({ ru }) => ru),
    uk: () => import('./links/uk.ts').then(({ uk }) => uk),
    en: () => import('./links/en.ts').then(({ en }) => en),
    es: () => import('./links/es.ts').then(({ es }) => es),
    de: () => import('./links/de.ts').then(({ de }) => de),
    pl: () => import('./links/pl.ts').then(({ pl }) => pl),
    fr: () => import('./links/fr.ts').then(({ fr }) => fr),
    tr: () => import('./links/tr.ts').then(({ tr }) => tr),
  },
  organizations: {
    ru: () => import('./organizations/ru.ts').then(({ ru }) => ru),
    uk: () => import('./organizations/uk.ts').then(({ uk }) => uk),
    en: () => import('./organizations/en.ts').then(({ en }) => en),
    es: () => import('./organizations/es.ts').then(({ es }) => es),
    de: () => import('./organizations/de.ts').then(({ de }) => de),
    pl: () => import('./organizations/pl.ts').then(({ pl }) => pl),
    fr: () => import('./organizations/fr.ts').then(({ fr }) => fr),
    tr: () => import('./organizations/tr.ts').then(({ tr }) => tr),
  },
  userNames: {
    ru: () => import('./user-names/ru.ts').then(({ ru }) => ru),
    uk: () => import('./user-names/uk.ts').then(({ uk }) => uk),
    en: () => import('./user-names/en.ts').then(({ en }) => en),
    es: () => import('./user-names/es.ts').then(({ es }) => es),
    de: () => import('./user-names/de.ts').then(({ de }) => de),
    pl: () => import('./user-names/pl.ts').then(({ pl }) => pl),
    fr: () => import('./user-names/fr.ts').then(({ fr }) => fr),
    tr: () => import('./user-names/tr.ts').then(({ tr }) => tr),
  },
  secondFactor: {
    ru: () => import('./second-factor/ru.ts').then(({ ru }) => ru),
    uk: () => import('./second-factor/uk.ts').then(({ uk }) => uk),
    en: () => import('./second-factor/en.ts').then(({ en }) => en),
    es: () => import('./second-factor/es.ts').then(({ es }) => es),
    de: () => import('./second-factor/de.ts').then(({ de }) => de),
    pl: () => import('./second-factor/pl.ts').then(({ pl }) => pl),
    fr: () => import('./second-factor/fr.ts').then(({ fr }) => fr),
    tr: () => import('./second-factor/tr.ts').then(({ tr }) => tr),
  },
}
