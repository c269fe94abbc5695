import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { type Application, codeFor, machineToken, postForm, redeem, register } from '../oidc/flow.ts'
import { countStatements } from '../organizations/people.ts'

let t: TestApp
let reader: Application
beforeAll(async () => {
  t = await testApp({ config: { access: { roles: { keeper: { permissions: ['clients:*', 'customers:read'] } } } } })
  reader = await machine(['customers:read'])
})
afterAll(() => t.stop())

const machine = (permissions: readonly string[]) => register(t, { name: 'Job', type: 'machine', redirectUris: [], permissions })

const call = async (token: string, path = '/admin/billing/customers', on = t) => {
  const answer = await fetch(new URL(path, on.url), { headers: { authorization: `Bearer ${token}` } })
  return [answer.status, ((await answer.json()) as { code?: string } | null)?.code]
}
const allowed = [200, undefined]
const unauthorized = [401, 'UNAUTHORIZED']
const forbidden = [403, 'FORBIDDEN']

test('a machine calls the administration API with exactly the permissions of its client', async () => {
  const token = await machineToken(t, reader)
  expect(await call(token)).toEqual(allowed)
  expect(await call(token, '/admin/billing/deliveries')).toEqual(forbidden)
  expect(await call(await machineToken(t, await machine([])))).toEqual(forbidden)
})

test('a machine has no account and no session', async () => {
  const token = await machineToken(t, reader)
  expect(await call(token, '/organization/list')).toEqual(unauthorized)
  expect(await call(token, '/get-session')).toEqual(allowed)
})

test('a call with a machine token takes two statements: one to look for a session, one for the machine', async () => {
  await t.app.jobs.stop()
  const token = await machineToken(t, reader)
  await call(token, '/admin/billing/deliveries')
  expect(await countStatements(t, () => call(token, '/admin/billing/deliveries'))).toHaveLength(2)
  // Calls outside of the administration do not look for a machine.
  expect(await countStatements(t, () => call(token, '/organization/list'))).toHaveLength(1)
  t.app.jobs.start()
})

describe('refused machine tokens', () => {
  const afterChange = async (change: (application: Application, token: string) => Promise<unknown>) => {
    const application = await machine(['customers:read'])
    const token = await machineToken(t, application)
    const node = await t.node()
    expect([await call(token), await call(token, undefined, node)]).toEqual([allowed, allowed])
    await change(application, token)
    const after = [await call(token), await call(token, undefined, node)]
    await node.stop()
    return after
  }
  const update = ({ clientId }: Application, columns: Record<string, unknown>) =>
    t.app.core.transact((tx) => tx.knex('oauth_client').where({ client_id: clientId }).update(columns))

  test('every node refuses a machine token at once when its client is disabled', async () => {
    expect(await afterChange((application) => update(application, { disabled: true }))).toEqual([unauthorized, unauthorized])
  })
  test('every node refuses a machine token at once when its client is deleted', async () => {
    const remove = ({ clientId }: Application) =>
      t.app.core.transact((tx) => tx.knex('oauth_client').where({ client_id: clientId }).delete())
    expect(await afterChange(remove)).toEqual([unauthorized, unauthorized])
  })
  test('every node refuses a machine token at once when the token is revoked', async () => {
    const revoke = (application: Application, token: string) => postForm(t, application, '/oauth2/revoke', { token })
    expect(await afterChange(revoke)).toEqual([unauthorized, unauthorized])
  })
  test('every node refuses a machine token at once when its client is no longer a machine', async () => {
    expect(await afterChange((application) => update(application, { type: 'web' }))).toEqual([unauthorized, unauthorized])
  })
  test('every node forbids a call at once when the client of the machine token loses the permission', async () => {
    expect(await afterChange((application) => update(application, { permissions: '["users:read"]' }))).toEqual([
      forbidden,
      forbidden,
    ])
  })
  test('every node refuses a machine token at once when its client has an unknown stored permission', async () => {
    const unknown = '["customers:fly","account:read","constructor"]'
    expect(await afterChange((application) => update(application, { permissions: unknown }))).toEqual([forbidden, forbidden])
  })
})

test('an access token of a person, even of an administrator, is refused by the administration API', async () => {
  const shop = await register(t)
  const ann = await t.signedIn('ann@machine.example')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'ann@machine.example' }).update({ role: 'admin' }))
  expect((await ann.request('/admin/billing/customers')).status).toBe(200)
  const { json } = await redeem(t, shop, await codeFor(ann, shop))
  expect(await call(String(json['access_token']))).toEqual(unauthorized)
  // Permissions written directly into the client's row do not help either.
  const rows = () => t.app.core.db.knex('oauth_client').where({ client_id: shop.clientId })
  await rows().update({ permissions: '["customers:read"]', type: 'machine' })
  expect(await call(String(json['access_token']))).toEqual(unauthorized)
})

describe('permissions of a client', () => {
  const given = (permissions: readonly string[], more: object = {}) =>
    t.app.oidc.clients.register(systemPrincipal('test'), { name: 'Job', type: 'machine', redirectUris: [], permissions, ...more })

  test('a permission wildcard covers the permissions of its resource, except permissions reserved for people', async () => {
    const { client } = await given(['users:*', 'users:read'])
    expect(client.permissions).toContain('users:read')
    expect(client.permissions).not.toContain('users:impersonate')
    expect(new Set(client.permissions).size).toBe(client.permissions.length)
  })

  test('an application cannot get unknown permissions or permissions reserved for people, and a client that signs people in cannot get any', async () => {
    for (const [permission, more, message] of [
      ['users:fly', {}, 'permission users:fly is none of the instance'],
      ['account:read', {}, 'permission account:read is none'],
      ['users:impersonate', {}, 'users:impersonate is for people only'],
      ['backups:read', {}, 'backups:read is for people only'],
      ['backups:*', {}, 'backups:* is for people only'],
      ['users:read', { type: 'web', redirectUris: ['https://rp.example/cb'] }, 'clients of the type machine'],
    ] as const)
      await expect(given([permission], more)).rejects.toMatchObject({
        ...{ code: 'INVALID_CLIENT_METADATA', message: expect.stringContaining(message) },
      })
  })
})

