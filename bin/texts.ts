/**
 * `npm run texts`: checks the texts of all languages, brings them into the order of the English ones, and writes what TypeScript has to know of their
 * parameters. `-- --check` writes nothing. `-- missing [language]` lists what is to be translated.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  directory,
  formatted,
  formsOf,
  missingTexts,
  parametersFile,
  parametersModule,
  problemsOf,
  readTexts,
} from '../admin-ui/texts.ts'
import { locales } from '../src/core/locale.ts'

const [argument, only] = process.argv.slice(2)
const texts = readTexts()

const listMissing = () => {
  const missing = missingTexts(texts).filter(({ language }) => only === undefined || language === only)
  for (const { bundle, language, catalogue, key, english } of missing)
    console.log(`${bundle}/${language}.json\t${catalogue}\t${key}\t${formsOf(english).at(-1)}`)
  console.log(missing.length === 0 ? 'Every text is translated.' : `${missing.length} texts are to be translated.`)
}

/** What the files are when they are in order. */
const wanted = () => [
  [parametersFile, parametersModule(texts)] as const,
  ...Object.entries(texts).flatMap(([bundle, files]) =>
    Object.entries(files).map(
      ([language, file]) => [join(directory, bundle, `${language}.json`), formatted(file, files['en'] ?? {})] as const,
    ),
  ),
]

const check = () => {
  const stale = wanted().filter(([path, content]) => readFileSync(path, 'utf8') !== content)
  if (argument !== '--check') for (const [path, content] of stale) writeFileSync(path, content)
  const problems = [
    ...problemsOf(argument === '--check' ? texts : readTexts(), locales),
    ...(argument === '--check' ? stale.map(([path]) => `${path} is not as npm run texts writes it`) : []),
  ]
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

if (argument === 'missing') listMissing()
else check()
