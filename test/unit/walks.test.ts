import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf } from '../support/floors.ts'

/** For each request, the maximum number of files that decide it, and of all files that a reader opens to follow every call. */
const longest: Readonly<Record<string, readonly [deciding: number, all: number]>> = {
  'A sign-in with a second factor': [12, 15],
  'A refresh at the token endpoint': [6, 9],
  'A delivery of the billing platform': [12, 16],
}

const [, chapter = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split(/^## Three walks through the code$/m)
const [walksOnly = ''] = chapter.split(/^## /m)
const pathsIn = (text: string) => [...new Set([...text.matchAll(/\bsrc\/[\w./-]+\.ts\b/g)].map(([path]) => path))]
const walks = walksOnly
  .split(/^### /m)
  .slice(1)
  .map((section) => ({
    title: section.split('\n', 1)[0] ?? '',
    deciding: pathsIn(section.split('\n*Details*: ', 1)[0] ?? ''),
    files: pathsIn(section),
  }))

const imported = (path: string): readonly string[] =>
  existsSync(path) ? importsOf(path, readFileSync(path, 'utf8')).map(({ target }) => target) : []

/** The imports of a file, including those of an imported `index.ts`. */
const reached = (path: string): readonly string[] =>
  imported(path).flatMap((target) => (target.endsWith('/index.ts') ? [target, ...imported(target)] : [target]))

/** The files of a walk that are connected with its first file: one imports the other, or one file between them imports both. */
const connected = (files: readonly string[]): readonly string[] => {
  const near = (path: string) => new Set(reached(path).flatMap((target) => [target, ...reached(target)]))
  const nearby = new Map(files.map((path) => [path, near(path)]))
  const isLinked = (one: string, other: string) => nearby.get(one)?.has(other) === true || nearby.get(other)?.has(one) === true
  const found = new Set(files.slice(0, 1))
  for (let size = 0; size !== found.size; ) {
    size = found.size
    for (const path of files) if ([...found].some((one) => isLinked(one, path))) found.add(path)
  }
  return files.filter((path) => found.has(path))
}

test('CONTRIBUTING describes the path of three requests', () => {
  expect(walks.map(({ title }) => title)).toEqual(Object.keys(longest))
})

describe.each(walks)('the walk "$title" in CONTRIBUTING', ({ title, deciding, files }) => {
  test('a walk in CONTRIBUTING names only existing files, and few enough for a reader to follow', () => {
    expect(files.filter((path) => !existsSync(path))).toEqual([])
    const [mostDeciding, most] = longest[title] ?? [0, 0]
    expect(deciding.length).toBeLessThanOrEqual(mostDeciding)
    expect(files.length).toBeLessThanOrEqual(most)
    expect(files.length).toBeGreaterThan(deciding.length)
  })

  test('every file of a walk in CONTRIBUTING is imported by another file of the walk', () => {
    expect(connected(files)).toEqual(files)
  })

  test('a walk in CONTRIBUTING names every file by its path in the repository', () => {
    for (const path of files) expect(posix.normalize(path)).toBe(path)
  })
})

test('every command of the table in CONTRIBUTING is declared in the folder that the table names', () => {
  const rows = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^\| (`[a-z]+(?:-[a-z]+)*`.*) \| `(src\/[\w/-]+\/)`/gm)]
  expect(rows.length).toBeGreaterThan(3)
  for (const [, commands = '', folder = ''] of rows) {
    const source = globSync(`${folder}**/cli.ts`)
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
    for (const [, command] of commands.matchAll(/`([a-z]+(?:-[a-z]+)*)`/g)) expect(source).toContain(`.command('${command}')`)
  }
})
