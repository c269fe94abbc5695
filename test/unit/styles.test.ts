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
