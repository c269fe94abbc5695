/**
 * `npm run test:changed [-- --base <revision>] [-- --all]`: runs the tests that a change reaches, as far as they take about a minute, and says what it left
 * out. The change is what is not committed; without that, the last commit; with `--base`, everything since that revision. `--all` knows no minute.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readReached } from './support/changed.ts'

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

/** What a file costs, in characters of an ordinary one: a browser test does ten times as much in a line. */
const costOf = (path: string): number =>
  statSync(join(root, path)).size * (path.startsWith('test/browser') ? 10 : path.startsWith('test/cli') ? 4 : 1)
/** About as much as runs in a minute on two cores. */
const aMinute = 600_000

const changed = changedFiles()
const reached = readReached(root, changed)
const run: string[] = []
const left: string[] = []
let cost = 0
for (const path of reached) {
  cost += costOf(path)
  const fits = values.all || run.length === 0 || cost <= aMinute
  ;(fits ? run : left).push(path)
}

process.stdout.write(`${changed.length} changed files reach ${reached.length} test files.\n`)
if (run.length === 0) process.exit(0)
if (run.some((path) => path.startsWith('test/browser'))) execFileSync('npm', ['run', 'build:ui'], { cwd: root, stdio: 'inherit' })
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
