/**
 * Reads and checks the texts of pages, console and mails, for the build, for the command `npm run texts` and for tests. Each bundle has a
 * file for each language (`locales/<bundle>/<language>.json`). A file has catalogues by name, and a catalogue has texts by key
 * (`docs/how-to/translating.md`).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** The text of a key. If it depends on a number, it is an object with one text for each plural form of its language. */
export type Text = string | Readonly<Record<string, string>>
export type Catalogue = Readonly<Record<string, Text>>
type TextFile = Readonly<Record<string, Catalogue>>

/** All texts, by bundle and then by language. */
export type Texts = Readonly<Record<string, Readonly<Record<string, TextFile>>>>

/** The source language of all texts. */
const source = 'en'
/** Bundles that only operators see. A translation that is missing in them is shown in English. */
const mayLack = new Set(['console', 'settings'])
/** Bundles whose English texts the server itself sends. The English file does not replace a missing translation of such a text. */
const saidByServer = new Set(['settings'])

export const directory = fileURLToPath(new URL('locales', import.meta.url))

const foldersIn = (path: string) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

export const readTexts = (): Texts =>
  Object.fromEntries(
    foldersIn(directory).map((bundle) => [
      bundle,
      Object.fromEntries(
        readdirSync(join(directory, bundle))
          .sort()
          .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(directory, bundle, file), 'utf8'))]),
      ),
    ]),
  )

export const formsOf = (text: Text): readonly string[] => (typeof text === 'string' ? [text] : Object.values(text))
const namesIn = (text: string): readonly string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()
/** The names of the placeholders in an English text. */
const parametersOf = (text: Text): readonly string[] => [...new Set(namesIn(formsOf(text).at(-1) ?? ''))]

/** All English texts, each with its bundle, catalogue and key. */
const englishOf = (texts: Texts) =>
  Object.entries(texts).flatMap(([bundle, languages]) =>
    Object.entries(languages[source] ?? {}).flatMap(([catalogue, own]) =>
      Object.entries(own).map(([key, text]) => ({ bundle, catalogue, key, text })),
    ),
  )

export interface MissingText {
  readonly bundle: string
  readonly language: string
  readonly catalogue: string
  readonly key: string
  readonly english: Text
}

/** The texts that are missing in some language. */
export const missingTexts = (texts: Texts): readonly MissingText[] =>
  englishOf(texts).flatMap(({ bundle, catalogue, key, text }) =>
    Object.entries(texts[bundle] ?? {})
      .filter(([, file]) => file[catalogue]?.[key] === undefined)
      .map(([language]) => ({ bundle, language, catalogue, key, english: text })),
  )

const wrongWith = (language: string, text: Text, english: Text): string | undefined => {
  if (typeof text !== typeof english) return `must be ${typeof english === 'string' ? 'one text' : 'a text for each plural form'}`
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  if (typeof text !== 'string' && Object.keys(text).sort().join() !== [...forms].sort().join())
    return `must have the plural forms ${forms.join(', ')}`
  const expected = namesIn(formsOf(english).at(-1) ?? '').join(', ')
  for (const form of formsOf(text)) {
    if (!/^\S(.*\S)?$/.test(form)) return 'must be one line without blanks around it'
    if (namesIn(form).join(', ') !== expected)
      return `must have ${expected === '' ? 'no parameters' : `the parameters ${expected}`}`
  }
  return undefined
}

const problemsOfFile = (bundle: string, language: string, file: TextFile, english: TextFile): readonly string[] => {
  const place = `${bundle}/${language}.json`
  const wrong = Object.entries(file).flatMap(([catalogue, own]) =>
    Object.entries(own).flatMap(([key, text]) => {
      const model = english[catalogue]?.[key]
      const problem = model === undefined ? `is not in ${source}.json` : wrongWith(language, text, model)
      return problem === undefined ? [] : [`${place}: ${catalogue} ${key} ${problem}`]
    }),
  )
  const inOrder = (names: object, all: object = {}) => {
    const order = Object.keys(all).filter((name) => Object.hasOwn(names, name))
    return order.join() === Object.keys(names).join()
  }
  const isSorted = inOrder(file, english) && Object.entries(file).every(([name, own]) => inOrder(own, english[name]))
  return wrong.length > 0 || isSorted ? wrong : [`${place}: its texts are not in the order of ${source}.json`]
}

/**
 * Keys that several catalogues of the pages, or of the console, use for different texts. A page that loads two of these catalogues could
 * show either text. Mails are not checked, because they name the catalogue together with the key.
 */
const ambiguousIn = (texts: Texts): readonly string[] => {
  const shown = englishOf(texts).filter(({ bundle }) => bundle !== 'mails')
  const wordsOf = ({ bundle, catalogue, key }: (typeof shown)[number]) =>
    JSON.stringify(Object.entries(texts[bundle] ?? {}).map(([language, file]) => [language, file[catalogue]?.[key]]))
  return [...Map.groupBy(shown, ({ key }) => key)]
    .filter(([, found]) => new Set(found.map(wordsOf)).size > 1)
    .map(([key, found]) => `${key} has different words in ${found.map(({ catalogue }) => catalogue).join(' and ')}`)
}

