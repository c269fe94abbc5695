/** Builds the pages if one of their sources has changed since the last build. `npm start`, `npm run demo` and the tests run it each time. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestOfPages, root } from './sources.js'

/** The record of the last build. It is outside of the folder of the pages, because the daemon serves everything in that folder. */
const record = join(root, 'dist/pages')
const digest = digestOfPages()
const isBuilt =
  existsSync(join(root, 'admin-ui/dist/hosted.html')) && existsSync(record) && readFileSync(record, 'utf8') === digest

if (!isBuilt) {
  const { build } = await import('vite')
  // The record is removed first, because a build that fails or is killed leaves no pages, or only some of them.
  rmSync(record, { force: true })
  await build({ configFile: join(root, 'admin-ui/vite.config.ts'), logLevel: 'warn' })
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(record, digest)
}
