/** `npm run test:galleries`: checks every state of every page, and records the checked pages on success. Commit the record. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { galleries, recordGalleries } from './support/galleries.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { status } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...galleries], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, GATEHOUSE_TEST_FULL: '1', GATEHOUSE_RECORD_GALLERIES: '1' },
})
if (status === 0) recordGalleries()
process.exit(status ?? 1)
