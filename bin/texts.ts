/**
 * `npm run texts`: checks the texts of all languages, sorts them like the English ones, and writes types for their parameters. `--
 * --check` writes nothing. `-- missing [language]` lists the texts that still have to be translated.
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

/** The content that the files should have. */
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
