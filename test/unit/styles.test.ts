import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../admin-ui', import.meta.url))

test('a class has its rule in one style sheet: two parts of a page that choose one name would change each other', () => {
  const homes = new Map<string, Set<string>>()
  for (const sheet of globSync('{hosted,shared}/**/*.css', { cwd: root }))
    for (const [, name = ''] of readFileSync(`${root}/${sheet}`, 'utf8').matchAll(/^\.([\w-]+) \{/gm))
      homes.set(name, (homes.get(name) ?? new Set()).add(sheet))
  expect(homes.size).toBeGreaterThan(100)
  expect([...homes].filter(([, sheets]) => sheets.size > 1)).toEqual([])
})
