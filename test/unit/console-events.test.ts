import { globSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { eventGroups } from '../../admin-ui/console/history/event-groups.ts'

test('the console offers every group of events that features declare as a filter', async () => {
  const root = fileURLToPath(new URL('../../src', import.meta.url))
  const modules = await Promise.all(
    globSync('**/{contract,events}.ts', { cwd: root }).map((file) => import(pathToFileURL(`${root}/${file}`).href)),
  )
  const types = modules
    .flatMap((module) => Object.values<unknown>(module))
    .filter((value) => typeof value === 'object' && value !== null)
    .flatMap((table) => Object.keys(table as object))
    .filter((type) => /^[a-z_]+\.[a-z_]+$/.test(type))
  expect(types.length).toBeGreaterThan(50)
  expect([...new Set(types.map((type) => type.split('.')[0]))].toSorted()).toEqual([...eventGroups].toSorted())
})
