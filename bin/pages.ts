/** Builds the pages when one of their sources has changed since the last build: `npm start`, `npm run demo` and the tests run it each time. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestOfPages, root } from './sources.js'

/** Beside the pages and not among them: the daemon serves what is there. */
const record = join(root, 'dist/pages')
const digest = digestOfPages()
const isBuilt =
  existsSync(join(root, 'admin-ui/dist/hosted.html')) && existsSync(record) && readFileSync(record, 'utf8') === digest

if (!isBuilt) {
  const { build } = await import('vite')
  // A build that fails or is killed has left no pages, or half of them.
  rmSync(record, { force: true })
  await build({ configFile: join(root, 'admin-ui/vite.config.ts'), logLevel: 'warn' })
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(record, digest)
}
