/** Declarations applied by the API: their permissions and refusals. */
import { afterAll, beforeAll, expect } from 'vitest'
import { keyPermissions } from '../../../src/access/key-permissions.ts'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'

const notByKey =
  'An API key may not make this change: a person applies it after the command login, or an application of the type machine does'

let t: TestApp
let admin: Client
const permissions = {
  gatekeeper: ['declarations:apply'],
  registrar: ['declarations:apply', 'clients:read', 'clients:create', 'clients:update'],
  hosts: ['declarations:apply', 'all-organizations:read', 'all-organizations:create', 'all-organizations:update'],
  payments: ['declarations:apply', 'deliveries:*'],
  settler: ['declarations:apply', 'settings:*'],
}
beforeAll(async () => {
  t = await testApp({
    config: {
      apiKeys: { personalEnabled: true },
      access: {
        roles: Object.fromEntries(
          Object.entries(permissions).map(([role, given]) => [role, { permissions: given, description: role }]),
        ),
      },
    },
  })
  admin = await signedInAs(t, 'admin')
  await t.verify('admin@staff.example')
})
afterAll(() => t.stop())

const signInAgain = () => admin.api.accounts.signInEmail({ body: { email: 'admin@staff.example', password } })
const path = '/admin/declarations/apply'
const secret = 'Xk3vQ9pLw7zR2tYb5NmC8sHd4gJf6aUe'
const send = (client: Client, declaration: object, more: object = {}) =>
  client.post(path, { declaration: JSON.stringify({ source: 'calls', ...declaration }), ...more })
/** Applies the declaration exactly as it was shown. */
const agree = async (client: Client, declaration: object, more: object = {}) => {
  const shown = await send(client, declaration, { ...more, dryRun: true })
  return shown.status === 200 ? send(client, declaration, { ...more, expected: shown.json['digest'] }) : shown
}
const spa = (more: object = {}) => ({ name: 'Shop', type: 'spa', redirectUris: ['https://shop.example.com/cb'], ...more })
const actions = (json: Readonly<Record<string, unknown>>) =>
  (json['changes'] as { kind: string; key: string; action: string }[]).map(({ kind, key, action }) => `${action} ${kind} ${key}`)
