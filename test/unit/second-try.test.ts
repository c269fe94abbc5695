import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/directory.ts'

const root = join(import.meta.dirname, '../..')
const place = temporaryDirectory()

const sound = "test('that is sound', () => {})"
const skipped = "test.skip('that lacks something', () => {})"
const failing = (name: string, message: string) => `test('${name}', () => { throw new Error('${message}\\nand more') })`
const rare = (passes: boolean) => (passes ? "test('that is rare', () => {})" : failing('that is rare', 'too early'))

const stray = "test('that leaves work behind', () => void Promise.reject(new Error('stray')))"

/** What the file of tests is in a try. */
const tries = {
  first: [sound, skipped, rare(false)],
  second: [sound, skipped, rare(true)],
  both: [failing('that is broken', 'always'), rare(false)],
  one: [failing('that is broken', 'always'), rare(true)],
  unread: ["import './absent.mjs'"],
  two: [sound, failing('that is rare', 'here'), failing('that is rare', 'there')],
  skips: [sound, "test.skip('that is rare', () => {})"],
  lacks: [sound],
  lacksOne: [sound, rare(true)],
  skipsAll: [skipped],
}
const soundFile = 'sound.test.mjs'

interface FileResult {
  readonly name: string
}

/** Runs files as the check run does; answers their results and the path of the report. */
const run = (name: string, files: Readonly<Record<string, readonly string[]>>) => {
  const directory = join(place, name)
  mkdirSync(directory)
  const path = join(directory, 'report')
  for (const [file, tests] of Object.entries(files)) writeFileSync(join(directory, file), tests.join('\n'))
  const config = `import { unhandledReporter } from ${JSON.stringify(join(root, 'test/support/unhandled.ts'))}
export default { test: { globals: true, maxWorkers: 1, reporters: ['json', unhandledReporter(${JSON.stringify(path)})], outputFile: ${JSON.stringify(path)} } }`
  writeFileSync(join(directory, 'vitest.config.mjs'), config)
  try {
    const args = ['run', '--root', directory]
    execFileSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], { stdio: 'ignore' })
  } catch {
    // Tests that fail: the report has them.
  }
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as { testResults: readonly FileResult[] }
  return { path, results: new Map(testResults.map((result) => [basename(result.name), result])) }
}

let results: ReadonlyMap<string, FileResult>
beforeAll(() => {
  // One run for all tries: to start the runner takes longer than the tests.
  const files = Object.entries(tries).map(([name, tests]) => [`${name}.test.mjs`, tests] as const)
  results = run('tries', { ...Object.fromEntries(files), [soundFile]: ["test('that is sound', () => {})"] }).results
})

/** The path of the report of a run whose file of tests was as in a try. */
const report = (name: keyof typeof tries) => {
  const path = join(place, `${name}.json`)
  const result = { ...results.get(`${name}.test.mjs`), name: join(place, 'some.test.mjs') }
  writeFileSync(path, JSON.stringify({ testResults: [result, { ...results.get(soundFile), name: join(place, soundFile) }] }))
  writeFileSync(`${path}.unhandled`, '0')
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

test('the check run counts a file with a failed test as its second try went, and names what passed only then', () => {
  const first = report('first')
  expect(read('failed', first)).toEqual({ lines: ['some.test.mjs', ''], status: 0 })
  expect(read('count', first)).toEqual({ lines: ['', '2 passed, 1 failed, 1 skipped', ''], status: 1 })
  const second = report('second')
  expect(read('count', first, second)).toEqual({
    lines: ['passed at the second try: some.test.mjs > that is rare (Error: too early)', '', '3 passed, 0 failed, 1 skipped', ''],
    status: 0,
  })
})

test('a test that fails twice fails, and so does a file that does not load', () => {
  const both = report('both')
  const one = report('one')
  expect(read('count', both, one)).toEqual({
    lines: [expect.stringContaining('that is rare'), '', '2 passed, 1 failed, 0 skipped', ''],
    status: 1,
  })
  const unread = report('unread')
  expect(read('failed', unread).lines).toEqual(['some.test.mjs', ''])
  expect(read('count', both, unread)).toEqual({ lines: ['', '1 passed, 1 failed, 0 skipped', ''], status: 1 })
})

test('a test or file that failed and does not run at the second try has failed', () => {
  const both = report('two')
  for (const then of ['skips', 'lacks', 'lacksOne', 'skipsAll'] as const) {
    const second = report(then)
    expect(read('count', both, second).lines.at(-2)).toMatch(/ [12] failed,/)
    expect(read('count', both, second).status).toBe(1)
  }
  const unread = report('unread')
  expect(read('count', unread, report('skipsAll'))).toEqual({
    lines: ['not run at the second try: some.test.mjs', '', '1 passed, 1 failed, 1 skipped', ''],
    status: 1,
  })
})

test('a run with an error that belongs to no test has failed, and no second try of a test mends it', () => {
  const { path: first } = run('stray', { 'some.test.mjs': [stray, rare(false)] })
  expect(read('failed', first)).toEqual({ lines: [''], status: 0 })
  expect(read('count', first, report('lacksOne'))).toMatchObject({ status: 1 })
  const { path: alone } = run('alone', { 'some.test.mjs': [stray] })
  expect(read('count', alone)).toEqual({ lines: ['', '1 passed, 1 failed, 0 skipped', ''], status: 1 })
})

test('a run without a report has failed', () => {
  writeFileSync(join(place, 'none'), '')
  expect(read('count', join(place, 'none')).status).toBe(1)
})