/** What is wrong with the texts. A translation that is missing in the console is not reported. */
export const problemsOf = (texts: Texts, languages: readonly string[]): readonly string[] => [
  ...Object.entries(texts).flatMap(([bundle, files]) => {
    const absent = languages
      .filter((language) => files[language] === undefined)
      .map((language) => `${bundle}/${language}.json is missing`)
    return [
      ...absent,
      ...Object.entries(files).flatMap(([language, file]) => problemsOfFile(bundle, language, file, files[source] ?? {})),
    ]
  }),
  ...missingTexts(texts)
    .filter(({ bundle }) => !mayLack.has(bundle))
    .map(({ bundle, language, catalogue, key }) => `${bundle}/${language}.json: ${catalogue} ${key} is missing`),
  ...ambiguousIn(texts),
]

/** The content of a file, with its texts in the order of the English file. */
export const formatted = (file: TextFile, english: TextFile): string => {
  const inOrder = <V>(values: Readonly<Record<string, V>>, model: object = {}) => {
    const names = [...new Set([...Object.keys(model), ...Object.keys(values)])]
    return names.flatMap((name): readonly (readonly [string, V])[] => {
      const value = values[name]
      return value === undefined ? [] : [[name, value]]
    })
  }
  const sorted = inOrder(file, english).map(([name, own]) => [name, Object.fromEntries(inOrder(own, english[name]))])
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`
}

/**
 * The path of the generated TypeScript file with the placeholders of all texts. It is needed because TypeScript infers only the keys of
 * JSON files.
 */
export const parametersFile = join(directory, 'parameters.ts')

export const parametersModule = (texts: Texts): string => {
  const quoted = (key: string) => (/^\w+$/.test(key) ? key : `'${key}'`)
  const linesOf = (found: ReturnType<typeof englishOf>, indent: string) =>
    found.flatMap(({ key, text }) => {
      const names = parametersOf(text)
      return names.length === 0 ? [] : [`${indent}readonly ${quoted(key)}: ${names.map((name) => `'${name}'`).join(' | ')}`]
    })
  const all = englishOf(texts)
  const mails = Map.groupBy(
    all.filter(({ bundle }) => bundle === 'mails'),
    ({ catalogue }) => catalogue,
  )
  const shown = new Map(all.filter(({ bundle }) => bundle !== 'mails').map((english) => [english.key, english]))
  return [
    '// Written by `npm run texts`, from the English texts.',
    '/** The names between the braces of a text of the pages or the console, by its key. A text without any is left out. */',
    'export interface Parameters {',
    ...linesOf([...shown.values()], '  '),
    '}',
    '',
    '/** The names between the braces of a text of the mails, by catalogue and key. */',
    'export interface MailParameters {',
    ...[...mails].flatMap(([catalogue, found]) => [`  readonly ${catalogue}: {`, ...linesOf(found, '    '), '  }']),
    '}',
    '',
  ].join('\n')
}

/** The source of a JavaScript module with a catalogue in one language. English texts take the place of missing ones. */
export const catalogueModule = (bundle: string, catalogue: string, file: TextFile, english: TextFile): string => {
  const texts = { ...(saidByServer.has(bundle) ? {} : english[catalogue]), ...file[catalogue] }
  return `export const ${catalogue} = ${JSON.stringify(texts)}`
}

/** A Vite plugin that makes the build fail if texts are wrong or missing. */
export const completeTexts = (languages: readonly string[]): Plugin => ({
  name: 'gatehouse-complete-texts',
  apply: 'build',
  buildStart() {
    const problems = problemsOf(readTexts(), languages)
    if (problems.length > 0) this.error(`The texts are not complete (npm run texts):\n${problems.join('\n')}`)
  },
})

/**
 * A Vite plugin for imports of `locales/<bundle>/<language>.json?only=<catalogue>`. They load only that catalogue, so that a page does
 * not load the whole bundle.
 */
export const textsByCatalogue = (): Plugin => ({
  name: 'gatehouse-texts',
  enforce: 'pre',
  transform: {
    filter: { id: /\/locales\/\w+\/\w+\.json\?only=\w+$/ },
    handler(code, id) {
      const [path = '', catalogue = ''] = id.split('?only=')
      const bundle = path.split('/').at(-2) ?? ''
      const english = path.replace(/\w+\.json$/, `${source}.json`)
      this.addWatchFile(english)
      const module = catalogueModule(bundle, catalogue, JSON.parse(code), JSON.parse(readFileSync(english, 'utf8')))
      return { code: module, moduleType: 'js' }
    },
  },
})
