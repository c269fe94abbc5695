import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseTree, type Tree } from './config-file.ts'
import { readTextFile } from './input-text.ts'
import { type Locale, locales } from './locale.ts'
import type { TextsIn } from './mail-texts.ts'
import { fileProblem, systemFailureOf } from './system-failure.ts'

/**
 * The sections of a file in which an operator replaces gatehouse's texts. There is one section for each feature that sends mails, and one
 * for all pages.
 */
export const textSections = ['account', 'organizations', 'pages'] as const
export type TextSection = (typeof textSections)[number]

/** A text on a page. If it depends on a number, there is one text for each plural form. */
export type PageText = string | Readonly<Record<string, string>>

export interface TextsConfig {
  readonly texts: { readonly directory?: string | undefined }
  /** `mail.textsDirectory` is an older name of the configuration key `texts.directory`. */
  readonly mail: { readonly textsDirectory?: string | undefined }
}

const directoryOf = ({ texts, mail }: TextsConfig): string | undefined => texts.directory ?? mail.textsDirectory
/** The configuration key that the operator used for the directory. */
const keyOf = ({ texts }: TextsConfig): readonly string[] =>
  texts.directory === undefined ? ['mail', 'textsDirectory'] : ['texts', 'directory']

type Report = (message: string) => void
type Fail = (path: readonly string[], message: string) => void

const longestFile = 200_000
const longestText = 2_000

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)
const placeholdersOf = (text: string) => [...new Set([...text.matchAll(/\{\w+\}/g)].map(([name]) => name))].sort().join(' ')

const languageOf = (file: string): Locale | undefined => locales.find((locale) => file === `${locale}.yaml`)

/** Reads the files with an operator's texts. The result contains the content of each file by language. */
const readFiles = (directory: string, report: Report): ReadonlyMap<Locale, Tree> => {
  const found = new Map<Locale, Tree>()
  try {
    for (const file of readdirSync(directory).filter((name) => !name.startsWith('.'))) {
      const locale = languageOf(file)
      if (locale === undefined)
        report(`${file} is no file of texts: expected ${locales.map((name) => `${name}.yaml`).join(', ')}`)
      else if (statSync(join(directory, file)).size > longestFile) report(`${file} has more than ${longestFile} bytes`)
      else {
        const problems: string[] = []
        found.set(locale, parseTree(readTextFile(join(directory, file)), file, problems))
        for (const problem of problems) report(problem.replace(/^config: /, ''))
      }
    }
  } catch (error) {
    report(fileProblem(error, systemFailureOf(error)?.path ?? directory))
  }
  return found
}

/** Reports what is wrong with the files as a whole. Each feature checks the texts of its own section. */
export const checkTextFiles = (config: TextsConfig, fail: Fail): void => {
  const directory = directoryOf(config)
  if (directory === undefined) return
  const key = keyOf(config)
  if (config.texts.directory !== undefined && config.mail.textsDirectory !== undefined)
    fail(key, 'mail.textsDirectory is its older name: set one of the two')
  const files = readFiles(directory, (message) => fail(key, message))
  for (const [locale, tree] of files)
    for (const [name, section] of Object.entries(tree)) {
      if (!(textSections as readonly string[]).includes(name))
        fail(key, `${locale}.yaml: there is no section ${name}: expected ${textSections.join(', ')}`)
      else if (!isTree(section)) fail(key, `${locale}.yaml: ${name} must hold texts by their keys`)
    }
}

const wrongWith = (given: unknown, text: PageText | undefined): string | undefined => {
  if (text === undefined) return 'there is no such text'
  if (typeof text !== 'string') return wrongWithForms(given, text)
  if (typeof given !== 'string' || given.trim() === '' || given.length > longestText)
    return `expected a text of at most ${longestText} characters`
  if (placeholdersOf(given) === placeholdersOf(text)) return undefined
  return `expected ${placeholdersOf(text) === '' ? 'no placeholders' : `the placeholders ${placeholdersOf(text)}`}`
}

const wrongWithForms = (given: unknown, forms: Readonly<Record<string, string>>): string | undefined => {
  const names = Object.keys(forms)
  const isComplete = isTree(given) && Object.keys(given).length === names.length && names.every((name) => name in given)
  if (!isComplete) return `expected a text for each of ${names.join(', ')}`
  for (const name of names) {
    const wrong = wrongWith(given[name], forms[name])
    if (wrong !== undefined) return `${name}: ${wrong}`
  }
  return undefined
}

const sectionOf = (tree: Tree, section: TextSection): Tree => {
  const found = tree[section]
  return isTree(found) ? found : {}
}

/** Reports texts of a section that gatehouse does not have, or that lack a placeholder of gatehouse's text. */
export const checkTexts = (
  config: TextsConfig,
  section: TextSection,
  textsIn: (locale: Locale) => Readonly<Record<string, PageText>>,
  fail: Fail,
): void => {
  const directory = directoryOf(config)
  if (directory === undefined) return
  for (const [locale, tree] of readFiles(directory, () => undefined)) {
    const texts = new Map<string, PageText>(Object.entries(textsIn(locale)))
    for (const [name, given] of Object.entries(sectionOf(tree, section))) {
      const wrong = wrongWith(given, texts.get(name))
      if (wrong !== undefined) fail(keyOf(config), `${locale}.yaml: ${section}.${name}: ${wrong}`)
    }
  }
}

/** The operator's texts of a section, by language. Requires that the files were checked before. */
export const ownTexts = (config: TextsConfig, section: TextSection): Readonly<Partial<Record<Locale, Tree>>> => {
  const directory = directoryOf(config)
  if (directory === undefined) return {}
  const files = readFiles(directory, (message) => {
    throw new Error(`${keyOf(config).join('.')}: ${message}`)
  })
  return Object.fromEntries([...files].map(([locale, tree]) => [locale, sectionOf(tree, section)]))
}

/** Gatehouse's texts, but where the operator has replaced a text, the operator's. Requires that the files were checked before. */
export const withOwnTexts = <Key extends string>(
  config: TextsConfig,
  section: TextSection,
  textsIn: TextsIn<Key>,
): TextsIn<Key> => {
  const own = ownTexts(config, section)
  return (locale) => ({ ...textsIn(locale), ...own[locale] })
}

/** Which texts of one section the operator has replaced in one language. */
export interface OwnTextsOf {
  readonly section: TextSection
  readonly own: readonly string[]
  /** Texts that the operator has replaced in another language but not in this one. */
  readonly missing: readonly string[]
}

/**
 * The directory with the operator's texts (null if there is none), and which texts are replaced in each language. Requires that the files
 * were checked before.
 */
export const describeOwnTexts = (config: TextsConfig) => {
  const bySection = textSections.map((section) => {
    const own = ownTexts(config, section)
    return { section, own, all: [...new Set(Object.values(own).flatMap((tree) => Object.keys(tree)))].sort() }
  })
  const sectionsOf = (locale: Locale): readonly OwnTextsOf[] =>
    bySection.map(({ section, own, all }) => {
      const keys = Object.keys(own[locale] ?? {}).sort()
      return { section, own: keys, missing: all.filter((key) => !keys.includes(key)) }
    })
  return {
    directory: directoryOf(config) ?? null,
    languages: locales.map((locale) => ({ language: locale, sections: sectionsOf(locale) })),
  }
}
