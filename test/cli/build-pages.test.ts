/** The build of the pages before a start happens only when a source has changed. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/directory.ts'

const root = join(import.meta.dirname, '../..')
const place = temporaryDirectory()
const page = join(place, 'admin-ui/dist/hosted.html')

/** A checkout of its own, whose only page builds in a moment. */
beforeAll(() => {
  cpSync(join(root, 'bin'), join(place, 'bin'), { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(root, file), join(place, file))
  for (const folder of ['src', 'migrations', 'admin-ui']) mkdirSync(join(place, folder))
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  writeFileSync(join(place, 'admin-ui/hosted.html'), '<h1>one</h1>')
  const config =
    "export default { root: import.meta.dirname, build: { emptyOutDir: true, rolldownOptions: { input: 'hosted.html' } } }"
  writeFileSync(join(place, 'admin-ui/vite.config.ts'), config)
})

const build = () => spawnSync(process.execPath, [join(place, 'bin/pages.ts')], { cwd: place, encoding: 'utf8' })
/** Marks the built files, so that another build is noticed. */
const buildAndMark = () => {
  expect(build()).toMatchObject({ status: 0, stderr: '' })
  writeFileSync(page, 'built before')
}

test('pages are built only if they are missing or one of their sources has changed', () => {
  buildAndMark()
  expect(build().status).toBe(0)
  expect(readFileSync(page, 'utf8')).toBe('built before')

  writeFileSync(join(place, 'admin-ui/hosted.html'), '<h1>another</h1>')
  buildAndMark()
  writeFileSync(join(place, 'src/contract.ts'), 'export {}')
  expect(build().status).toBe(0)
  expect(readFileSync(page, 'utf8')).toContain('another')

  rmSync(join(place, 'admin-ui/dist'), { recursive: true })
  expect(build().status).toBe(0)
  expect(existsSync(page)).toBe(true)
})

test('pages whose build failed are built again', () => {
  writeFileSync(join(place, 'admin-ui/hosted.html'), '<script type="module" src="./missing.ts"></script>')
  expect(build().status).not.toBe(0)
  expect(build().status).not.toBe(0)
})

test('npm start, npm run demo and npm test build the pages only when necessary', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  expect(scripts['build:ui']).toBe('node bin/pages.ts')
  for (const name of ['prestart', 'predemo']) expect(scripts[name]).toBe('npm run build:ui')
  expect([scripts['pretest'], scripts['build']]).toEqual([
    'npm run build',
    'npm run build:ui && npm run build:server && npm run build:api',
  ])
})