test('a machine does not have permissions reserved for people, even if an earlier version stored them', async () => {
  const { client, secret } = await t.app.oidc.clients.register(systemPrincipal('test'), {
    ...{ name: 'Old', type: 'machine', redirectUris: [], permissions: ['health:read'] },
  })
  const given = JSON.stringify(['health:read', 'backups:read', 'backups:create'])
  await t.app.core.transact((tx) => tx.knex('oauth_client').where({ client_id: client.clientId }).update({ permissions: given }))
  const token = await t.client().request('/oauth2/token', {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${client.clientId}:${secret}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  })
  const headers = { authorization: `Bearer ${token.json['access_token']}` }
  const statusOf = async (path: string) => (await t.client().request(path, { headers })).status
  expect([await statusOf('/admin/health'), await statusOf('/admin/backups')]).toEqual([200, 403])
})

test('an administrator cannot give an application more permissions than their own, and cannot act on an application with more permissions', async () => {
  const keeper = await t.signedIn('keeper@machine.example')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'keeper@machine.example' }).update({ role: 'keeper' }))
  const { applications: api } = keeper.api
  const refused = { status: 403, code: 'YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE' }
  const create = (permissions: string[]) => api.createApplication({ body: { name: 'Job', type: 'machine', permissions } })
  await expect(create(['users:read'])).rejects.toMatchObject(refused)
  const { client } = await create(['customers:read'])
  const params = { clientId: client.clientId }
  await expect(api.updateApplication({ params, body: { permissions: ['users:*'] } })).rejects.toMatchObject(refused)
  expect(await api.updateApplication({ params, body: { permissions: [] } })).toMatchObject({ permissions: [] })
  expect((await api.updateApplication({ params, body: { permissions: ['clients:*'] } })).permissions).toContain('clients:create')
  expect((await t.app.audit.list({}, 1))[0]).toMatchObject({ type: 'client.updated', data: { fields: ['permissions'] } })

  const more = { clientId: (await machine(['customers:read', 'users:delete'])).clientId }
  const [{ id: secretId = '' } = {}] = (await api.listSecrets({ params: more })).secrets
  for (const change of [
    () => api.updateApplication({ params: more, body: { name: 'Mine' } }),
    () => api.updateApplication({ params: more, body: { disabled: true } }),
    () => api.rotateSecret({ params: more, body: {} }),
    () => api.revokeSecret({ params: { ...more, secretId } }),
    () => api.deleteApplication({ params: more }),
  ])
    await expect(change()).rejects.toMatchObject(refused)
  expect(await api.getApplication({ params: more })).toMatchObject({ name: 'Job', disabled: false })
})

test('a machine registers applications by the API within its own permissions, and the event names the machine', async () => {
  const maker = await machine(['clients:create', 'customers:read'])
  const authorization = `Bearer ${await machineToken(t, maker)}`
  const post = async (permissions: readonly string[]) => {
    const body = JSON.stringify({ name: 'Child', type: 'machine', permissions })
    const answer = await fetch(new URL('/admin/clients', t.url), {
      ...{ method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body },
    })
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  expect(await post(['clients:delete'])).toEqual([403, 'YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE'])
  expect(await post(['customers:read'])).toEqual([200, undefined])
  expect((await t.app.audit.list({}, 1))[0]).toMatchObject({
    ...{ type: 'client.created', actorKind: 'application', actorId: maker.clientId, data: { permissions: ['customers:read'] } },
  })
})

describe('a Bearer token and cookies', () => {
  const post = (path: string, headers: Record<string, string>, body: object = { name: 'New' }) =>
    fetch(new URL(path, t.url), {
      ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
    })

  test('a call with a Bearer token may carry other cookies without an Origin, but not the session cookie', async () => {
    const cy = await t.signedIn('cy@machine.example')
    const { json } = await cy.post('/sign-in/email', { email: 'cy@machine.example', password })
    const authorization = `Bearer ${String(json['token'])}`
    const cookie = [...cy.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    expect((await post('/update-user', { authorization, cookie: 'balancer=1' })).status).toBe(200)
    expect((await post('/update-user', { cookie: 'balancer=1' })).status).toBe(403)
    expect((await post('/update-user', { authorization, cookie })).status).toBe(403)
    const signIn = { email: 'cy@machine.example', password }
    expect((await post('/sign-in/email', { authorization, cookie: 'balancer=1' }, signIn)).status).toBe(403)
  })

  test('the session of a cookie overrides a machine token in the same request', async () => {
    const dee = await t.signedIn('dee@machine.example')
    const headers = { authorization: `Bearer ${await machineToken(t, reader)}` }
    expect((await dee.request('/admin/billing/customers', { headers })).json).toMatchObject({ code: 'FORBIDDEN' })
  })
})

test('a machine token expires', async () => {
  const token = await machineToken(t, reader)
  t.clock.advance({ minutes: 59 })
  expect(await call(token)).toEqual(allowed)
  t.clock.advance({ minutes: 2 })
  expect(await call(token)).toEqual(unauthorized)
})
