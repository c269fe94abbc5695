import * as apis from '../../src/oidc/resource-servers/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const api = (id: string, changes: Partial<apis.ApiRow> = {}): apis.ApiRow => ({
  ...{ id, identifier: `https://${id}.example`, identifierKey: `https://${id}.example/`, name: `Äpi ${id}`, tokenFormat: 'jwt' },
  scopes: [{ name: 'read', description: 'Sée', translations: { de: 'Ansehen' }, permission: 'member:read', roles: ['owner'] }],
  ...{ signingAlg: 'ES256', tokenTtlSeconds: 600, access: 'listed', createdAt: at, updatedAt: at },
  ...changes,
})
const secret = (id: string, slot: number, changes: Partial<apis.SecretRow> = {}): apis.SecretRow => ({
  ...{ id, resourceServerId: 'a', slot, hash: `hash ${id}`, hint: 'abcd', createdAt: time(slot) },
  ...{ expiresAt: null, lastUsedAt: null },
  ...changes,
})

compareStore('oidc/resource-servers/store', apis, async ({ store, db, transact, insert }) => {
  for (const id of ['c1', 'c2']) await insert('oauth_client', { id, client_id: `client-${id}` })
  await transact(async (tx) => {
    await store.insertApi(tx, api('a', { createdAt: time(1) }))
    await store.insertApi(tx, api('b', { tokenFormat: 'opaque', scopes: [] }))
    const ids = await store.idsOfClients(tx, ['client-c1', 'client-c2', 'unknown'])
    const caller = { resourceServerId: 'a', scopes: ['read'], exchangeFrom: ['urn:other'], mayImpersonate: true }
    const own = (clientId: string) => ids.get(clientId) ?? ''
    await store.replaceCallers(tx, 'a', [{ ...caller, oauthClientId: own('client-c2') }])
    await store.replaceCallers(tx, 'a', [
      { ...caller, oauthClientId: own('client-c2') },
      { ...caller, oauthClientId: own('client-c1'), scopes: null, exchangeFrom: [] },
    ])
    await store.replaceCallers(tx, 'b', [])
    await store.insertSecret(tx, secret('s1', 1))
    await store.insertSecret(tx, secret('s2', 2))
  })
  for (const where of [{ id: 'a' }, { id: 'x' }, { identifierKey: 'https://b.example/' }, { identifierKey: 'https://b.example' }])
    await store.findApi(db, where)
  for (const ids of [[], ['a', 'b'], ['x']]) await store.listCallers(db, ids)
  await store.idsOfClients(db, [])
  const page = { sort: 'createdAt', order: 'desc', limit: 1, after: undefined } as const
  await store.pageOfApis(db, page)
  await store.pageOfApis(db, { ...page, isCounted: true })
  await store.pageOfApis(db, { ...page, limit: 5, order: 'asc', after: { id: 'b', value: at.getTime() } })
  await store.listSecrets(db, 'a')
  await transact(async (tx) => {
    await store.lockApi(tx, 'a')
    await store.lockApi(tx, 'x')
    const { identifier: _, identifierKey: __, createdAt: ___, ...changed } = api('a', { name: 'Other', updatedAt: time(5) })
    await store.updateApi(tx, changed)
    await store.updateApi(tx, { ...changed, id: 'x' })
    for (const id of ['s1', 'x']) await store.endSecret(tx, id, time(9))
    for (const ms of [3, 2, 4]) await store.noteUse(tx, 's1', time(ms))
    for (const [owner, id] of [
      ['b', 's2'],
      ['a', 's2'],
      ['a', 's2'],
    ] as const)
      await store.deleteSecret(tx, owner, id)
  })
  await store.findApi(db, { id: 'a' })
  await store.listSecrets(db, 'a')
  await transact((tx) => store.deleteApi(tx, 'a'))
  await store.listCallers(db, ['a'])
  await store.listSecrets(db, 'a')
})