const keyWith = async (given: readonly string[]) => {
  const named = given.flatMap((name) =>
    name.endsWith(':*') ? keyPermissions.filter((one) => one.startsWith(name.slice(0, -1))) : [name],
  )
  const { json } = await admin.post('/admin/api-keys', { name: 'Deploy', permissions: named })
  const client = t.client()
  const request: Client['request'] = (to, init) =>
    client.request(to, { ...init, headers: { ...(init?.headers as object), authorization: `Bearer ${json['key']}` } })
  const post: Client['post'] = (to, body) =>
    request(to, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return { ...client, request, post }
}

test('a declaration sent to the API is shown before it is applied, records its administrator, and changes nothing the second time', async () => {
  const declaration = {
    organizations: { acme: { name: 'Acme', teams: ['Sales'] } },
    clients: { shop: spa(), web: { name: 'Web', redirectUris: ['https://web.example.com/cb'], secret: `web-${secret}` } },
    apis: { 'https://orders.example.com': { name: 'Orders', clients: [{ clientId: 'shop' }] } },
    settings: { 'brand.name': 'Acme', smtpUrl: { secret: 'smtp://mail.example:25' } },
    webhookEndpoints: { 'polar-eu': { secret: `polar-${secret}` } },
  }
  const shown = await send(admin, declaration, { dryRun: true })
  expect(shown).toMatchObject({ status: 200, json: { source: 'calls', isApplied: false } })
  expect(actions(shown.json)).toEqual([
    ...['create setting brand.name', 'create setting smtpUrl', 'create organization acme', 'create team acme/Sales'],
    ...['create client shop', 'create client web', 'create api https://orders.example.com', 'create endpoint polar-eu'],
  ])
  expect(shown.text).not.toContain(secret)
  expect((await t.client().request('/oauth2/authorize?client_id=shop')).text).not.toContain('shop.example.com')
  const applied = await send(admin, declaration, { expected: shown.json['digest'], force: true })
  expect(applied).toMatchObject({ status: 200, json: { isApplied: true, changes: shown.json['changes'], logoProblems: [] } })
  const { json } = await send(admin, declaration)
  expect(new Set(actions(json).map((action) => action.split(' ')[0]))).toEqual(new Set(['unchanged']))
  const { id } = await t.app.users.require(t.app.core.db, 'admin@staff.example')
  for (const type of ['client.created', 'organization.created', 'team.created', 'api.created', 'settings.changed'])
    expect((await t.app.audit.list({ type }, 1))[0]).toMatchObject({ actorKind: 'user', actorId: id })
})

test('a declaration sent to the API reads no file or environment variable of the server, and must name its source', async () => {
  const refused = await send(admin, {
    clients: { a: { name: 'A', secretFile: '/etc/passwd', redirectUris: [] }, b: { name: 'B', secretEnv: 'PATH' } },
  })
  expect(refused).toMatchObject({ status: 400, json: { code: 'DECLARATION_IS_INVALID' } })
  expect(refused.json['message']).toContain('clients.a.secretFile: a call reads no files and no variables of the server')
  expect(refused.json['message']).toContain('clients.b.secretEnv: a call reads no files')
  const nameless = await admin.post(path, { declaration: 'clients: {}' })
  expect(nameless.json).toMatchObject({
    code: 'DECLARATION_IS_INVALID',
    message: expect.stringContaining('source: is missing'),
  })
  const endless = 'source: x\norganizations: { acme: { name: A, metadata: &a { of: *a } } }'
  for (const declaration of [endless, '- a', 'a: [', 'source: x\nclints: {}', 'source: x\nclients: { __proto__: {} }'])
    expect((await admin.post(path, { declaration })).json).toMatchObject({ code: 'DECLARATION_IS_INVALID' })
})

test('a secret setting declared as a plain value is stored sealed, and only its name is shown', async () => {
  const declaration = { source: 'plain', settings: { smtpUrl: `smtp://gate:${secret}@mail.example:25` } }
  for (const more of [{ dryRun: true }, { force: true }, { force: true }]) {
    const { status, text } = await send(admin, declaration, more)
    expect([status, text.includes('mail.example')]).toEqual([200, false])
  }
  expect(JSON.stringify(await t.app.core.db.knex('applied_object').where({ source: 'plain' }))).not.toContain(secret)
  expect(await t.app.applying.drift()).toEqual([])
  await send(admin, { source: 'plain' }, { prune: true })
})

test("a declaration with unknown owners is refused with an error about the owners, not about the administrator's session", async () => {
  for (const firstOwners of [['nobody@x.example'], ['admin@staff.example', 'nobody@x.example']])
    expect(await send(admin, { organizations: { owned: { name: 'Owned', firstOwners } } })).toMatchObject({
      ...{ status: 404, json: { code: 'USER_NOT_FOUND', message: 'organizations.owned: User not found' } },
    })
})

test('an administrator who may not read people names owners by id, and does not learn whether an email address has an account', async () => {
  const host = await signedInAs(t, 'hosts', 'names@staff.example')
  const { id } = (await t.app.users.findByEmail(t.app.core.db, 'admin@staff.example')) ?? { id: '' }
  for (const owner of ['admin@staff.example', 'nobody@x.example']) {
    const declaration = { source: 'names', organizations: { probe: { name: 'Probe', firstOwners: [owner] } } }
    expect(await send(host, declaration, { dryRun: true })).toMatchObject({
      ...{ status: 403, json: { message: 'organizations.probe: Forbidden' } },
    })
  }
  const named = { source: 'names', organizations: { probe: { name: 'Probe', firstOwners: [id] } } }
  const byId = await send(host, named, { dryRun: true })
  expect([byId.status, byId.json['message']]).toEqual([200, undefined])
  for (const address of ['admin@staff.example', 'nobody@x.example']) {
    const owner = await host.post('/admin/organizations', { name: 'Probe', slug: 'probe', ownerId: address })
    expect([owner.status, owner.json['code']]).toEqual([404, 'NOT_FOUND'])
  }
})

test('a declaration sent to the API is refused if something has changed since its difference was shown', async () => {
  const declaration = { source: 'seen', clients: { seen: spa() } }
  const { json } = await send(admin, declaration, { dryRun: true })
  await send(admin, { source: 'seen', clients: { seen: spa({ name: 'By somebody else' }) } })
  expect(await send(admin, declaration, { expected: json['digest'] })).toMatchObject({
    ...{ status: 409, json: { code: 'STATE_HAS_CHANGED' } },
  })
  expect(actions((await agree(admin, { source: 'seen' }, { prune: true })).json)).toEqual(['delete client seen'])
})

test('a declaration sent to the API may be long, up to a limit in bytes', async () => {
  const clients = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`many${i}`, spa()]))
  const shown = await send(admin, { source: 'many', clients }, { dryRun: true })
  expect(actions(shown.json)).toHaveLength(200)
  expect((await admin.post(path, { declaration: 'a'.repeat(1_000_001) })).status).toBe(400)
  expect(await admin.post(path, { declaration: 'a'.repeat(2_200_000) })).toMatchObject({
    ...{ status: 413, json: { code: 'BODY_TOO_LARGE' } },
  })
})

