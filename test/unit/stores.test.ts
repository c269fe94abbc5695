import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')

/** The core has SQL in other files too. All of them use `db`, and `jobs.ts` runs the watches of stores. */
const isAsking = (path: string) =>
  /^src\/core\/(?!db\/|jobs\.ts$)/.test(path) && /\.knex\b|(read|write|change)Prepared\(|writeRaw\(/.test(read(path))

const stores = globSync('src/**/*.ts', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /(^|[/-])store\.ts$|\/store\//.test(path) || isAsking(path))

const tests = globSync('test/stores/*.store.test.ts', { cwd: root }).map(read)
/** The module that each test names and imports. */
const compared = tests.flatMap((text) => {
  const [, name] = /\bcompareStore\(\s*'([^']+)'/.exec(text) ?? []
  return name !== undefined && text.includes(`'../../src/${name}.ts'`) ? [`src/${name}.ts`] : []
})

test('every module with SQL has one test that compares its results on both databases', () => {
  expect(stores).toEqual(expect.arrayContaining(['src/core/queue-store.ts', 'src/core/signals.ts', 'src/backup/store/rows.ts']))
  expect(compared.toSorted()).toEqual(stores.toSorted())
})

test('every store test names the store that it imports', () => {
  expect(compared).toHaveLength(tests.length)
})
