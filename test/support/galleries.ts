/** The galleries: every state of every page and screen, looked at in a browser. They say nothing new until something changes that they show. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const record = join(root, 'test/browser/galleries.sha256')

export const galleries = ['test/browser/states.test.ts', 'test/browser/console/states.test.ts']

/** What the galleries show and how they look at it: pages with their styles and texts, contracts, and the packages in use. */
const shown = [
  'admin-ui/**/*.{ts,tsx,css,html,json,svg}',
  'src/**/contract.ts',
  'test/support/{browser,states}.ts',
  'package-lock.json',
  ...galleries,
]

/** SHA-256 of all of that, in hexadecimal. */
const digest = (): string => {
  const hash = createHash('sha256')
  for (const path of globSync(shown, { cwd: root, exclude: ['admin-ui/dist/**'] }).sort())
    hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

/** Whether the galleries were last run, and passed, on what is shown now. */
export const areLookedAt = (): boolean => existsSync(record) && readFileSync(record, 'utf8').trim() === digest()

export const recordGalleries = (): void => writeFileSync(record, `${digest()}\n`)
