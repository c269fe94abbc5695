/**
 * Style sheets of the console are loaded with the screens that import them. A class from another screen's sheet would look right only
 * after a visit there.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../admin-ui/console')
const read = (file: string) => readFileSync(file, 'utf8')
const named = (file: string) => relative(root, file)

const imported = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?from\s+)?'(\.[^'?]+)'/gm
const importedSheet = /@import "(\.[^"]+)"/g
const importedLater = /import\('(\.[^']+)'\)/g
const targets = (file: string, pattern: RegExp) =>
  [...read(file).matchAll(pattern)].map(([, path = '']) => join(dirname(file), path)).filter(existsSync)

/** The files that are loaded together with a file. */
const loadedWith = (...starts: readonly string[]): ReadonlySet<string> => {
  const found = new Set<string>()
  const waiting = [...starts]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue
    found.add(file)
    waiting.push(...targets(file, file.endsWith('.css') ? importedSheet : imported))
  }
  return found
}

const classesStyled = (files: Iterable<string>): ReadonlySet<string> =>
  new Set(
    [...files]
      .filter((file) => file.endsWith('.css'))
      .flatMap((file) =>
        [
          ...read(file)
            .replaceAll(/\/\*[\s\S]*?\*\//g, '')
            .matchAll(/\.([a-z][\w-]*)/g),
        ].map(([, name = '']) => name),
      ),
  )

const classesUsed = (file: string): readonly string[] =>
  file.endsWith('.tsx') ? [...read(file).matchAll(/className="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' ')) : []

test('the style sheet with the CSS classes of a console part is loaded with the part', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: root }).map((file) => join(root, file))
  const styled = classesStyled(globSync('**/*.css', { cwd: root }).map((file) => join(root, file)))
  const always = loadedWith(...['main.tsx', 'start.tsx', 'app.tsx', 'styles/console.css'].map((file) => join(root, file)))
  const parts = new Set(files.flatMap((file) => targets(file, importedLater)).filter((file) => file.startsWith(root)))
  expect(parts.size).toBeGreaterThan(40)
  const missing = [...parts].flatMap((part) => {
    const loaded = loadedWith(part)
    const known = classesStyled([...always, ...loaded])
    return [...loaded]
      .filter((file) => file.startsWith(root))
      .flatMap((file) =>
        classesUsed(file)
          .filter((name) => styled.has(name) && !known.has(name))
          .map((name) => `${named(part)}: .${name} of ${named(file)}`),
      )
  })
  expect([...new Set(missing)]).toEqual([])
})
