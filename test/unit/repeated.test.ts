import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/directory.ts'

const root = join(import.meta.dirname, '../..')

/** Tests of a run of its own: one that passes, one that fails at its first try, one that always fails. */
const tests = `
let tries = 0
describe('a run', () => {
  test('that is sound', () => {})
  test('that is rare', () => { tries += 1; if (tries === 1) throw new Error('too early\\nand more') })
  test('that is broken', () => { throw new Error('always') })
})
`

test('the report names tests that passed only at the second try', async () => {
  const place = temporaryDirectory()
  writeFileSync(join(place, 'some.test.mjs'), tests)
  writeFileSync(
    join(place, 'vitest.config.mjs'),
    `import own from ${JSON.stringify(join(root, 'vitest.config.ts'))}
const { retry, reporters } = own.test
export default { test: { retry, reporters, globals: true } }`,
  )
  const runWith = async (env: NodeJS.ProcessEnv) => {
    const { CI: _, GATEHOUSE_TEST_RESULTS: __, ...inherited } = process.env
    const program = join(root, 'node_modules/vitest/vitest.mjs')
    const run = promisify(execFile)(process.execPath, [program, 'run', '--root', place], { env: { ...inherited, ...env } })
    const { stdout } = await run.catch((error: { stdout: string }) => error)
    return stripVTControlCharacters(stdout)
      .split('\n')
      .filter((line) => /^passed at|^ +Tests /.test(line))
  }
  const [counts, ...named] = await runWith({ CI: 'true' })
  expect(counts).toContain('1 failed | 2 passed')
  expect(named).toEqual([
    expect.stringMatching(/^passed at the second try: .*some\.test\.mjs > a run > that is rare \(too early\)$/),
  ])
  expect(await runWith({})).toEqual([expect.stringContaining('2 failed | 1 passed')])
})
