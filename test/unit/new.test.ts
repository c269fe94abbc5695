/** The files that `npm run new` generates keep to the architecture, and work once their lines are in the lists. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generate } from '../../bin/new.ts'
import { checkFile } from '../support/architecture.ts'
import { temporaryDirectory } from '../support/directory.ts'

const root = join(import.meta.dirname, '../..')
const packages = new Set(Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies))
const directory = temporaryDirectory()

/** A checkout of links to the files of this one, with copies of the changed lists and of the folders that get files. */
const checkout = (name: string, changed: readonly string[], folders: readonly string[] = []): string => {
  const copy = join(directory, name)
  const fill = (folder: string) => {
    mkdirSync(join(copy, folder), { recursive: true })
    for (const entry of readdirSync(join(root, folder))) {
      const path = folder === '' ? entry : `${folder}/${entry}`
      if (changed.includes(path)) cpSync(join(root, path), join(copy, path))
      else if ([...changed, ...folders].some((own) => own === path || own.startsWith(`${path}/`))) fill(path)
      else if (!/^(test(\/(?!support).*)?|dist|data|\.git)$/.test(path)) symlinkSync(join(root, path), join(copy, path))
    }
  }
  fill('')
  return copy
}

const violations = (copy: string, paths: readonly string[]) =>
  paths
    .filter((path) => /^(src|admin-ui)\//.test(path))
    .flatMap((path) => checkFile(path, readFileSync(join(copy, path), 'utf8'), packages))

const featureLists = ['src/composition.ts', 'admin-ui/console/live/dependencies.ts', 'test/support/changed.ts', 'README.md']

test('a generated feature obeys the architecture, adds its call to the API, and has its lines for the console, for test:changed and in the README', {
  timeout: 60_000,
}, () => {
  const copy = checkout('feature', featureLists)
  const { files, changes } = generate('feature', 'opening-hours', copy)
  expect(violations(copy, [...Object.keys(files), ...Object.keys(changes)])).toEqual([])
  const program = `
    const { configSchema, compose } = await import('./src/composition.ts')
    const { loadConfig } = await import('./src/core/config.ts')
    const { systemClock } = await import('./src/core/clock.ts')
    const { createLog } = await import('./src/core/log.ts')
    const { systemRandom } = await import('./src/core/random.ts')
    const flags = { databaseUrl: 'postgres://localhost/x', secret: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'] }
    let ticks = 0
    const clock = { ...systemClock, now: () => new Date(ticks++) }
    const { routes, openingHours } = compose(loadConfig(configSchema, { env: {}, flags }), { clock, random: systemRandom, log: createLog('silent') })
    const { reads } = await import('./admin-ui/console/live/dependencies.ts')
    const [first] = routes.filter(({ endpoint }) => endpoint?.path === '/admin/opening-hours')
    const { testFolders } = await import('./test/support/changed.ts')
    const answers = [openingHours.read(), openingHours.read()].map(({ startedAt }) => startedAt.getTime())
    console.log(JSON.stringify([answers[0] === answers[1], first?.endpoint.method, reads['/admin/opening-hours'], testFolders['src/opening-hours/']]))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: copy, encoding: 'utf8' })
  expect(JSON.parse(said)).toEqual([true, 'GET', ['setting'], ['http/opening-hours']])
  expect(readFileSync(join(copy, 'README.md'), 'utf8')).toContain('\n| `src/opening-hours` | the opening hours |\n')
})

test('an invalid name, an unknown kind and an existing file are refused, and nothing is written', () => {
  const copy = checkout('refused', featureLists)
  for (const [kind, name, reason] of [
    ['feature', 'Opening', /small letters/],
    ['feature', '../x', /small letters/],
    ['feature', 'mail', /is there already/],
    ['table', 'opening-hours', /no kind table/],
  ] as const)
    expect(() => generate(kind, name, copy), name).toThrow(reason)
  for (const list of featureLists) expect(readFileSync(join(copy, list), 'utf8')).toBe(readFileSync(join(root, list), 'utf8'))
})

test('a generated screen obeys the architecture, is in the list of screens with its state, and has its texts in English', () => {
  const lists = ['admin-ui/console/groups.ts', 'admin-ui/states/console/states.ts', 'admin-ui/locales/console/en.json']
  const folders = ['admin-ui/console/system', 'admin-ui/states/console/screens']
  const copy = checkout('screen', [...featureLists, ...lists], folders)
  expect(() => generate('screen', 'opening-hours', copy)).toThrow('npm run new -- feature opening-hours')
  generate('feature', 'opening-hours', copy)
  const { files, changes } = generate('screen', 'opening-hours', copy)
  expect(Object.keys(changes)).toEqual(lists)
  const paths = [...Object.keys(files), ...lists].filter((path) => !path.endsWith('.json'))
  expect(violations(copy, paths)).toEqual([])
  const text = (path: string) => readFileSync(join(copy, path), 'utf8')
  const known = Object.values(JSON.parse(text('admin-ui/locales/console/en.json')) as Record<string, object>).flatMap(Object.keys)
  const said = [...text('admin-ui/console/system/opening-hours.tsx').matchAll(/\bt\('([^']+)'\)/g)].map(([, key]) => key)
  expect(said.length).toBeGreaterThan(0)
  expect(known).toEqual(expect.arrayContaining([...said, 'console.screen.openingHours']))
  expect(text('admin-ui/console/groups.ts')).toContain("path: '/admin/opening-hours'")
  expect(text('admin-ui/states/console/states.ts')).toContain('...openingHoursCases,')
})
