import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The shortest limit of a wait. A machine that is busy with other things too can be many times slower. */
const shortestMs = 20_000

/** The calls of `vi.waitFor` and `vi.waitUntil` without a limit, which then is one second, and those with a number that is too low. */
const shortWaitsOf = (source: string): readonly string[] => {
  const found: string[] = []
  new Visitor({
    CallExpression: ({ callee, arguments: [, limit], start }) => {
      if (!/^vi\.wait(For|Until)$/.test(source.slice(callee.start, callee.end))) return
      const text = limit === undefined ? '' : source.slice(limit.start, limit.end)
      const ms = /^[\d_]+$|(?<=timeout: )[\d_]+/.exec(text)?.[0] ?? (text === '' ? '1_000' : undefined)
      if (ms !== undefined && Number(ms.replaceAll('_', '')) < shortestMs)
        found.push(`line ${source.slice(0, start).split('\n').length}`)
    },
  }).visit(parseSync('test.ts', source).program)
  return found
}

test('every wait of a test allows a busy machine at least twenty seconds', () => {
  const paths = globSync('test/**/*.ts', { cwd: root }).filter((path) => path !== 'test/unit/waits.test.ts')
  const waiting = paths
    .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
    .filter(([, source]) => source.includes('vi.wait'))
  expect(waiting.length).toBeGreaterThan(50)
  expect(waiting.flatMap(([path, source]) => shortWaitsOf(source).map((line) => `${path}, ${line}`))).toEqual([])
})

test.each(['vi.waitFor(isThere)', 'vi.waitFor(isThere, 5_000)', 'vi.waitUntil(isThere, { timeout: 900, interval: 10 })'])(
  'the wait %s is too short',
  (source) => expect(shortWaitsOf(source)).toEqual(['line 1']),
)
