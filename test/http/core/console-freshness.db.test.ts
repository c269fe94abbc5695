/** The console reloads exactly the reads that a change affects: no read with a changed answer is left out. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changes, happenings, reads } from '../../../admin-ui/console/live/dependencies.ts'
import { isAffected, summaries, type Told, touchedByCall, touchedByEvent } from '../../../admin-ui/console/live/matches.ts'
import { composed } from '../../../bin/api-document.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { codeFor, register } from '../oidc/flow.ts'
import { userOf } from '../organizations/people.ts'

type Ids = Record<string, string>

let t: TestApp
let admin: Client
const ids: Ids = {}

const call = async (method: string, path: string, body?: unknown) => {
  const init = {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
  const answer = await admin.request(path, method === 'GET' ? {} : init)
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.json
}
const idOf = (answer: unknown) => String((answer as { id: unknown }).id)

/** The kind of object that a path parameter names, by the path before it. */
const owners: readonly (readonly [start: string, id: string])[] = [
  ['/admin/users/:', 'user'],
  ['/admin/organizations/:id/members/:', 'member'],
  ['/admin/organizations/:id/teams/:', 'team'],
  ['/admin/organizations/:', 'organization'],
  ['/admin/clients/:', 'client'],
  ['/admin/apis/:', 'api'],
  ['/admin/api-keys/:', 'key'],
]
/** Reads that are not compared: files, calls of the older dialect, reads that ask other servers, and resources that do not exist here. */
const left =
  /exports\/:id|backups\/:id|billing\/(customers|deliveries)\/:id|events\/:id|providers\/:id|templates\/:kind|get-user|list-users|\/claims$|explanation|health$|statistics/

const queries = Object.keys(reads).filter((path) => path.startsWith('/') && !left.test(path))
const paramsOf = (path: string): Ids =>
  Object.fromEntries(
    [...path.matchAll(/:(\w+)/g)].map(({ 1: name = '', index }) => {
      const start = path.slice(0, index + 1)
      const [, id = ''] = owners.find(([begin]) => begin === start) ?? []
      return [name, ids[id] ?? 'none']
    }),
  )
const filled = (path: string, params: Readonly<Record<string, string>>) =>
  path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')

/** Reads everything that the console can read, with the answers. Mails that are under way would change between two reads by themselves. */
const readAll = async () => {
  await t.mails()
  const found = new Map<string, { queryKey: readonly unknown[]; data: unknown }>()
  for (const path of queries) {
    const params = paramsOf(path)
    // A deleted team is refused with 400.
    const { status, text, json } = await admin.request(filled(path, params))
    if (![200, 400, 404].includes(status)) throw new Error(`${path}: ${status} ${text}`)
    found.set(path, { queryKey: [path, { params }], data: status === 200 ? json : undefined })
  }
  return found
}

/** Times of uses and reads, which change without a recorded change. */
const steady = (value: unknown) =>
  JSON.stringify(value, (name, field) => (/^(lastUsedAt|updatedAt|eventsBehind|lastSeenAt)$/.test(name) ? 0 : field))

beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 }, limits: { enabled: 'off' } } })
  admin = await signedInAs(t, 'admin', 'admin@staff.example')
  const ann = await t.signedIn('ann@example.com', 'Ann Archer')
  await t.signedIn('bob@example.com', 'Bob Baker')
  ids['user'] = (await userOf(ann)).id
  ids['bob'] = (await t.app.users.require(t.app.core.db, 'bob@example.com')).id
  await t.verify('ann@example.com')
  const owner = { name: 'Acme', slug: 'acme', ownerId: ids['user'] }
  ids['organization'] = idOf(await call('POST', '/admin/organizations', owner))
  ids['team'] = idOf(await call('POST', `/admin/organizations/${ids['organization']}/teams`, { name: 'Red' }))
  const shop = await register(t)
  ids['client'] = shop.clientId
  await codeFor(ann, shop, { scope: 'openid email', prompt: 'consent' })
  ids['key'] = idOf(await call('POST', '/admin/api-keys', { name: 'Key', permissions: ['users:read'] }))
  ids['api'] = idOf(await call('POST', '/admin/apis', { name: 'Orders', identifier: 'https://orders.example' }))
})
afterAll(() => t.stop())

type Change = readonly [title: string, call: string, input: () => { params?: Ids; body?: unknown }, keeps?: string]