const organizations = { limited: { name: 'Limited' } }
const clients = { limited: spa() }
test('a declaration requires the permission for declarations and the permissions of everything it changes', async () => {
  const rows: readonly (readonly [string, object, string | undefined])[] = [
    ['support', { clients }, 'Forbidden'],
    ['gatekeeper', {}, undefined],
    ['gatekeeper', { clients }, 'clients.limited: Forbidden'],
    ['gatekeeper', { organizations }, 'organizations.limited: Forbidden'],
    ['gatekeeper', { settings: { 'brand.name': 'X' } }, 'settings: Forbidden'],
    ['gatekeeper', { apis: { 'https://a.example': { name: 'A' } } }, 'apis.https://a.example: Forbidden'],
    ['registrar', { clients }, undefined],
    ['registrar', { clients, organizations }, 'organizations.limited: Forbidden'],
    [
      'registrar',
      { clients: { beyond: { name: 'B', type: 'machine', permissions: ['users:read'], secret } } },
      'clients.beyond:',
    ],
    ['hosts', { organizations }, undefined],
    ['hosts', { organizations, clients }, 'clients.limited: Forbidden'],
    // A person who may replay deliveries must not be able to forge them.
    ['payments', { webhookEndpoints: { forged: { secret } } }, 'webhookEndpoints.forged: Forbidden'],
    ['settler', { settings: { 'brand.name': 'Limited' } }, undefined],
  ]
  for (const [role, declaration, message] of rows) {
    const client = await signedInAs(t, role, `${role}-${rows.findIndex((row) => row[1] === declaration)}@staff.example`)
    for (const dryRun of [true, false]) {
      const answer = await send(client, { source: role, ...declaration }, { dryRun })
      expect({ role, declaration, dryRun, message: answer.json['message'] ?? '' }).toEqual({
        ...{ role, declaration, dryRun, message: message === undefined ? '' : expect.stringContaining(message) },
      })
      expect(answer.status).toBe(message === undefined ? 200 : 403)
    }
  }
})

test('objects that the source declared earlier require the permission to read them, and with --prune the permission to delete them', async () => {
  await send(admin, { source: 'before', organizations: { before: { name: 'Before' } } })
  const without = await signedInAs(t, 'registrar', 'registrar@staff.example')
  expect((await send(without, { source: 'before' })).json).toMatchObject({ message: 'organization before: Forbidden' })
  const within = await signedInAs(t, 'hosts', 'hosts@staff.example')
  expect(actions((await send(within, { source: 'before' })).json)).toEqual(['kept organization before'])
  expect((await send(within, { source: 'before' }, { prune: true })).json).toMatchObject({
    message: 'organization before: Forbidden',
  })
  expect((await t.app.organizations.require('before')).slug).toBe('before')
})

