import type { Locale } from '../../src/core/locale.ts'
import { localeOf, pickLocale } from '../../src/core/locale.ts'

/** Each language by its own name, in the order of the alphabets. */
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

/** Who has a say in the language of a page. */
export interface LanguageWishes {
  /** `user.language` of who is signed in. */
  readonly user?: number | null
  /** What was chosen in this browser. */
  readonly chosen: string | undefined
  /** What the application asked for (`ui_locales` of OpenID Connect, blank-separated tags). */
  readonly uiLocales: string | null
  readonly browser: readonly string[]
}

/** People before applications, applications before the browser; English when nobody names a language that there is. */
export const chooseLocale = ({ user, chosen, uiLocales, browser }: LanguageWishes): Locale =>
  localeOf(user ?? null) ?? pickLocale([chosen ?? '', ...(uiLocales ?? '').split(' '), ...browser]) ?? 'en'
