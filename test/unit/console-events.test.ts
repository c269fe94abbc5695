import { expect, test } from 'vitest'
import { eventGroups } from '../../admin-ui/console/history/event-groups.ts'
import { composed } from '../../bin/api-document.ts'

test('the console offers every group of declared events as a filter', () => {
  const types = [...composed().events.types.keys()]
  expect(types.length).toBeGreaterThan(50)
  expect([...new Set(types.map((type) => type.split('.')[0]))].toSorted()).toEqual([...eventGroups].toSorted())
})
