/**
 * `npm run test:changed [-- --base <revision>] [-- --all]`: runs the tests that a change affects, as far as they fit into about a minute,
 * and lists the tests left out. The change is the uncommitted files; without any, the last commit; with `--base`, everything since that
 * revision. `--all` has no time limit.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fittingIn, isInBrowser, readReached } from './support/changed.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { base: { type: 'string' }, all: { type: 'boolean', default: false } } })
const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')

const uncommitted = () => [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]
const changedFiles = (): readonly string[] => {
  if (values.base !== undefined) return [...new Set([...git('diff', '--name-only', values.base), ...uncommitted()])]
  const now = uncommitted()
  return now.length > 0 ? now : git('diff', '--name-only', 'HEAD~1')
}

/**
 * The cost of a file in characters of an ordinary test file: a browser test takes ten times as long for each line, and some files run on
 * two databases.
 */
const costOf = (path: string): number =>
  statSync(join(root, path)).size *
  (isInBrowser(path) ? 10 : path.startsWith('test/cli') ? 4 : path.endsWith('.both.test.ts') ? 2 : 1)
/** About the size that runs in a minute on two cores. */
const aMinute = 600_000

const changed = changedFiles()
const { reached, untested } = readReached(root, changed)
const { run, left } = fittingIn(values.all ? Number.POSITIVE_INFINITY : aMinute, reached, costOf)

process.stdout.write(`${changed.length} changed files reach ${reached.length} test files.\n`)
if (untested.length > 0)
  process.stdout.write(
    `No test is known for these; npm test or .ci/run checks them:\n${untested.map((path) => `  ${path}\n`).join('')}`,
  )
if (run.length === 0) process.exit(0)
if (run.some(isInBrowser)) execFileSync('npm', ['run', 'build:ui'], { cwd: root, stdio: 'inherit' })
const { status } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...run], {
  cwd: root,
  stdio: 'inherit',
})
if (left.length > 0)
  process.stdout.write(
    `\nLeft out, ${left.length} files (npm run test:changed -- --all runs them):\n${left.map((path) => `  ${path}\n`).join('')}`,
  )
process.stdout.write('Nothing else was run: npm test runs everything, npm run test:full everything on both databases.\n')
process.exit(status ?? 1)
