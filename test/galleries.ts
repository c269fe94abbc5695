/** `npm run test:galleries`: looks at every state of every page, and records what it has looked at when all is well. Commit the record. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { galleries, recordGalleries } from './support/galleries.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { status } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...galleries], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, GATEHOUSE_TEST_FULL: '1' },
})
if (status === 0) recordGalleries()
process.exit(status ?? 1)