test('a declaration requires a person with a fresh session like the single calls do, and no API key can register an application', async () => {
  const key = await keyWith(['declarations:apply', 'clients:*', 'all-organizations:*', 'settings:*', 'apis:*'])
  const declaration = { source: 'key', organizations: { key: { name: 'Key' } }, settings: { 'brand.name': 'Key' } }
  expect(actions((await agree(key, declaration)).json)).toEqual(['update setting brand.name', 'create organization key'])
  expect((await send(key, { ...declaration, clients: { key: spa() } })).json).toMatchObject({
    message: `clients.key: ${notByKey}`,
  })
  await send(admin, { source: 'key', clients: { key: spa() } })
  expect(actions((await agree(key, { source: 'key', clients: { key: spa({ name: 'Renamed' }) } })).json)).toContain(
    'update client key',
  )
  expect((await send(key, { source: 'key' }, { prune: true })).json).toMatchObject({
    message: `client key: ${notByKey}`,
  })
  t.clock.advance({ hours: 25 })
  expect((await send(admin, { source: 'stale', clients: { stale: spa() } })).json).toMatchObject({
    ...{ code: 'SESSION_IS_NOT_FRESH', message: expect.stringContaining('clients.stale: ') },
  })
  await signInAgain()
})

test('a declaration that lowers security requires a recent proof, and the proof is checked before anything changes', async () => {
  const lower = { source: 'lower', settings: { 'password.minLength': 8 }, organizations: { lower: { name: 'Lower' } } }
  await t.app.settings.change(systemPrincipal('test'), new Map([['password.minLength', 20]]))
  const key = await keyWith(['declarations:apply', 'settings:*', 'all-organizations:*'])
  for (const more of [{}, { dryRun: true }, { force: true }])
    expect((await send(key, lower, more)).json).toMatchObject({
      ...{ code: 'FORBIDDEN', message: expect.stringContaining('A change that lowers security needs a person') },
    })
  t.clock.advance({ hours: 2 })
  for (const more of [{}, { dryRun: true }, { force: true }])
    expect((await send(admin, lower, more)).json).toMatchObject({ code: 'SESSION_IS_NOT_FRESH' })
  await expect(t.app.organizations.require('lower')).rejects.toMatchObject({ code: 'ORGANIZATION_NOT_FOUND' })
  await signInAgain()
  expect(actions((await agree(admin, lower)).json)).toEqual(['update setting password.minLength', 'create organization lower'])
  // A setting removed from the declaration returns to the value of the configuration, which here lowers security.
  await t.app.settings.change(systemPrincipal('test'), new Map([['password.minLength', undefined]]))
  const higher = { source: 'higher', settings: { 'password.minLength': 20 } }
  expect(actions((await agree(key, higher)).json)).toEqual(['create setting password.minLength'])
  for (const more of [{ dryRun: true }, {}])
    expect((await send(key, { source: 'higher' }, { prune: true, ...more })).json).toMatchObject({
      message: expect.stringContaining('needs a person'),
    })
})

testOnBoth(
  'if two administrators apply one declaration at once, the first applies it, and the other finds no difference',
  async () => {
    const other = await signedInAs(t, 'admin', 'other@staff.example')
    const declaration = {
      source: 'twice',
      clients: { twice: spa() },
      organizations: { twice: { name: 'Twice', teams: ['Sales'] } },
    }
    const both = await Promise.all([admin, other].map((client) => send(client, declaration)))
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(both.map(({ json }) => actions(json).filter((action) => action.startsWith('create')).length).toSorted()).toEqual([
      0, 3,
    ])
    const { knex } = t.app.core.db
    expect(await knex('organization').where({ slug: 'twice' })).toHaveLength(1)
    expect(await knex('applied_object').where({ source: 'twice' })).toHaveLength(3)
  },
)

testOnBoth('if two administrators confirmed the same difference, the second is told that something has changed', async () => {
  const other = await signedInAs(t, 'admin', 'second@staff.example')
  const declaration = { source: 'agreed', clients: { agreed: spa() } }
  const { json } = await send(admin, declaration, { dryRun: true })
  const both = await Promise.all([admin, other].map((client) => send(client, declaration, { expected: json['digest'] })))
  expect(both.map(({ status, json: answer }) => [status, answer['code']]).toSorted()).toEqual([
    [200, undefined],
    [409, 'STATE_HAS_CHANGED'],
  ])
})
