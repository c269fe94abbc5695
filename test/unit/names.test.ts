import { expect, test } from 'vitest'
import { createNames, mentionsIn } from '../../src/access/names.ts'
import { systemPrincipal } from '../../src/access/principal.ts'
import type { Db } from '../../src/core/db/database.ts'

const principal = systemPrincipal('test')

test('names on a page of rows are read once for each kind, however many rows there are, and a row without a name keeps its id', async () => {
  const asked: (readonly string[])[] = []
  const known: Readonly<Record<string, string>> = { a: 'Ann', b: 'Bob' }
  const list = async (_db: Db, ids: readonly string[]) => {
    asked.push(ids)
    return ids.flatMap((id) => (known[id] === undefined ? [] : [{ id, name: known[id] }]))
  }
  const names = createNames({} as Db, () => [{ kinds: ['user'], permission: 'users:read', list }])
  const rows = [{ who: 'a' }, { who: 'b' }, { who: 'a' }, { who: 'deleted' }]
  const named = await names.add(principal, rows, ({ who }) => ({ actor: { kind: 'user', id: who }, organization: null }))
  expect(asked).toEqual([['a', 'b', 'deleted']])
  expect(named.map(({ actor }) => actor)).toEqual([
    { kind: 'user', id: 'a', name: 'Ann' },
    { kind: 'user', id: 'b', name: 'Bob' },
    { kind: 'user', id: 'a', name: 'Ann' },
    { kind: 'user', id: 'deleted', name: null },
  ])
  expect(named[0]?.organization).toBeNull()
})

test('the kind of an id is decided by the end of its key', () => {
  expect(
    mentionsIn({ userId: 'a', fromCustomerId: 'c', clientId: 'x', provider: 'google', reviewId: 'r', teamId: null }),
  ).toEqual([
    { kind: 'user', id: 'a' },
    { kind: 'customer', id: 'c' },
    { kind: 'client', id: 'x' },
  ])
})
