/** The bundle that a checkout runs: which bundles are kept, and what runs when none can be written. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
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

test('a bundle that a daemon has used for weeks is kept for a day after a newer one', { timeout: slow }, () => {
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

test('the texts of mails are part of the bundle, so a running daemon keeps its own', { timeout: slow }, () => {
  build()
  rmSync(join(place, 'admin-ui'), { recursive: true })
  writeFileSync(join(place, 'run.mjs'), "await (await import('./dist/gatehouse.js')).main()")
  expect(run('run.mjs').stdout).toBe('1.0 ü 😀 true grün\n')
  writeTexts()
})

test('the program runs from its sources where no bundle can be written', { timeout: slow }, () => {
  rmSync(dist, { recursive: true, force: true })
  writeFileSync(dist, 'in the way')
  const { status, stdout, stderr } = run('bin/gatehouse.js', '--version')
  expect([status, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/^\d+\.\d+/),
    expect.stringContaining('gatehouse: no bundle can be written'),
  ])
})
