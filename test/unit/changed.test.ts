/** Which tests a change reaches: `npm run test:changed`. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTest, reachedTests, testFolders } from '../support/changed.ts'

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

  test('are those that import it, and those of its feature, and no others', () => {
    expect(reachedTests(['src/oidc/rules.ts'], sources)).toEqual(['test/unit/rules.test.ts', 'test/http/oidc/tokens.db.test.ts'])
  })

  test('are all that use a support file', () => {
    expect(reachedTests(['test/support/app.ts'], sources)).toEqual([
      'test/http/oidc/tokens.db.test.ts',
      'test/http/images/images.db.test.ts',
    ])
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
    expect(prefixes.filter((prefix) => globSync(`${prefix}**/*.ts`, { cwd: root }).length === 0)).toEqual([])
  })
})
