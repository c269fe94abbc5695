// This file is plain JavaScript, like the launcher that imports it. Removing types would cost each start 10 MB.
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The files from which a bundle is made. */
const inputsOfBundle = [
  'src',
  'admin-ui/locales/mails',
  'migrations',
  'package.json',
  'package-lock.json',
  'bin/bundle.ts',
  'bin/loader.js',
]

/** The files from which the pages are made. Pages share contracts and rules with the server. */
const inputsOfPages = ['admin-ui', 'src', 'package.json', 'package-lock.json', 'bin/pages.ts']

/** The files below a folder, or the file itself. Node's own recursive reading takes longer than everything else in this module. */
const filesOf = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { withFileTypes: true })
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap((entry) => (entry.isDirectory() ? filesOf(`${path}/${entry.name}`) : [`${path}/${entry.name}`]))
    : [path]

/** A digest that changes whenever one of the input files is written. Files that a build has made are not inputs. */
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

/** The name of the folder with the bundle of the present sources. */
export const digestOfSources = () => digestOf(inputsOfBundle)

export const digestOfPages = () => digestOf(inputsOfPages)
