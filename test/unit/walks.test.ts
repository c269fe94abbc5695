/** The walks of CONTRIBUTING: as few files as a reader can open, each of which is there and knows another one of its walk. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const contributing = readFileSync('CONTRIBUTING.md', 'utf8')

const walks = contributing
  .slice(contributing.indexOf('## Three walks'), contributing.indexOf('## Add something'))
  .split('\n### ')
  .slice(1)
  .map((part) => ({
    title: part.split('\n')[0] ?? '',
    files: [...part.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path),
  }))

const importsOf = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(/ from '(\.[^']+)'/g)]
    .map(([, target = '']) => join(dirname(path), target))
    .filter((target) => target.startsWith('src/') && existsSync(target))

/** The `index.ts` of a feature stands for its folder: other features see its types there. */
const isOf = (imported: string, path: string) =>
  imported === path || (imported.endsWith('/index.ts') && path.startsWith(`${dirname(imported)}/`))

/** One imports the other, or a file that does. */
const knows = (one: string, other: string): boolean => {
  const imported = importsOf(one)
  return [...imported, ...imported.flatMap(importsOf)].some((path) => isOf(path, other))
}

test('README has at most 90 lines, and CONTRIBUTING 150', () => {
  const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n').length
  expect(lines('README.md')).toBeLessThanOrEqual(90)
  expect(lines('CONTRIBUTING.md')).toBeLessThanOrEqual(150)
})

test('a walk of CONTRIBUTING is short: a refresh six files, the others twelve at most', () => {
  expect(walks.map(({ title }) => title)).toEqual([
    'A sign-in with a second factor',
    'A refresh at the token endpoint',
    'A billing delivery, up to its claim',
  ])
  const [signIn, refresh, delivery] = walks.map(({ files }) => files.length)
  expect([signIn, delivery].every((count = 0) => count > 6 && count <= 12)).toBe(true)
  expect(refresh).toBe(6)
})

test('the files of a walk are there, and each knows another one of the walk or is known by it', () => {
  for (const { title, files } of walks) {
    expect([title, files.filter((path) => !existsSync(path))]).toEqual([title, []])
    const alone = files.filter((path) => !files.some((other) => other !== path && (knows(path, other) || knows(other, path))))
    expect([title, alone]).toEqual([title, []])
  }
})

test('a command that CONTRIBUTING names as looked for is declared in the folder beside it', () => {
  const rows = [...contributing.matchAll(/^\| (`[a-z]+(?:-[a-z]+)*`.*) \| `(src\/[\w/-]+\/)`/gm)]
  expect(rows.length).toBeGreaterThan(3)
  for (const [, commands = '', folder = ''] of rows) {
    const source = globSync(`${folder}**/cli.ts`)
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
    for (const [, command] of commands.matchAll(/`([a-z]+(?:-[a-z]+)*)`/g)) expect(source).toContain(`.command('${command}')`)
  }
})
