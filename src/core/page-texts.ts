import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { type Locale, locales } from './locale.ts'
import { checkTexts, ownTexts, type PageText, type TextsConfig } from './own-texts.ts'

/** The directory with the built pages. It is `admin-ui/dist` beside the file `package.json`, in a checkout and in the container image. */
export const uiDirectory = (): string => join(dirname(findPackageJSON(import.meta.url) ?? ''), 'admin-ui', 'dist')

/** The texts of pages, by their keys. */
export type PageTexts = Readonly<Record<string, PageText>>

type Fail = (path: readonly string[], message: string) => void

/** All texts of the pages, as the build has written them. Undefined if the pages were not built. */
const builtTexts = (): Readonly<Record<Locale, PageTexts>> | undefined => {
  const file = join(uiDirectory(), 'page-texts.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Reports texts in the operator's section `pages` that no page has, or that lack a placeholder. */
export const checkPageTexts = (config: TextsConfig, fail: Fail): void => {
  if (config.texts.directory === undefined && config.mail.textsDirectory === undefined) return
  const texts = builtTexts()
  if (texts !== undefined) checkTexts(config, 'pages', (locale) => texts[locale], fail)
}

/** The texts of pages that the operator has replaced. */
export interface OwnPageTexts {
  /** The replaced texts of a language. Empty if there are none. */
  of(locale: Locale): PageTexts
  /** The languages in which a text is replaced. */
  readonly languages: readonly Locale[]
}

export const readPageTexts = (config: TextsConfig): OwnPageTexts => {
  const own = ownTexts(config, 'pages') as Readonly<Partial<Record<Locale, PageTexts>>>
  const of = (locale: Locale) => own[locale] ?? {}
  return { of, languages: locales.filter((locale) => Object.keys(of(locale)).length > 0) }
}
