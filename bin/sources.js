// Plain JavaScript, as the launcher that imports it: types to strip would cost each start 10 MB.
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** What a bundle is made from. */
const inputsOfBundle = [
  'src',
  'admin-ui/locales/mails',
  'migrations',
  'package.json',
  'package-lock.json',
  'bin/bundle.ts',
  'bin/loader.js',
]

/** What the pages are made from: they share contracts and rules with the server. */
const inputsOfPages = ['admin-ui', 'src', 'package.json', 'package-lock.json', 'bin/pages.ts']

/** Files below a folder, or the file itself. By hand: what Node does to paths on its recursive way takes longer than all else here. */
const filesOf = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { withFileTypes: true })
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap((entry) => (entry.isDirectory() ? filesOf(`${path}/${entry.name}`) : [`${path}/${entry.name}`]))
    : [path]

/** Changes whenever a file of the inputs was written. What was built is no source. */
const digestOf = (inputs) => {
  const hash = createHash('sha256').update(process.version)
  for (const input of inputs) {
    for (const path of filesOf(join(root, input))) {
      if (path.includes('/admin-ui/dist/')) continue
      const { size, mtimeMs } = statSync(path)
      hash.update(`${path.slice(root.length)}:${size}:${mtimeMs}\n`)
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** The bundle of the sources lies in a folder of this name. */
export const digestOfSources = () => digestOf(inputsOfBundle)

export const digestOfPages = () => digestOf(inputsOfPages)