const id = (name: string) => ({ id: ids[name] ?? '' })
const list: readonly Change[] = [
  ['a new name of a person', 'PATCH /admin/users/:id', () => ({ params: id('user'), body: { name: 'Ann Arch' } })],
  ['another address of a person', 'PATCH /admin/users/:id', () => ({ params: id('bob'), body: { email: 'bobby@example.com' } })],
  ['a new person', 'POST /admin/create-user', () => ({ body: { name: 'Eve', email: 'eve@example.com', password } }), 'eve'],
  ['a new role of a person', 'POST /admin/set-role', () => ({ body: { userId: ids['user'], role: 'auditor' } })],
  ['a required factor', 'PATCH /admin/users/:id/factors', () => ({ params: id('user'), body: { required: true } })],
  [
    'a new member',
    'POST /admin/organizations/:id/members',
    () => ({ params: id('organization'), body: { userId: ids['bob'], role: 'member', unverified: true } }),
    'member',
  ],
  [
    'a new role of a member',
    'PATCH /admin/organizations/:id/members/:memberId',
    () => ({ params: { ...id('organization'), memberId: ids['member'] ?? '' }, body: { role: 'admin', unverified: true } }),
  ],
  [
    'a new member of a team',
    'PUT /admin/organizations/:id/teams/:teamId/members/:userId',
    () => ({ params: { ...id('organization'), teamId: ids['team'] ?? '', userId: ids['bob'] ?? '' }, body: {} }),
  ],
  [
    'a new name of a team',
    'PATCH /admin/organizations/:id/teams/:teamId',
    () => ({ params: { ...id('organization'), teamId: ids['team'] ?? '' }, body: { name: 'Blue' } }),
  ],
  [
    'an invitation',
    'POST /admin/organizations/:id/invitations',
    () => ({ params: id('organization'), body: { email: 'cid@example.com', role: 'member' } }),
    'invitation',
  ],
  [
    'a cancelled invitation',
    'DELETE /admin/organizations/:id/invitations/:invitationId',
    () => ({ params: { ...id('organization'), invitationId: ids['invitation'] ?? '' } }),
  ],
  [
    'a new name of an organization',
    'PATCH /admin/organizations/:id',
    () => ({ params: id('organization'), body: { name: 'Acme Inc.' } }),
  ],
  [
    'a removed member',
    'DELETE /admin/organizations/:id/members/:memberId',
    () => ({ params: { ...id('organization'), memberId: ids['member'] ?? '' } }),
  ],
  ['a new organization', 'POST /admin/organizations', () => ({ body: { name: 'Second', slug: 'second', ownerId: ids['user'] } })],
  [
    'a new application',
    'POST /admin/clients',
    () => ({ body: { name: 'New', type: 'web', redirectUris: ['https://new.example/cb'] } }),
  ],
  [
    'a new name of an application',
    'PATCH /admin/clients/:clientId',
    () => ({ params: { clientId: ids['client'] ?? '' }, body: { name: 'Shop 2' } }),
  ],
  [
    'another secret of an application',
    'POST /admin/clients/:clientId/secrets',
    () => ({ params: { clientId: ids['client'] ?? '' }, body: {} }),
  ],
  [
    'an ended consent',
    'DELETE /admin/users/:userId/consents/:clientId',
    () => ({ params: { userId: ids['user'] ?? '', clientId: ids['client'] ?? '' } }),
  ],
  [
    'a new name of an API',
    'PATCH /admin/apis/:apiId',
    () => ({ params: { apiId: ids['api'] ?? '' }, body: { name: 'Orders 2' } }),
  ],
  ['another secret of an API', 'POST /admin/apis/:apiId/secrets', () => ({ params: { apiId: ids['api'] ?? '' }, body: {} })],
  ['a new name of a key', 'PATCH /admin/api-keys/:id', () => ({ params: id('key'), body: { name: 'Key 2' } })],
  ['another secret of a key', 'POST /admin/api-keys/:id/rotate', () => ({ params: id('key'), body: {} })],
  ['new signing keys', 'POST /admin/signing-keys/rotate', () => ({ body: {} })],
  ['a token to register with', 'POST /admin/initial-access-tokens', () => ({ body: { name: 'CI', types: ['web'] } })],
  ['another setting', 'PATCH /admin/settings', () => ({ body: { set: { 'brand.name': 'Acme Accounts' } } })],
  [
    'a step that is dismissed',
    'PATCH /admin/setup-steps/:name',
    () => ({ params: { name: 'backup' }, body: { isDismissed: true } }),
  ],
  ['a requested export', 'POST /admin/events/exports', () => ({ body: { format: 'csv' } })],
  ['all sessions ended', 'POST /admin/revoke-user-sessions', () => ({ body: { userId: ids['user'] } })],
  [
    'another password',
    'POST /admin/set-user-password',
    () => ({ body: { userId: ids['user'], newPassword: 'another battery staple' } }),
  ],
  ['a ban', 'POST /admin/ban-user', () => ({ body: { userId: ids['user'], banReason: 'spam' } })],
  ['a lifted ban', 'POST /admin/unban-user', () => ({ body: { userId: ids['user'] } })],
  ['a deleted key', 'DELETE /admin/api-keys/:id', () => ({ params: id('key') })],
  ['a deleted API', 'DELETE /admin/apis/:apiId', () => ({ params: { apiId: ids['api'] ?? '' } })],
  ['a deleted application', 'DELETE /admin/clients/:clientId', () => ({ params: { clientId: ids['client'] ?? '' } })],
  ['a deleted organization', 'DELETE /admin/organizations/:id', () => ({ params: id('organization') })],
  ['a deleted person', 'DELETE /admin/users/:id', () => ({ params: id('bob') })],
]

