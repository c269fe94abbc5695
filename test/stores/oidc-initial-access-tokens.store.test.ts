import * as tokens from '../../src/oidc/initial-access-tokens/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const token = (id: string, changes: Partial<tokens.TokenRow> = {}): tokens.TokenRow => ({
  ...{ id, name: `Tökén ${id}`, tokenHash: `hash ${id}`, hint: 'abcd', types: ['web'], scopes: null, redirectHosts: null },
  ...{ maxClients: 2, usedClients: 0, createdAt: at, expiresAt: time(10), revokedAt: null, lastUsedAt: null },
  ...changes,
})

compareStore('oidc/initial-access-tokens/store', tokens, async ({ store, db, transact }) => {
  await transact(async (tx) => {
    await store.insertToken(tx, token('a', { scopes: ['openid'], redirectHosts: ['ü.example', '[::1]'], createdAt: time(1) }))
    await store.insertToken(tx, token('b'))
    await store.insertToken(tx, token('c', { revokedAt: time(1) }))
  })
  for (const id of ['a', 'b', 'unknown']) await store.findToken(db, id)
  for (const hash of ['hash a', 'hash unknown']) await store.findByHash(db, hash)
  const page = { sort: 'createdAt', order: 'desc', limit: 2, after: undefined } as const
  await store.pageOfTokens(db, page)
  await store.pageOfTokens(db, { ...page, isCounted: true })
  await store.pageOfTokens(db, { ...page, order: 'asc', after: { id: 'b', value: at.getTime() } })
  await store.activeTokens(db, time(4), 10)
  await transact(async (tx) => {
    for (const id of ['a', 'a', 'a', 'c', 'unknown']) await store.takeClient(tx, id, time(5))
    await store.takeClient(tx, 'b', time(10))
    for (const id of ['b', 'b', 'c', 'unknown']) await store.revokeToken(tx, id, time(6))
    await store.takeClient(tx, 'b', time(7))
  })
  for (const id of ['a', 'b', 'c']) await store.findToken(db, id)
  await store.listTokenNames(db, ['a', 'unknown'])
})
