import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { type Locale, locales } from './locale.ts'
import { checkTexts, ownTexts, type PageText, type TextsConfig } from './own-texts.ts'

/** Where the built pages are: `admin-ui/dist` beside the package file, in a checkout and in the image alike. */
export const uiDirectory = (): string => join(dirname(findPackageJSON(import.meta.url) ?? ''), 'admin-ui', 'dist')

/** Texts of pages by their keys. */
export type PageTexts = Readonly<Record<string, PageText>>

type Fail = (path: readonly string[], message: string) => void

/** Every text of the pages, as the build wrote it down; undefined where no pages were built. */
const builtTexts = (): Readonly<Record<Locale, PageTexts>> | undefined => {
  const file = join(uiDirectory(), 'page-texts.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Names every text of the section `pages` that pages do not have, or that lacks a placeholder. */
export const checkPageTexts = (config: TextsConfig, fail: Fail): void => {
  if (config.texts.directory === undefined && config.mail.textsDirectory === undefined) return
  const texts = builtTexts()
  if (texts !== undefined) checkTexts(config, 'pages', (locale) => texts[locale], fail)
}

/** The texts of pages that the operator has changed. */
export interface OwnPageTexts {
  /** Empty: as gatehouse says it. */
  of(locale: Locale): PageTexts
  /** Languages that have some. */
  readonly languages: readonly Locale[]
}

export const readPageTexts = (config: TextsConfig): OwnPageTexts => {
  const own = ownTexts(config, 'pages') as Readonly<Partial<Record<Locale, PageTexts>>>
  const of = (locale: Locale) => own[locale] ?? {}
  return { of, languages: locales.filter((locale) => Object.keys(of(locale)).length > 0) }
}