test('each console query that a change affects is marked as stale by the call and by the event in the stream', async () => {
  const missed: string[] = []
  const fetched: Record<string, number> = {}
  const newest = async () => t.app.audit.list({}, 1000)
  let before = await readAll()
  for (const [title, endpoint, inputOf, keeps] of list) {
    const input = inputOf()
    const [method = '', path = ''] = endpoint.split(' ')
    const known = new Set((await newest()).map((event) => event.id))
    const answer = await call(method, filled(path, input.params ?? {}), method === 'DELETE' ? undefined : input.body).catch(
      (error) => {
        missed.push(String(error))
        return {} as Record<string, unknown>
      },
    )
    if (keeps !== undefined) ids[keeps] = String((answer['user'] as Ids | undefined)?.['id'] ?? answer['id'])
    const after = await readAll()
    const events = (await newest())
      .filter((event) => !known.has(event.id))
      .map((event): Told => ({ ...event, occurredAt: event.occurredAt.toISOString() }))
    const ofCall = touchedByCall({ method, path }, input, answer)
    const ofEvents = events.map(touchedByEvent)
    fetched[title] = [...before.values()].filter((one) => isAffected(one, ofCall)).length
    for (const [of, one] of before) {
      if (steady(one.data) === steady(after.get(of)?.data)) continue
      if (!isAffected(one, ofCall)) missed.push(`${title} (call): ${of}`)
      const isLater = summaries.some(({ key }) => key === of)
      if (events.length > 0 && !isLater && !ofEvents.some((touched) => isAffected(one, touched)))
        missed.push(`${title} (${events.map(({ type }) => type).join()}): ${of}`)
    }
    before = after
  }
  expect(missed).toEqual([])
  // A change must not affect every read.
  expect(fetched['a new name of a person']).toBeLessThan(15)
  expect(fetched['a new name of a key']).toBeLessThan(8)
}, 120_000)

test('every administration call and every type of event declares which console queries it affects', () => {
  const isOfConsole = ({ path }: { path: string }) =>
    path.startsWith('/admin/') && !/stream|verification|\/export$|\/content$/.test(path)
  const endpoints = t.app.routes.map(({ endpoint }) => endpoint).filter(isOfConsole)
  const missing = endpoints.filter(
    ({ method, path }) => (method === 'GET' ? reads[path] : changes[`${method} ${path}`]) === undefined,
  )
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  const paths = new Set(t.app.routes.map(({ endpoint: { method, path } }) => (method === 'GET' ? path : `${method} ${path}`)))
  expect([...Object.keys(reads), ...Object.keys(changes)].filter((one) => one.includes('/') && !paths.has(one))).toEqual([])
  const types = [...composed().events.types.keys()]
  expect(types.filter((type) => (happenings[type] ?? happenings[type.slice(0, type.indexOf('.'))]) === undefined)).toEqual([])
})
