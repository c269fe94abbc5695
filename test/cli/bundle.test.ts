/** The bundle that a checkout runs: which bundles are kept, its compiled code, and what runs when none can be written. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/directory.ts'

const root = join(import.meta.dirname, '../..')
const place = temporaryDirectory()
const dist = join(place, 'dist')
const slow = 240_000

const writeTexts = () => {
  mkdirSync(join(place, 'admin-ui/locales/mails'), { recursive: true })
  writeFileSync(join(place, 'admin-ui/locales/mails/de.json'), '"grün"')
}

/** A checkout of its own, whose program is bundled in a moment. */
beforeAll(() => {
  cpSync(join(root, 'bin'), join(place, 'bin'), { recursive: true })
  cpSync(join(root, 'package.json'), join(place, 'package.json'))
  cpSync(join(root, 'package-lock.json'), join(place, 'package-lock.json'))
  for (const part of ['src', 'migrations']) mkdirSync(join(place, part))
  writeTexts()
  writeFileSync(
    join(place, 'src/main.ts'),
    `import { readFileSync } from 'node:fs'
const texts = new URL('../admin-ui/locales/mails/de.json', import.meta.url)
export const main = async (): Promise<number> => (
  console.log('1.0 ü 😀', /^[\u00e4😀]$/u.test('ä'), JSON.parse(readFileSync(texts, 'utf8'))), 0)\n`,
  )
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
})

const run = (file: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(place, file), ...args], { cwd: place, encoding: 'utf8' })
/** Bundles again, as after a pull. */
const build = () => {
  writeFileSync(join(place, 'package-lock.json'), String(Math.random()).padEnd(40))
  expect(run('bin/bundle.ts').stderr).toBe('')
}

test('a bundle that a daemon has used for weeks is kept for a day after a newer bundle is built', { timeout: slow }, () => {
  const running = join(dist, 'running')
  const days = (count: number) => new Date(Date.now() - count * 86_400_000)
  mkdirSync(running, { recursive: true })
  utimesSync(running, days(30), days(30))
  build()
  expect(existsSync(running)).toBe(true)
  utimesSync(join(running, 'superseded'), days(2), days(2))
  build()
  expect(existsSync(running)).toBe(false)
})

test('a bundle contains only ASCII, so that Node stores it in one byte a character, and behaves like its source', {
  timeout: slow,
}, () => {
  build()
  const bundles = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'))
  expect(bundles.filter((file) => /[^\0-\x7f]/.test(readFileSync(join(dist, file), 'utf8')))).toEqual([])
  expect(run('bin/gatehouse.js', '--version').stdout).toBe('1.0 ü 😀 true grün\n')
})

test('the texts of mails are part of the bundle, so a running daemon keeps its own texts', { timeout: slow }, () => {
  build()
  rmSync(join(place, 'admin-ui'), { recursive: true })
  writeFileSync(join(place, 'run.mjs'), "await (await import('./dist/gatehouse.js')).main()")
  expect(run('run.mjs').stdout).toBe('1.0 ü 😀 true grün\n')
  writeTexts()
})

/** The files of compiled code. */
const codeFiles = () =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.code'))
    .map((file) => join(dist, file))
const writtenAt = () => codeFiles().map((file) => [file, statSync(file).mtimeMs])
const greeting = '1.0 ü 😀 true grün\n'

test('a start stores its compiled code beside the bundle, and later starts with the same options of Node run that code', {
  timeout: slow,
}, () => {
  rmSync(dist, { recursive: true })
  build()
  expect([codeFiles(), run('bin/gatehouse.js').stdout]).toEqual([[], greeting])
  const first = writtenAt()
  expect(first).not.toEqual([])
  expect([run('bin/gatehouse.js').stdout, writtenAt()]).toEqual([greeting, first])
  const withOption = spawnSync(process.execPath, ['--stack-size=900', join(place, 'bin/gatehouse.js')], { encoding: 'utf8' })
  expect([withOption.stdout, writtenAt().length]).toEqual([greeting, first.length * 2])
})

test('the bundle loads a package that is not part of it when the package is needed, and Node prints no warning', {
  timeout: slow,
}, () => {
  const main = readFileSync(join(place, 'src/main.ts'), 'utf8')
  writeFileSync(join(place, 'src/main.ts'), "export const main = async () => console.log((await import('sharp')).default.name)\n")
  build()
  const { stdout, stderr } = run('bin/gatehouse.js')
  writeFileSync(join(place, 'src/main.ts'), main)
  expect([stdout, stderr]).toEqual(['Sharp\n', ''])
})

test('compiled code that is cut short, damaged or of another source is replaced and never run', { timeout: slow }, () => {
  rmSync(dist, { recursive: true })
  build()
  run('bin/gatehouse.js')
  const spoil = {
    'cut short': (file: string) => truncateSync(file, statSync(file).size - 9),
    empty: (file: string) => truncateSync(file),
    damaged: (file: string) => writeFileSync(file, readFileSync(file).fill(7, 200, 210)),
    'of another source': (file: string) => {
      const source = file.replace(/\.\w+\.code$/, '')
      // V8 compares only the lengths of sources, so the new source has the same length.
      writeFileSync(source, readFileSync(source, 'utf8').replace('1.0', '2.0'))
    },
  }
  for (const [how, change] of Object.entries(spoil)) {
    const files = codeFiles()
    const whole = files.map((file) => statSync(file).size)
    for (const file of files) change(file)
    expect([how, run('bin/gatehouse.js').stdout]).toEqual([
      how,
      how === 'of another source' ? greeting.replace('1', '2') : greeting,
    ])
    expect([how, files.map((file) => statSync(file).size)]).toEqual([how, whole])
  }
})

test('the program runs from its sources if no bundle can be written', { timeout: slow }, () => {
  rmSync(dist, { recursive: true, force: true })
  writeFileSync(dist, 'in the way')
  const { status, stdout, stderr } = run('bin/gatehouse.js', '--version')
  expect([status, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/^\d+\.\d+/),
    expect.stringContaining('gatehouse: no bundle can be written'),
  ])
})
