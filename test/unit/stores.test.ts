import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')

/** The core keeps SQL in other files too. `db` is what all of them stand on, `jobs.ts` asks what the watches of stores say. */
const isAsking = (path: string) =>
  /^src\/core\/(?!db\/|jobs\.ts$)/.test(path) && /\.knex\b|(read|write|change)Prepared\(|writeRaw\(/.test(read(path))

const stores = globSync('src/**/*.ts', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /(^|[/-])store\.ts$|\/store\//.test(path) || isAsking(path))

const tests = globSync('test/stores/*.store.test.ts', { cwd: root }).map(read)
/** Of each test the module that it names and imports. */
const compared = tests.flatMap((text) => {
  const [, name] = /\bcompareStore\(\s*'([^']+)'/.exec(text) ?? []
  return name !== undefined && text.includes(`'../../src/${name}.ts'`) ? [`src/${name}.ts`] : []
})

test('the answers of every module that holds SQL are compared on both databases, by one test', () => {
  expect(stores).toEqual(expect.arrayContaining(['src/core/queue-store.ts', 'src/core/signals.ts', 'src/backup/store/rows.ts']))
  expect(compared.toSorted()).toEqual(stores.toSorted())
})

test('every test of a store names the store that it imports', () => {
  expect(compared).toHaveLength(tests.length)
})
