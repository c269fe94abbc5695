import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client, Json } from '../../support/client.ts'
import { joined, operator, owner, userOf } from '../organizations/people.ts'
import { createKey, outcome, program } from './keys.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const setRole = (email: string, role: string) => t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
const administrator = async (email: string, role = 'admin'): Promise<Client> => {
  const client = await t.signedIn(email)
  await setRole(email, role)
  return client
}
/** The same browser, connected to another node. */
const at = (node: TestApp, client: Client): Client => {
  const browser = node.client()
  for (const [name, value] of client.cookies) browser.cookies.set(name, value)
  const request: Client['request'] = (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('origin', t.url)
    return browser.request(path, { ...init, headers })
  }
  return {
    ...browser,
    request,
    post: (path, body = {}) =>
      request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }
}
const keysOf = async (client: Client, query = '') =>
  (await client.request(`/api-key/list${query}`)).json['apiKeys'] as readonly Json[]
const newest = async () => (await t.app.audit.list({}, 1))[0]

describeOnBoth('an API key', () => {
  testOnBoth('an API key is shown once, has a readable prefix and a checksum, and is stored only as a hash', async () => {
    const ann = await t.signedIn('ann@example.com')
    const { key, id } = await createKey(ann, { permissions: ['sessions:read'] })
    expect(key).toMatch(new RegExp(`^gh_user_${id}_[A-Za-z0-9]{49}$`))
    const [shown] = await keysOf(ann)
    expect(shown).toMatchObject({ id, prefix: `gh_user_${id}`, name: 'Test', ownerKind: 'user', permissions: ['sessions:read'] })
    const secret = key.split('_')[3] ?? ''
    const stored = JSON.stringify([await t.app.core.db.knex('api_key'), await t.app.core.db.knex('api_key_secret')])
    for (const text of [JSON.stringify(shown), stored, JSON.stringify(await t.app.audit.list({}, 1000))])
      expect(text).not.toContain(secret)
    const statuses = await Promise.all(
      [key, `${key}x`, key.toUpperCase(), `gh_user_${id}_${secret.slice(0, 43)}000000`, 'gh_', `gh_org_${id}_${secret}`].map(
        async (text) => (await outcome(program(t, text).get('/list-sessions')))[0],
      ),
    )
    expect(statuses).toEqual([200, 401, 401, 401, 401, 401])
  })

  test('API key events record values before and after a change, but not the name of the key', async () => {
    const bea = await t.signedIn('bea@example.com')
    const { id: actorId } = await userOf(bea)
    const { id } = await createKey(bea, { permissions: ['account:read'], name: 'Private name', expiresIn: null })
    const about = { actorKind: 'user', actorId, subjectType: 'api_key', subjectId: id }
    expect(await newest()).toMatchObject({
      ...{ ...about, type: 'api_key.created' },
      data: { ownerKind: 'user', ownerId: actorId, permissions: ['account:read'], allowedNetworks: [], expiresAt: null },
    })
    await bea.post('/api-key/update', { keyId: id, name: 'Other name', permissions: ['sessions:read'], enabled: false })
    expect(await newest()).toMatchObject({
      ...{ ...about, type: 'api_key.updated' },
      data: {
        fields: ['name', 'permissions', 'enabled'],
        before: { permissions: ['account:read'], enabled: true },
        after: { permissions: ['sessions:read'], enabled: false },
      },
    })
    await bea.post('/api-key/rotate', { keyId: id })
    expect(await newest()).toMatchObject({ ...about, type: 'api_key.rotated' })
    await bea.post('/api-key/delete', { keyId: id })
    expect(await newest()).toMatchObject({ ...about, type: 'api_key.revoked', data: { reason: 'requested' } })
    expect(JSON.stringify(await t.app.audit.list({}, 1000))).not.toMatch(/Private name|Other name/)
    expect(await keysOf(bea)).toEqual([])
  })

  test('a disabled API key does not work until it is enabled, and a deleted API key never works again', async () => {
    const cyd = await t.signedIn('cyd@example.com')
    const { key, id: keyId } = await createKey(cyd, { permissions: ['sessions:read'] })
    const use = () => outcome(program(t, key).get('/list-sessions'))
    await cyd.post('/api-key/update', { keyId, enabled: false })
    expect(await use()).toEqual([401, 'API_KEY_IS_DISABLED'])
    await cyd.post('/api-key/update', { keyId, enabled: true })
    expect((await use())[0]).toBe(200)
    await cyd.post('/api-key/delete', { keyId })
    expect(await use()).toEqual([401, 'INVALID_API_KEY'])
    expect(await outcome(cyd.post('/api-key/delete', { keyId }))).toEqual([404, 'API_KEY_NOT_FOUND'])
  })

  test('calls about API keys refuse input of the wrong type', async () => {
    const dan = await t.signedIn('dan@example.com')
    for (const wrong of [
      { permissions: [] },
      { permissions: ['unknown:read'] },
      { permissions: ['account:delete'] },
      { permissions: ['account:read'], name: '' },
      { permissions: ['account:read'], expiresIn: 1 },
      { permissions: ['account:read'], allowedNetworks: ['10.0.0.0/33'] },
      { permissions: ['account:read'], allowedNetworks: ['::ffff:10.0.0.1'] },
      { permissions: ['account:read'], requestsPerMinute: 0 },
      { permissions: 'account:read' },
    ])
      expect(await outcome(dan.post('/api-key/create', { name: 'Test', ...wrong }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(await outcome(dan.request('/api-key/list?after=WyJjcmVhdGVkQXQiLCJkZXNjIiwieCIsInkiXQ'))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
  })
})

describeOnBoth('permissions about API keys', () => {
  test('the API key of a person is found only by its owner', async () => {
    const eve = await t.signedIn('eve@example.com')
    const fay = await t.signedIn('fay@example.com')
    const { id: keyId } = await createKey(eve, { permissions: ['account:read'] })
    for (const path of ['update', 'rotate', 'delete'])
      expect(await outcome(fay.post(`/api-key/${path}`, { keyId }))).toEqual([404, 'API_KEY_NOT_FOUND'])
    expect(await keysOf(fay)).toEqual([])
  })

  test('a person cannot give their own API key instance permissions that they lack', async () => {
    const gus = await administrator('gus@example.com', 'support')
    const give = (permissions: readonly string[]) => outcome(gus.post('/api-key/create', { name: 'Test', permissions }))
    expect((await give(['users:read']))[0]).toBe(200)
    expect(await give(['users:read', 'clients:read'])).toEqual([403, 'YOU_CANNOT_GIVE_THESE_PERMISSIONS'])
  })

  test('permitted members create organization API keys, with at most their own permissions and only for this organization', async () => {
    const { client, organizationId } = await owner(t, 'owner@example.com', 'acme')
    const { client: member } = await joined(t, organizationId, 'member@example.com')
    const { client: admin } = await joined(t, organizationId, 'admin@example.com', 'admin')
    const stranger = await t.signedIn('stranger@example.com')
    const create = (who: Client, permissions: readonly string[]) =>
      outcome(who.post('/api-key/create', { name: 'Test', permissions, organizationId: 'acme' }))
    const notAllowed = [403, 'YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY']
    expect(await create(member, ['member:read'])).toEqual(notAllowed)
    expect(await create(stranger, ['member:read'])).toEqual(notAllowed)
    expect((await create(admin, ['member:read', 'member:create']))[0]).toBe(200)
    expect(await create(admin, ['organization:delete'])).toEqual([403, 'YOU_CANNOT_GIVE_THESE_PERMISSIONS'])
    expect(await create(client, ['account:read'])).toEqual([400, 'API_KEY_CANNOT_HAVE_THESE_PERMISSIONS'])
    const { id: keyId } = await createKey(client, { permissions: ['organization:delete'], organizationId })
    // A new secret of the owner's key would give the admin the owner's permissions.
    expect(await outcome(admin.post('/api-key/rotate', { keyId }))).toEqual(notAllowed)
    expect(await outcome(admin.post('/api-key/update', { keyId, allowedNetworks: [] }))).toEqual(notAllowed)
    expect(await outcome(member.post('/api-key/delete', { keyId }))).toEqual(notAllowed)
    expect(await outcome(stranger.post('/api-key/delete', { keyId }))).toEqual([404, 'API_KEY_NOT_FOUND'])
    expect(await keysOf(admin, '?organizationId=acme')).toHaveLength(2)
    expect(await outcome(member.request('/api-key/list?organizationId=acme'))).toEqual(notAllowed)
    expect((await outcome(admin.post('/api-key/delete', { keyId })))[0]).toBe(200)
  })

  test('an impersonating administrator cannot create an API key of the person', async () => {
    const ida = await t.signedIn('ida@example.com')
    const { id: keyId } = await createKey(ida, { permissions: ['account:read'] })
    const impersonator = await userOf(await administrator('impersonator@example.com'))
    const { id } = await userOf(ida)
    await t.app.core.transact((tx) => tx.knex('session').where({ user_id: id }).update({ impersonated_by: impersonator.id }))
    for (const [path, body] of [
      ['create', { name: 'Test', permissions: ['account:read'] }],
      ['rotate', { keyId }],
      ['update', { keyId, permissions: ['sessions:read'] }],
    ] as const)
      expect(await outcome(ida.post(`/api-key/${path}`, body))).toEqual([403, 'FORBIDDEN'])
  })

  testOnBoth('API keys have a maximum number per owner, and a maximum life if the configuration sets one', async () => {
    const node = await t.node({ apiKeys: { limitPerUser: 2, longestExpiresInSeconds: 3_600, expiresInSeconds: 3_600 } })
    const jon = at(node, await t.signedIn('jon@example.com'))
    const create = (more: object = {}) =>
      outcome(jon.post('/api-key/create', { name: 'Test', permissions: ['account:read'], ...more }))
    expect(await create({ expiresIn: 3_601 })).toEqual([400, 'API_KEY_LIFE_IS_TOO_LONG'])
    expect(await create({ expiresIn: null })).toEqual([400, 'API_KEY_LIFE_IS_TOO_LONG'])
    // Both requests are simultaneous, so the database has to count.
    const statuses = (await Promise.all([create(), create(), create(), create()])).map(([status]) => status)
    expect(statuses.sort()).toEqual([200, 200, 403, 403])
    expect(await create()).toEqual([403, 'API_KEY_LIMIT_REACHED'])
    await node.stop()
  })

  test('people have no API keys if the configuration forbids them, and earlier keys stop working', async () => {
    const kim = await t.signedIn('kim@example.com')
    const { key } = await createKey(kim, { permissions: ['sessions:read'] })
    const node = await t.node({ apiKeys: { personalEnabled: false } })
    expect(await outcome(program(node, key).get('/list-sessions'))).toEqual([401, 'API_KEY_IS_DISABLED'])
    const lea = at(node, await t.signedIn('lea@example.com'))
    expect(await outcome(lea.post('/api-key/create', { name: 'Test', permissions: ['account:read'] }))).toEqual([
      403,
      'API_KEYS_ARE_DISABLED',
    ])
    await node.stop()
  })
})

describe('administration of API keys', () => {
  test('administrators create, change, rotate and revoke API keys of the instance', async () => {
    const root = await administrator('root@example.com')
    const made = await root.api.adminApiKeys.adminCreateApiKey({ body: { name: 'Export', permissions: ['api-keys:read'] } })
    const params = { id: made.id }
    expect((await program(t, made.key).get('/admin/api-keys')).status).toBe(200)
    const seen = await root.request(`/admin/api-keys/${made.id}`)
    const patch = (ifMatch: string) =>
      root.request(`/admin/api-keys/${made.id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'if-match': ifMatch },
        body: JSON.stringify({ name: 'Import' }),
      })
    const etag = seen.headers.get('etag') ?? ''
    expect((await patch(etag)).json['name']).toBe('Import')
    expect(await outcome(patch(etag))).toEqual([412, 'PRECONDITION_FAILED'])
    const rotated = await root.api.adminApiKeys.adminRotateApiKey({ params, body: { overlapSeconds: 0 } })
    expect(await outcome(program(t, made.key).get('/admin/api-keys'))).toEqual([401, 'API_KEY_HAS_EXPIRED'])
    expect((await program(t, rotated.key).get('/admin/api-keys')).status).toBe(200)
    expect(await root.api.adminApiKeys.adminDeleteApiKey({ params })).toEqual({ success: true })
    expect(await outcome(root.request(`/admin/api-keys/${made.id}`))).toEqual([404, 'API_KEY_NOT_FOUND'])
    for (const permission of ['member:read', 'account:read'])
      expect(await outcome(root.post('/admin/api-keys', { name: 'Test', permissions: [permission] }))).toEqual([
        400,
        'API_KEY_CANNOT_HAVE_THESE_PERMISSIONS',
      ])
  })

  test('administrators see, disable and revoke API keys of other people, but cannot extend them', async () => {
    const root = await administrator('sees@example.com')
    const mia = await t.signedIn('mia@example.com')
    const { id, key } = await createKey(mia, { permissions: ['sessions:read'] })
    const { id: userId } = await userOf(mia)
    const { apiKeys } = await root.api.adminApiKeys.adminListApiKeys({ query: { userId } })
    expect(apiKeys.map((one) => one.id)).toEqual([id])
    const patch = (body: object) =>
      outcome(
        root.request(`/admin/api-keys/${id}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      )
    const notAllowed = [403, 'YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY']
    expect(await patch({ permissions: ['account:update'] })).toEqual(notAllowed)
    expect(await patch({ enabled: true })).toEqual(notAllowed)
    expect(await outcome(root.post(`/admin/api-keys/${id}/rotate`))).toEqual(notAllowed)
    expect((await patch({ enabled: false }))[0]).toBe(200)
    expect(await outcome(program(t, key).get('/list-sessions'))).toEqual([401, 'API_KEY_IS_DISABLED'])
    expect((await root.request(`/admin/api-keys/${id}`, { method: 'DELETE' })).status).toBe(200)
  })

  test('an administrator of API keys cannot change a key with more permissions than their own, or a key of such a person', async () => {
    const node = await t.node({ access: { roles: { keeper: { permissions: ['api-keys:*', 'users:read'] } } } })
    const keeper = at(node, await t.signedIn('keeper@example.com'))
    await setRole('keeper@example.com', 'keeper')
    const root = await administrator('protected@example.com')
    const { id } = await createKey(root, { permissions: ['users:read'] })
    const strong = await t.app.apiKeys.create(operator, { kind: 'instance' }, { name: 'Test', permissions: ['clients:read'] })
    const weak = await t.app.apiKeys.create(operator, { kind: 'instance' }, { name: 'Test', permissions: ['users:read'] })
    const notAllowed = [403, 'YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY']
    for (const other of [id, strong.id])
      expect(await outcome(keeper.request(`/admin/api-keys/${other}`, { method: 'DELETE' }))).toEqual(notAllowed)
    expect(await outcome(keeper.post(`/admin/api-keys/${strong.id}/rotate`))).toEqual(notAllowed)
    expect(await outcome(keeper.post('/admin/api-keys', { name: 'Test', permissions: ['clients:read'] }))).toEqual([
      403,
      'YOU_CANNOT_GIVE_THESE_PERMISSIONS',
    ])
    expect((await keeper.post(`/admin/api-keys/${weak.id}/rotate`)).status).toBe(200)
    await node.stop()
  })

  test('the pages of the list of API keys contain every key once', async () => {
    const root = await administrator('pages@example.com')
    const ids = new Set<string>()
    let count = 0
    for (let after: string | null | undefined; after !== null; ) {
      const page = await root.api.adminApiKeys.adminListApiKeys({
        query: { limit: 3, ...(after === undefined ? {} : { after }) },
      })
      for (const { id } of page.apiKeys) ids.add(id)
      count += page.apiKeys.length
      after = page.next
    }
    const all = await t.app.core.db.knex('api_key').select('id')
    expect([ids.size, count]).toEqual([all.length, all.length])
  })
})

test('the ETag of an API key works for a change, although responses also contain names of other objects', async () => {
  const app = await testApp()
  const admin = await signedInAs(app, 'admin')
  const input = { name: 'Report', permissions: ['users:read' as const] }
  await app.app.apiKeys.create(systemPrincipal('test'), { kind: 'instance' }, input)
  const [{ id } = { id: '' }] = (await admin.request('/admin/api-keys')).json['apiKeys'] as { id: string }[]
  const read = async () => (await admin.request(`/admin/api-keys/${id}`)).headers.get('etag') ?? ''
  const rename = async (etag: string, name: string) =>
    (
      await admin.request(`/admin/api-keys/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'if-match': etag },
        body: JSON.stringify({ name }),
      })
    ).status
  const first = await read()
  expect(await rename(first, 'Nightly')).toBe(200)
  expect(await rename(first, 'Weekly')).toBe(412)
  expect(await rename(await read(), 'Weekly')).toBe(200)
  await app.stop()
})
