/** The tests that a change affects: `npm run test:changed`. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fittingIn, isTest, reachedTests, testFolders, withoutTests } from '../support/changed.ts'

const root = join(import.meta.dirname, '../..')

describe('the tests affected by a change', () => {
  const sources = new Map([
    ['src/oidc/rules.ts', ''],
    ['src/oidc/service.ts', "import { rule } from './rules.ts'"],
    ['src/composition.ts', "import { service } from './oidc/service.ts'"],
    ['test/support/app.ts', "import { gatehouse } from '../../src/composition.ts'"],
    ['test/unit/rules.test.ts', "import { rule } from '../../src/oidc/rules.ts'"],
    ['test/http/oidc/tokens.db.test.ts', "import { testApp } from '../../support/app.ts'"],
    ['test/http/images/images.db.test.ts', "import { testApp } from '../../support/app.ts'"],
  ])

  test('a changed module runs the tests that import it and the tests of its feature, and no others', () => {
    expect(reachedTests(['src/oidc/rules.ts'], sources)).toEqual(['test/unit/rules.test.ts', 'test/http/oidc/tokens.db.test.ts'])
  })

  test('a changed support file runs all tests that use it', () => {
    expect(reachedTests(['test/support/app.ts'], sources)).toEqual([
      'test/http/oidc/tokens.db.test.ts',
      'test/http/images/images.db.test.ts',
    ])
  })

  test('a changed module also runs the tests of features that use the module, after the tests of its own feature', () => {
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

  test('affected tests are ordered by distance: direct imports, the same feature, then tests reached through other files', () => {
    const far = new Map([...sources, ['test/unit/far.test.ts', "import { service } from '../../src/oidc/service.ts'"]])
    expect(reachedTests(['src/oidc/rules.ts'], far)).toEqual([
      'test/unit/rules.test.ts',
      'test/http/oidc/tokens.db.test.ts',
      'test/unit/far.test.ts',
    ])
  })

  test('a change of the composition runs all tests that use an instance', () => {
    expect(reachedTests(['src/composition.ts'], sources)).toHaveLength(2)
  })

  test('of affected tests with equal distance, tests without a browser run first', () => {
    const used = new Map([...sources, ['test/browser/account.test.ts', "import { testApp } from '../support/app.ts'"]])
    expect(reachedTests(['test/support/app.ts'], used).at(-1)).toBe('test/browser/account.test.ts')
  })

  test('as many affected tests run as fit in the time: a long test leaves room for later ones, and the first always runs', () => {
    const costs: Readonly<Record<string, number>> = { first: 9, long: 5, short: 1 }
    expect(fittingIn(10, ['first', 'long', 'short'], (path) => costs[path] ?? 0)).toEqual({
      run: ['first', 'short'],
      left: ['long'],
    })
    expect(fittingIn(3, ['first', 'short'], (path) => costs[path] ?? 0)).toEqual({ run: ['first'], left: ['short'] })
  })

  test('a changed file that nothing imports is named, because its tests are unknown', () => {
    const changed = ['package.json', 'src/oidc/rules.ts', 'test/support/app.ts', 'test/unit/gone.test.ts']
    expect(withoutTests(changed, sources)).toEqual(['package.json'])
  })

  test('a changed test file runs itself, unless it was deleted', () => {
    expect(reachedTests(['test/unit/rules.test.ts', 'test/unit/gone.test.ts'], sources)).toEqual(['test/unit/rules.test.ts'])
  })

  test('every folder of the source has a list of tests, and the tests exist', () => {
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
