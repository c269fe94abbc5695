/** The galleries examine every state of every page and screen in a browser. Their result can only change if something changes that they show. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const record = join(root, 'test/browser/galleries.sha256')

export const galleries = ['test/browser/states.test.ts', 'test/browser/console/states.test.ts']

/** Files on which the result of the galleries depends: pages with their styles and texts, contracts, packages, and code and record of the galleries. */
const shown = [
  'admin-ui/**/*.{ts,tsx,css,html,json,svg}',
  'src/**/contract.ts',
  'test/support/{browser,shown-calls,states}.ts',
  // Written by the galleries: what the console offers to copy.
  'test/browser/console/shown-calls.json',
  'package-lock.json',
  ...galleries,
]

/** SHA-256 of all these files, in hexadecimal. */
const digest = (): string => {
  const hash = createHash('sha256')
  for (const path of globSync(shown, { cwd: root, exclude: ['admin-ui/dist/**'] }).sort())
    hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

/** True if the galleries have passed with the present content of these files. */
export const areLookedAt = (): boolean => existsSync(record) && readFileSync(record, 'utf8').trim() === digest()

export const recordGalleries = (): void => writeFileSync(record, `${digest()}\n`)
