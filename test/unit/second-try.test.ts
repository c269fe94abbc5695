import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/directory.ts'

const root = join(import.meta.dirname, '../..')
const place = temporaryDirectory()

interface Report {
  readonly testResults: readonly { readonly name: string }[]
}

/** Runs files with these tests in one run, like the check run. Returns the path of a report for each, as if it had run alone. */
const reports = <Name extends string>(files: Readonly<Record<Name, string>>): Readonly<Record<Name, string>> => {
  const run = mkdtempSync(join(place, 'run-'))
  const whole = join(run, 'whole')
  for (const [name, tests] of Object.entries<string>(files)) {
    mkdirSync(join(run, name))
    writeFileSync(join(run, name, 'some.test.mjs'), tests)
    writeFileSync(join(run, name, 'sound.test.mjs'), "test('that is sound', () => {})")
  }
  const config = `import { unhandledReporter } from ${JSON.stringify(join(root, 'test/support/unhandled.ts'))}
export default { test: { globals: true, isolate: false, maxWorkers: 1, reporters: ['json', unhandledReporter(${JSON.stringify(whole)})], outputFile: ${JSON.stringify(whole)} } }`
  writeFileSync(join(run, 'vitest.config.mjs'), config)
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', run], { stdio: 'ignore' })
  } catch {
    // The report contains the failed tests.
  }
  const { testResults } = JSON.parse(readFileSync(whole, 'utf8')) as Report
  return Object.fromEntries(
    Object.keys(files).map((name) => {
      const path = join(run, `${name}.json`)
      const own = testResults.filter((file) => dirname(file.name) === join(run, name))
      writeFileSync(
        path,
        JSON.stringify({ testResults: own.map((file) => ({ ...file, name: join(place, basename(file.name)) })) }),
      )
      copyFileSync(`${whole}.unhandled`, `${path}.unhandled`)
      return [name, path]
    }),
  ) as Record<Name, string>
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

const unloadable = "import './absent.mjs'"
const of = reports({
  rare: [sound, skipped, rare(false)].join('\n'),
  mended: [sound, skipped, rare(true)].join('\n'),
  broken: [failing('that is broken', 'always'), rare(false)].join('\n'),
  'half mended': [failing('that is broken', 'always'), rare(true)].join('\n'),
  unloadable,
  twice: [sound, failing('that is rare', 'here'), failing('that is rare', 'there')].join('\n'),
  'skipped then': [sound, "test.skip('that is rare', () => {})"].join('\n'),
  'gone then': sound,
  'once then': [sound, rare(true)].join('\n'),
  'all skipped': skipped,
})

test('the check run takes the result of a failed test file from its second try, and names tests that passed only then', () => {
  expect(read('failed', of.rare)).toEqual({ lines: ['some.test.mjs', ''], status: 0 })
  expect(read('count', of.rare)).toEqual({ lines: ['', '2 passed, 1 failed, 1 skipped', ''], status: 1 })
  expect(read('count', of.rare, of.mended)).toEqual({
    lines: [
      'a fault to find, passed only at the second try: some.test.mjs > that is rare (Error: too early)',
      '',
      '3 passed, 0 failed, 1 skipped',
      '',
    ],
    status: 0,
  })
})

test('a test that fails twice fails the run, and so does a file that does not load', () => {
  expect(read('count', of.broken, of['half mended'])).toEqual({
    lines: [expect.stringContaining('that is rare'), '', '2 passed, 1 failed, 0 skipped', ''],
    status: 1,
  })
  expect(read('failed', of.unloadable).lines).toEqual(['some.test.mjs', ''])
  expect(read('count', of.broken, of.unloadable)).toEqual({ lines: ['', '1 passed, 1 failed, 0 skipped', ''], status: 1 })
})

test('a failed test or file that does not run in the second try fails the run', () => {
  for (const then of ['skipped then', 'gone then', 'once then', 'all skipped'] as const) {
    expect(read('count', of.twice, of[then]).lines.at(-2)).toMatch(/ [12] failed,/)
    expect(read('count', of.twice, of[then]).status).toBe(1)
  }
  expect(read('count', of.unloadable, of['all skipped'])).toEqual({
    lines: ['not run at the second try: some.test.mjs', '', '1 passed, 1 failed, 1 skipped', ''],
    status: 1,
  })
})

test('an error outside of all tests fails the run, even if all tests pass in the second try', () => {
  const stray = "test('that leaves work behind', () => void Promise.reject(new Error('stray')))"
  const { first } = reports({ first: [stray, rare(false)].join('\n') })
  expect(read('failed', first)).toEqual({ lines: [''], status: 0 })
  expect(read('count', first, of['once then'])).toMatchObject({ status: 1 })
  const { alone } = reports({ alone: stray })
  expect(read('count', alone)).toEqual({ lines: ['', '2 passed, 1 failed, 0 skipped', ''], status: 1 })
})

test('a run without a report has failed', () => {
  writeFileSync(join(place, 'none'), '')
  expect(read('count', join(place, 'none')).status).toBe(1)
})
