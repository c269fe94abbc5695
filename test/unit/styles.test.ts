import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../admin-ui', import.meta.url))

test('a class has rules in only one style sheet', () => {
  const homes = new Map<string, Set<string>>()
  for (const sheet of globSync('{hosted,shared,docs}/**/*.css', { cwd: root }))
    for (const [, name = ''] of readFileSync(`${root}/${sheet}`, 'utf8').matchAll(/^\.([\w-]+) \{/gm))
      homes.set(name, (homes.get(name) ?? new Set()).add(sheet))
  expect(homes.size).toBeGreaterThan(100)
  expect([...homes].filter(([, sheets]) => sheets.size > 1)).toEqual([])
})

test('every class with a rule is named by a page, so that a renamed one does not lose its rule', () => {
  const pages = globSync('{hosted,shared,docs}/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('locales'))
  const text = pages.map((file) => readFileSync(`${root}/${file}`, 'utf8')).join('\n')
  const isNamed = (name: string) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text)
  // `badge-${tone}` stands for all classes with that beginning.
  const isMade = (name: string) => text.includes(`${name.slice(0, name.lastIndexOf('-') + 1)}\${`)
  const names = new Set<string>()
  for (const sheet of globSync('{hosted,shared,docs}/**/*.css', { cwd: root })) {
    const rules = readFileSync(`${root}/${sheet}`, 'utf8').replaceAll(/\/\*.*?\*\/|@import[^;]*;/gs, '')
    for (const [, name = ''] of rules.matchAll(/\.([a-z][\w-]*)/g)) names.add(name)
  }
  expect([...names].filter((name) => !isNamed(name) && !(name.includes('-') && isMade(name)))).toEqual([])
})
