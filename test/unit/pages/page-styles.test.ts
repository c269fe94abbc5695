import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../admin-ui', import.meta.url))
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')
const modules = globSync('{hosted,shared}/**/*.{ts,tsx}', { cwd: root }).filter((path) => !path.includes('locales'))

/** A style sheet and those that it imports. */
const withImported = (sheet: string): readonly string[] => [
  sheet,
  ...[...read(sheet).matchAll(/@import "([^"]+)"/g)].flatMap(([, path = '']) =>
    withImported(posix.join(posix.dirname(sheet), path)),
  ),
]
const classesOf = (sheets: readonly string[]) => {
  const rules = sheets.map((sheet) => read(sheet).replaceAll(/\/\*.*?\*\//gs, '')).join('\n')
  return new Set([...rules.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name))
}
const first = classesOf(withImported('hosted/hosted.css'))
const later = [...classesOf(withImported('hosted/more.css'))].filter((name) => !first.has(name))

const importsOf = (path: string, pattern: RegExp) =>
  [...read(path).matchAll(pattern)].map(([, target = '']) => posix.join(posix.dirname(path), target))
/** Everything that is loaded with a module, including itself. */
const closureOf = (path: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(path) || !modules.includes(path)) return found
  found.add(path)
  for (const target of importsOf(path, /^(?:import|export)(?! type)[^'\n]*from '(\.[^']+)'/gm)) closureOf(target, found)
  return found
}
const loadsMore = (path: string) => /^import '[./]*more\.css'$/m.test(read(path))
const usesOf = (path: string) => {
  const names = [...read(path).matchAll(/className=(?:"([^"]*)"|\{([^}]*)\})/g)].flatMap(
    ([text]) => text.match(/[a-z][\w-]*/g) ?? [],
  )
  return later.filter((name) => names.includes(name))
}

test('a page with more styles than the server writes into every page loads the further styles with its script', () => {
  const roots = new Set(modules.flatMap((path) => importsOf(path, /import\('(\.[^']+\.tsx)'\)/g)))
  expect(roots.size).toBeGreaterThan(25)
  const missing = [...roots].flatMap((path) => {
    const closure = [...closureOf(path)].filter((module) => !module.endsWith('hosted/skeleton.tsx'))
    const uses = closure.flatMap(usesOf)
    return uses.length === 0 || closure.some(loadsMore) ? [] : [`${path}: ${[...new Set(uses)].join(' ')}`]
  })
  expect(missing).toEqual([])
})
