import type { Locale } from '../../src/core/locale.ts'
import { localeOf, pickLocale } from '../../src/core/locale.ts'

/** Each language by its own name, in alphabetical order. */
export const languageNames: readonly (readonly [locale: Locale, name: string])[] = [
  ['de', 'Deutsch'],
  ['en', 'English'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['pl', 'Polski'],
  ['tr', 'Türkçe'],
  ['ru', 'Русский'],
  ['uk', 'Українська'],
]

/** The sources that decide the language of a page. */
export interface LanguageWishes {
  /** `user.language` of the signed-in person. */
  readonly user?: number | null
  /** The language chosen in this browser. */
  readonly chosen: string | undefined
  /** The application's request (`ui_locales` of OpenID Connect, blank-separated tags). */
  readonly uiLocales: string | null
  readonly browser: readonly string[]
}

/**
 * Chooses a language. The person's choice comes first, then the application's request, then the browser's languages. English is used if
 * none is supported.
 */
export const chooseLocale = ({ user, chosen, uiLocales, browser }: LanguageWishes): Locale =>
  localeOf(user ?? null) ?? pickLocale([chosen ?? '', ...(uiLocales ?? '').split(' '), ...browser]) ?? 'en'
