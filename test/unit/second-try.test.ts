import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/directory.ts'

const root = join(import.meta.dirname, '../..')
const place = temporaryDirectory()

/** Runs the file with these tests as the check run does; answers the path of its report. */
const report = (name: string, tests: string) => {
  writeFileSync(join(place, 'some.test.mjs'), tests)
  writeFileSync(join(place, 'sound.test.mjs'), "test('that is sound', () => {})")
  const path = join(place, name)
  const config = `import { unhandledReporter } from ${JSON.stringify(join(root, 'test/support/unhandled.ts'))}
export default { test: { globals: true, reporters: ['json', unhandledReporter(${JSON.stringify(path)})], outputFile: ${JSON.stringify(path)} } }`
  writeFileSync(join(place, 'vitest.config.mjs'), config)
  const args = ['run', '--root', place]
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], { stdio: 'ignore' })
  } catch {
    // Tests that fail: the report has them.
  }
  return path
}

const read = (...args: readonly string[]) => {
  try {
    return {
      lines: execFileSync(process.execPath, [join(root, '.ci/results.mjs'), ...args], { encoding: 'utf8', cwd: place }).split(
        '\n',
      ),
      status: 0,
    }
  } catch (error) {
    const { stdout, status } = error as { stdout: string; status: number }
    return { lines: stdout.split('\n'), status }
  }
}

const sound = "test('that is sound', () => {})"
const skipped = "test.skip('that lacks something', () => {})"
const failing = (name: string, message: string) => `test('${name}', () => { throw new Error('${message}\\nand more') })`
const rare = (passes: boolean) => (passes ? "test('that is rare', () => {})" : failing('that is rare', 'too early'))

test('the check run counts a file with a failed test as its second try went, and names what passed only then', () => {
  const first = report('first', [sound, skipped, rare(false)].join('\n'))
  expect(read('failed', first)).toEqual({ lines: ['some.test.mjs', ''], status: 0 })
  expect(read('count', first)).toEqual({ lines: ['', '2 passed, 1 failed, 1 skipped', ''], status: 1 })
  const second = report('second', [sound, skipped, rare(true)].join('\n'))
  expect(read('count', first, second)).toEqual({
    lines: ['passed at the second try: some.test.mjs > that is rare (Error: too early)', '', '3 passed, 0 failed, 1 skipped', ''],
    status: 0,
  })
})

test('a test that fails twice fails, and so does a file that does not load', () => {
  const both = report('both', [failing('that is broken', 'always'), rare(false)].join('\n'))
  const one = report('one', [failing('that is broken', 'always'), rare(true)].join('\n'))
  expect(read('count', both, one)).toEqual({
    lines: [expect.stringContaining('that is rare'), '', '2 passed, 1 failed, 0 skipped', ''],
    status: 1,
  })
  const unread = report('unread', "import './absent.mjs'")
  expect(read('failed', unread).lines).toEqual(['some.test.mjs', ''])
  expect(read('count', both, unread)).toEqual({ lines: ['', '1 passed, 1 failed, 0 skipped', ''], status: 1 })
})

test('a test or file that failed and does not run at the second try has failed', () => {
  const both = report('two', [sound, failing('that is rare', 'here'), failing('that is rare', 'there')].join('\n'))
  for (const then of [[sound, "test.skip('that is rare', () => {})"], [sound], [sound, rare(true)], [skipped]]) {
    const second = report('lacking', then.join('\n'))
    expect(read('count', both, second).lines.at(-2)).toMatch(/ [12] failed,/)
    expect(read('count', both, second).status).toBe(1)
  }
  const unread = report('unread', "import './absent.mjs'")
  expect(read('count', unread, report('skipping', skipped))).toEqual({
    lines: ['not run at the second try: some.test.mjs', '', '1 passed, 1 failed, 1 skipped', ''],
    status: 1,
  })
})

test('a run with an error that belongs to no test has failed, and no second try of a test mends it', () => {
  const stray = "test('that leaves work behind', () => void Promise.reject(new Error('stray')))"
  const first = report('stray', [stray, rare(false)].join('\n'))
  expect(read('failed', first)).toEqual({ lines: [''], status: 0 })
  const second = report('calm', [sound, rare(true)].join('\n'))
  expect(read('count', first, second)).toMatchObject({ status: 1 })
  expect(read('count', report('alone', stray))).toEqual({ lines: ['', '2 passed, 1 failed, 0 skipped', ''], status: 1 })
})

test('a run without a report has failed', () => {
  writeFileSync(join(place, 'none'), '')
  expect(read('count', join(place, 'none')).status).toBe(1)
})
