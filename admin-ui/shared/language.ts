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

/** Sources of a page's language. */
export interface LanguageWishes {
  /** `user.language` of the signed-in person. */
  readonly user?: number | null
  /** The choice in this browser. */
  readonly chosen: string | undefined
  /** The application's request (`ui_locales` of OpenID Connect, blank-separated tags). */
  readonly uiLocales: string | null
  readonly browser: readonly string[]
}

/** People before applications, applications before the browser; English without a supported language. */
export const chooseLocale = ({ user, chosen, uiLocales, browser }: LanguageWishes): Locale =>
  localeOf(user ?? null) ?? pickLocale([chosen ?? '', ...(uiLocales ?? '').split(' '), ...browser]) ?? 'en'
