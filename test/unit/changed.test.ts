/** Which tests a change reaches: `npm run test:changed`. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fittingIn, isTest, reachedTests, testFolders, withoutTests } from '../support/changed.ts'

const root = join(import.meta.dirname, '../..')

describe('the tests that a change reaches', () => {
  const sources = new Map([
    ['src/oidc/rules.ts', ''],
    ['src/oidc/service.ts', "import { rule } from './rules.ts'"],
    ['src/composition.ts', "import { service } from './oidc/service.ts'"],
    ['test/support/app.ts', "import { gatehouse } from '../../src/composition.ts'"],
    ['test/unit/rules.test.ts', "import { rule } from '../../src/oidc/rules.ts'"],
    ['test/http/oidc/tokens.db.test.ts', "import { testApp } from '../../support/app.ts'"],
    ['test/http/images/images.db.test.ts', "import { testApp } from '../../support/app.ts'"],
  ])

  test('are the tests that import it and the tests of its feature, and no others', () => {
    expect(reachedTests(['src/oidc/rules.ts'], sources)).toEqual(['test/unit/rules.test.ts', 'test/http/oidc/tokens.db.test.ts'])
  })

  test('are all that use a support file', () => {
    expect(reachedTests(['test/support/app.ts'], sources)).toEqual([
      'test/http/oidc/tokens.db.test.ts',
      'test/http/images/images.db.test.ts',
    ])
  })

  test('are those of features that use it too, after its own', () => {
    const used = new Map([
      ...sources,
      ['src/images/service.ts', "import { service } from '../oidc/service.ts'"],
      ['test/http/mail/content.db.test.ts', "import { testApp } from '../../support/app.ts'"],
    ])
    expect(reachedTests(['src/oidc/rules.ts'], used)).toEqual([
      'test/unit/rules.test.ts',
      'test/http/oidc/tokens.db.test.ts',
      'test/http/images/images.db.test.ts',
    ])
  })

  test('are nearest first: those that import it, those of its feature, those that it reaches through other files', () => {
    const far = new Map([...sources, ['test/unit/far.test.ts', "import { service } from '../../src/oidc/service.ts'"]])
    expect(reachedTests(['src/oidc/rules.ts'], far)).toEqual([
      'test/unit/rules.test.ts',
      'test/http/oidc/tokens.db.test.ts',
      'test/unit/far.test.ts',
    ])
  })

  test('are all that use an instance, where the composition itself was changed', () => {
    expect(reachedTests(['src/composition.ts'], sources)).toHaveLength(2)
  })

  test('are those without a browser first, where they are equally near', () => {
    const used = new Map([...sources, ['test/browser/account.test.ts', "import { testApp } from '../support/app.ts'"]])
    expect(reachedTests(['test/support/app.ts'], used).at(-1)).toBe('test/browser/account.test.ts')
  })

  test('are run as far as they fit: one that is too long leaves room for later ones, and the first always runs', () => {
    const costs: Readonly<Record<string, number>> = { first: 9, long: 5, short: 1 }
    expect(fittingIn(10, ['first', 'long', 'short'], (path) => costs[path] ?? 0)).toEqual({
      run: ['first', 'short'],
      left: ['long'],
    })
    expect(fittingIn(3, ['first', 'short'], (path) => costs[path] ?? 0)).toEqual({ run: ['first'], left: ['short'] })
  })

  test('are unknown for a file that nothing imports, and the file is named', () => {
    const changed = ['package.json', 'src/oidc/rules.ts', 'test/support/app.ts', 'test/unit/gone.test.ts']
    expect(withoutTests(changed, sources)).toEqual(['package.json'])
  })

  test('are the changed test itself, unless it was deleted', () => {
    expect(reachedTests(['test/unit/rules.test.ts', 'test/unit/gone.test.ts'], sources)).toEqual(['test/unit/rules.test.ts'])
  })

  test('are known for every feature: each folder of the source names tests that exist', () => {
    const tests = globSync('test/**/*.test.ts', { cwd: root }).filter(isTest)
    const prefixes = Object.keys(testFolders)
    const features = globSync('src/*/', { cwd: root }).map((folder) => `${folder.replace(/\/?$/, '/')}`)
    expect(features.length).toBeGreaterThan(20)
    expect(
      features.filter((folder) => !prefixes.some((prefix) => folder.startsWith(prefix) || prefix.startsWith(folder))),
    ).toEqual([])
    const named = Object.values(testFolders).flat()
    expect(named.filter((folder) => !tests.some((path) => path.startsWith(`test/${folder}`)))).toEqual([])
    const folders = globSync('test/http/*/', { cwd: root }).map((folder) => folder.replace('test/', '').replace(/\/$/, ''))
    expect(folders.filter((folder) => !named.some((start) => start.startsWith(folder)))).toEqual([])
    expect(prefixes.filter((prefix) => globSync(`${prefix}**/*.{ts,tsx}`, { cwd: root }).length === 0)).toEqual([])
  })
})
