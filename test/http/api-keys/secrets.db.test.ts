import { afterAll, beforeAll, expect, vi } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { overlap } from '../../support/overlap.ts'
import { create, operator, userOf } from '../organizations/people.ts'
import { createKey, instanceKey, outcome, program } from './keys.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { trustedProxies: ['127.0.0.1'] } })
})
afterAll(() => t.stop())

const use = (key: string, at: TestApp = t) => outcome(program(at, key).get('/list-sessions'))
const rotate = async (client: Client, keyId: string, overlapSeconds?: number) =>
  client.post('/api-key/rotate', { keyId, ...(overlapSeconds === undefined ? {} : { overlapSeconds }) })

describeOnBoth('rotation of an API key', () => {
  test('after a rotation both secrets of an API key work until the former one expires, and the last use of each is shown', async () => {
    const ann = await t.signedIn('ann@example.com')
    const { key, id } = await createKey(ann, { permissions: ['sessions:read'] })
    const second = (await rotate(ann, id, 3_600)).json['key'] as string
    expect([(await use(key))[0], (await use(second))[0]]).toEqual([200, 200])
    await vi.waitFor(async () => {
      const { secrets } = await t.app.apiKeys.find(id)
      expect(secrets.map(({ lastUsedAt }) => lastUsedAt === null)).toEqual([false, false])
    }, 60_000)
    expect(await outcome(rotate(ann, id, 60))).toEqual([409, 'API_KEY_HAS_TWO_SECRETS_ALREADY'])
    t.clock.advance({ hours: 1 })
    expect(await use(key)).toEqual([401, 'API_KEY_HAS_EXPIRED'])
    expect((await use(second))[0]).toBe(200)
    expect((await t.app.apiKeys.find(id)).secrets).toHaveLength(1)
  })

  test('a rotation without overlap ends all former secrets of an API key at once', async () => {
    const bea = await t.signedIn('bea@example.com')
    const { key, id } = await createKey(bea, { permissions: ['sessions:read'] })
    const second = (await rotate(bea, id)).json['key'] as string
    const third = (await rotate(bea, id, 0)).json['key'] as string
    expect([await use(key), await use(second)]).toEqual([
      [401, 'API_KEY_HAS_EXPIRED'],
      [401, 'API_KEY_HAS_EXPIRED'],
    ])
    expect((await use(third))[0]).toBe(200)
  })

  testOnBoth('of two simultaneous rotations of an API key one gives a secret, and the other is refused', async () => {
    const cyd = await t.signedIn('cyd@example.com')
    const { key, id } = await createKey(cyd, { permissions: ['sessions:read'] })
    const answers = await Promise.all([rotate(cyd, id), rotate(cyd, id), rotate(cyd, id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const winner = answers.find(({ status }) => status === 200)?.json['key'] as string
    expect([(await use(key))[0], (await use(winner))[0]]).toEqual([200, 200])
    expect(await t.app.core.db.knex('api_key_secret').where({ key_id: id })).toHaveLength(2)
  })

  test('an expired secret of an API key is deleted a month after its rotation', async () => {
    const dan = await t.signedIn('dan@example.com')
    const { id } = await createKey(dan, { permissions: ['sessions:read'] })
    await rotate(dan, id, 0)
    t.clock.advance({ days: 31 })
    await t.app.apiKeys.retention.sweep()
    expect(await t.app.core.db.knex('api_key_secret').where({ key_id: id })).toHaveLength(1)
  })
})

describeOnBoth('revocation of an API key', () => {
  testOnBoth('every node refuses an API key as soon as its revocation is answered', async () => {
    const eve = await t.signedIn('eve@example.com')
    const node = await t.node({ trustedProxies: ['127.0.0.1'] })
    const { key, id } = await createKey(eve, { permissions: ['sessions:read'] })
    let isRevoked = false
    const late: unknown[] = []
    const user = async (at: TestApp) => {
      for (let rounds = 0; rounds < 5; ) {
        const wasRevoked = isRevoked
        const [status] = await use(key, at)
        if (wasRevoked) {
          late.push(status)
          rounds += 1
        }
      }
    }
    const users = [user(t), user(node), user(t)]
    expect((await eve.post('/api-key/delete', { keyId: id })).status).toBe(200)
    isRevoked = true
    await Promise.all(users)
    expect(late).toEqual(late.map(() => 401))
    expect(await t.app.core.db.knex('api_key_secret').where({ key_id: id })).toEqual([])
    await node.stop()
  })

  testOnBoth('a rotation that waits for the revocation of the API key finds no key', async () => {
    const node = await t.node({ trustedProxies: ['127.0.0.1'] })
    const key = await instanceKey(t, ['users:read'])
    const id = key.split('_')[2] ?? ''
    let refused: unknown
    await overlap(
      [t, node],
      (tx) => tx.knex('api_key').where({ id }).delete(),
      () =>
        node.app.apiKeys.rotate(operator, 'instance', id, {}).catch((error: unknown) => {
          refused = (error as { code?: string }).code
        }),
    )
    expect(refused).toBe('API_KEY_NOT_FOUND')
    await node.stop()
  })

  test('recovering an account by a password reset ends all its earlier API keys', async () => {
    const fay = await t.signedIn('fay@example.com')
    await t.verify('fay@example.com')
    const { key } = await createKey(fay, { permissions: ['sessions:read'] })
    await t.verify('fay@example.com')
    await fay.post('/request-password-reset', { email: 'fay@example.com', redirectTo: '/' })
    const { link } = await t.mailTo('fay@example.com', 'reset-password')
    const token = /reset-password\/([^?]+)/.exec(link)?.[1] ?? new URL(link).searchParams.get('token')
    const done = await t.client().post('/reset-password', { newPassword: 'another battery staple', token })
    expect([done.status, ...(await use(key))]).toEqual([200, 401, 'INVALID_API_KEY'])
    const events = await t.app.audit.list({}, 50)
    expect(events.find(({ type }) => type === 'api_key.revoked')).toMatchObject({ data: { reason: 'account_recovered' } })
  })

  test('an API key is not created if a reset or a ban ends the session during the call', async () => {
    const yan = await t.signedIn('yan@example.com')
    const organizationId = await create(yan, 'yan')
    const { id } = await userOf(yan)
    const principalOf = async (client: Client) => {
      const token = (await client.api.sessions.getSession())?.session.token ?? ''
      const context = { address: '', userAgent: '', requestId: 'test' }
      const found = await t.app.sessions.authenticate(token, context, { extend: false })
      if (found === undefined) throw new Error('no session')
      return found.principal
    }
    const input = { name: 'Left behind', permissions: ['organization:read' as const] }
    const { key } = await createKey(yan, { permissions: ['account:read'] })
    const principal = await principalOf(yan)
    // Both calls had already read the session.
    await t.app.core.transact((tx) => t.app.sessions.endAll(tx, operator, id))
    const unauthorized = { code: 'UNAUTHORIZED' }
    const { apiKeys } = t.app
    await expect(apiKeys.create(principal, { kind: 'user', user: id }, input)).rejects.toMatchObject(unauthorized)
    const ofOrganization = { kind: 'organization', organization: organizationId } as const
    await expect(apiKeys.create(principal, ofOrganization, input)).rejects.toMatchObject(unauthorized)
    await expect(apiKeys.create(principal, { kind: 'instance' }, input)).rejects.toMatchObject(unauthorized)
    await expect(apiKeys.rotate(principal, 'own', key.split('_')[2] ?? '', {})).rejects.toMatchObject(unauthorized)
    expect(await t.app.core.db.knex('api_key').where({ name: 'Left behind' })).toEqual([])
  })

  testOnBoth('a password reset succeeds while somebody else revokes an API key of the account', async () => {
    const node = await t.node({ trustedProxies: ['127.0.0.1'] })
    const zoe = await t.signedIn('zoe@example.com')
    const { id } = await userOf(zoe)
    const { id: keyId } = await createKey(zoe, { permissions: ['account:read'] })
    await createKey(zoe, { permissions: ['account:read'] })
    await overlap(
      [t, node],
      (tx) => tx.knex('api_key').where({ id: keyId }).delete(),
      () => node.app.core.transact((tx) => node.app.apiKeys.revokeOfUser(tx, operator, id)),
    )
    expect(await t.app.core.db.knex('api_key').where({ user_id: id })).toEqual([])
    await node.stop()
  })

  test('the API key of a banned person does not work during the ban', async () => {
    const gus = await t.signedIn('gus@example.com')
    const { key } = await createKey(gus, { permissions: ['account:read', 'sessions:read'] })
    const { id } = await userOf(gus)
    const ban = (bannedAt: Date | null) =>
      t.app.core.transact((tx) => tx.knex('user').where({ id }).update({ banned_at: bannedAt }))
    await ban(t.app.core.clock.now())
    expect(await use(key)).toEqual([401, 'API_KEY_IS_DISABLED'])
    await ban(null)
    expect((await use(key))[0]).toBe(200)
  })
})

describe('networks and expiry of an API key', () => {
  test('an API key works only from its networks, by the client address that the trusted proxy names, in IPv4 and IPv6', async () => {
    const hal = await t.signedIn('hal@example.com')
    const { key } = await createKey(hal, {
      permissions: ['sessions:read'],
      allowedNetworks: ['203.0.113.0/24', '198.51.100.7', '2001:db8:1::/48'],
    })
    const from = (address: string) => outcome(program(t, key).get('/list-sessions', { 'x-forwarded-for': address }))
    for (const address of ['203.0.113.9', '198.51.100.7', '2001:db8:1:2::3', '::ffff:203.0.113.9', '192.0.2.1, 203.0.113.9'])
      expect([address, (await from(address))[0]]).toEqual([address, 200])
    for (const address of ['203.0.114.1', '198.51.100.8', '2001:db8:2::1', '203.0.113.9, 192.0.2.1'])
      expect([address, ...(await from(address))]).toEqual([address, 403, 'API_KEY_IS_NOT_ALLOWED_FROM_THIS_ADDRESS'])
    expect(await use(key)).toEqual([403, 'API_KEY_IS_NOT_ALLOWED_FROM_THIS_ADDRESS'])
  })

  test('an expired API key is refused, and a change can extend it', async () => {
    const ida = await t.signedIn('ida@example.com')
    const { key, id: keyId } = await createKey(ida, { permissions: ['sessions:read'], expiresIn: 3_600 })
    t.clock.advance({ seconds: 3_599 })
    expect((await use(key))[0]).toBe(200)
    t.clock.advance({ minutes: 1 })
    expect(await use(key)).toEqual([401, 'API_KEY_HAS_EXPIRED'])
    await ida.post('/verify-password', { password })
    await ida.post('/api-key/update', { keyId, expiresIn: 3_600 })
    expect((await use(key))[0]).toBe(200)
  })

  test('the last use of an API key is stored at most once a minute', async () => {
    const jon = await t.signedIn('jon@example.com')
    const { key, id } = await createKey(jon, { permissions: ['sessions:read'] })
    const lastUse = async () => (await t.app.apiKeys.find(id)).lastUsedAt?.getTime()
    t.clock.hold()
    await use(key)
    await vi.waitFor(async () => expect(await lastUse()).toBe(Date.now()), 60_000)
    const first = await lastUse()
    t.clock.advance({ seconds: 30 })
    await use(key)
    t.clock.advance({ seconds: 31 })
    await use(key)
    await vi.waitFor(async () => expect(await lastUse()).toBe(Date.now()), 60_000)
    // The use in between was not written. Otherwise the last use, 31 seconds later, would not have been written.
    expect((await lastUse()) ?? 0).toBe((first ?? 0) + 61_000)
  })
})

describe('limits of API keys', () => {
  test('wrong API keys are throttled by client address, a right key from the same address works, and each key has its own limit', async () => {
    const limited = await t.node({ limits: { enabled: 'on' }, trustedProxies: ['127.0.0.1'] })
    t.clock.hold()
    t.clock.advance({ minutes: 1 })
    const key = await instanceKey(t, ['api-keys:read'])
    const from = (text: string, address: string) =>
      outcome(program(limited, text).get('/admin/api-keys', { 'x-forwarded-for': address }))
    const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
    const codes: unknown[] = []
    for (let i = 0; i < 5; i += 1) codes.push((await from(wrong, '203.0.113.1'))[0])
    expect(codes).toEqual([401, 401, 401, 429, 429])
    expect((await from(key, '203.0.113.1'))[0]).toBe(200)
    expect((await from(wrong, '203.0.113.2'))[0]).toBe(401)
    await t.app.apiKeys.update(operator, 'instance', key.split('_')[2] ?? '', { requestsPerMinute: 2 })
    t.clock.advance({ minutes: 1 })
    const statuses: unknown[] = []
    for (let i = 0; i < 4; i += 1) statuses.push((await from(key, `203.0.113.${i}`))[0])
    expect(statuses).toEqual([200, 200, 429, 429])
    await limited.stop()
  })
})

test('a signed-in person still needs a fresh session to create an API key', async () => {
  const kim = await t.signedIn('kim@example.com')
  t.clock.advance({ days: 2 })
  expect(await outcome(kim.post('/api-key/create', { name: 'Test', permissions: ['account:read'] }))).toEqual([
    403,
    'SESSION_IS_NOT_FRESH',
  ])
  await kim.post('/sign-in/email', { email: 'kim@example.com', password })
  expect((await outcome(kim.post('/api-key/create', { name: 'Test', permissions: ['account:read'] })))[0]).toBe(200)
})
