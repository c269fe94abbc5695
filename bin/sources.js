// Plain JavaScript, as the launcher that imports it: types to strip would cost each start 10 MB.
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** What a bundle is made from. */
const inputs = ['src', 'migrations', 'package.json', 'package-lock.json', 'bin/bundle.ts']

/** Changes whenever a source was written. The bundle of the sources lies in a folder of this name. */
export const digestOfSources = () => {
  const hash = createHash('sha256').update(process.version)
  for (const input of inputs) {
    const path = join(root, input)
    const files = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).sort() : ['']
    for (const file of files) {
      const { size, mtimeMs } = statSync(join(path, file))
      hash.update(`${input}/${file}:${size}:${mtimeMs}\n`)
    }
  }
  return hash.digest('hex').slice(0, 16)
}
