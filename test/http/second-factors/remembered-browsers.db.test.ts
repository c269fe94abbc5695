import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { userOf } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Id of the browser, from its cookie. */
const deviceIdOf = (client: Client): string =>
  decodeURIComponent(client.cookies.get('gatehouse.device') ?? '').split('.')[0] ?? ''

const callOf = (deviceId: string | undefined, userAgent = firefox) => ({
  ...systemPrincipal('test'),
  ...{ kind: 'anonymous' as const, address: '203.0.113.7', userAgent },
  ...(deviceId === undefined ? {} : { deviceId: () => deviceId }),
})

/** Remembers the browser, as after a second factor in it. */
const remember = (userId: string, deviceId: string | undefined, node: TestApp = t) =>
  node.app.core.transact((tx) => node.app.rememberedBrowsers.remember(tx, callOf(deviceId), userId))

const isRemembered = (userId: string, deviceId: string | undefined, node: TestApp = t) =>
  node.app.rememberedBrowsers.isRemembered(node.app.core.db, userId, deviceId)

/** A user whose browser is remembered. */
const rememberedUser = async (email: string) => {
  const client = await t.signedIn(email)
  const { id } = await userOf(client)
  await remember(id, deviceIdOf(client))
  return { client, id, deviceId: deviceIdOf(client) }
}

const eventsOf = async (id: string) =>
  (await t.app.audit.list({ subject: id }, 50)).map(({ type }) => type).filter((type) => type.startsWith('second_factor.'))

test('a browser is remembered for one user, for 30 days from the proof, and its cookie value is stored as a hash', async () => {
  const { id, deviceId } = await rememberedUser('ann@example.com')
  const other = await userOf(await t.signedIn('other@example.com'))
  expect(deviceId).toHaveLength(32)
  expect(await isRemembered(id, deviceId)).toBe(true)
  expect(await isRemembered(other.id, deviceId)).toBe(false)
  expect(await isRemembered(id, 'x'.repeat(32))).toBe(false)
  expect(await isRemembered(id, undefined)).toBe(false)
  const rows = await t.app.core.db.knex('remembered_browser').where({ user_id: id })
  expect(JSON.stringify(rows)).not.toContain(deviceId)
  expect(await eventsOf(id)).toEqual(['second_factor.browser_remembered'])
  t.clock.advance({ days: 29 })
  expect(await isRemembered(id, deviceId)).toBe(true)
  t.clock.advance({ days: 2 })
  expect(await isRemembered(id, deviceId)).toBe(false)
})

testOnBoth(
  'a further proof in the same browser renews its row instead of adding one, even when two proofs arrive at once',
  async () => {
    const { id, deviceId } = await rememberedUser('bob@example.com')
    t.clock.advance({ days: 20 })
    await Promise.all([remember(id, deviceId), remember(id, deviceId)])
    t.clock.advance({ days: 20 })
    expect(await isRemembered(id, deviceId)).toBe(true)
    expect(await t.app.core.db.knex('remembered_browser').where({ user_id: id })).toHaveLength(1)
  },
)

test('a caller without a browser is not remembered, and a user has at most 50 remembered browsers', async () => {
  const { id } = await userOf(await t.signedIn('cas@example.com'))
  await remember(id, undefined)
  expect(await t.app.core.db.knex('remembered_browser').where({ user_id: id })).toEqual([])
  for (let n = 0; n < 52; n += 1) {
    t.clock.advance({ seconds: 1 })
    await remember(id, `browser-${n}`)
  }
  expect(await t.app.core.db.knex('remembered_browser').where({ user_id: id })).toHaveLength(50)
  expect([await isRemembered(id, 'browser-0'), await isRemembered(id, 'browser-51')]).toEqual([false, true])
})

test("the list of remembered browsers shows device, network address, last use and the current browser, and only one's own", async () => {
  const { client, id, deviceId } = await rememberedUser('dan@example.com')
  await rememberedUser('dan2@example.com')
  t.clock.advance({ hours: 1 })
  await remember(id, 'another browser')
  t.clock.advance({ hours: 1 })
  await t.app.core.transact((tx) => t.app.rememberedBrowsers.use(tx, callOf(deviceId, 'curl/8.0'), id))
  const list = await client.api.rememberedBrowsers.listRememberedBrowsers()
  expect(list).toMatchObject([
    { device: 'curl', current: true, ipAddress: '203.0.113.7', userAgent: 'curl/8.0' },
    { device: 'Firefox on Linux', current: false },
  ])
  expect(list[0]?.lastUsedAt.getTime()).toBeGreaterThan(list[0]?.createdAt.getTime() ?? Number.POSITIVE_INFINITY)
  expect(JSON.stringify(list)).not.toContain(deviceId)
})

test('a remembered browser can be revoked once, and only by its user', async () => {
  const { client, id, deviceId } = await rememberedUser('eva@example.com')
  const other = await rememberedUser('eva2@example.com')
  const [own] = await client.api.rememberedBrowsers.listRememberedBrowsers()
  const body = { id: own?.id ?? '' }
  const refused = await other.client.post('/two-factor/revoke-remembered-browser', body)
  expect([refused.status, refused.json['code']]).toEqual([404, 'REMEMBERED_BROWSER_NOT_FOUND'])
  expect(await isRemembered(id, deviceId)).toBe(true)
  expect((await client.post('/two-factor/revoke-remembered-browser', body)).json).toEqual({ status: true })
  expect((await client.post('/two-factor/revoke-remembered-browser', body)).status).toBe(404)
  expect([await isRemembered(id, deviceId), await isRemembered(other.id, other.deviceId)]).toEqual([false, true])
  expect(await eventsOf(id)).toContain('second_factor.browser_forgotten')
})

test('all remembered browsers of a user are revoked at once', async () => {
  const { client, id, deviceId } = await rememberedUser('fay@example.com')
  await remember(id, 'another browser')
  expect((await client.post('/two-factor/revoke-remembered-browsers')).json).toEqual({ status: true })
  expect([await isRemembered(id, deviceId), await isRemembered(id, 'another browser')]).toEqual([false, false])
  expect(await eventsOf(id)).toContain('second_factor.browsers_forgotten')
})

describe('endings of remembered browsers', () => {
  const reset = async (email: string) => {
    await t.verify(email)
    await t.client().api.passwords.requestPasswordReset({ body: { email } })
    const { link } = await t.mailTo(email, 'reset-password')
    const token = new URL(link).pathname.split('/').at(-1) ?? ''
    await t.client().api.passwords.resetPassword({ body: { token, newPassword: `${password} new` } })
  }

  test('a password reset by mail ends all remembered browsers', async () => {
    const { id, deviceId } = await rememberedUser('reset@example.com')
    await reset('reset@example.com')
    expect(await isRemembered(id, deviceId)).toBe(false)
  })

  test('a password set by an administrator ends all remembered browsers', async () => {
    const { id, deviceId } = await rememberedUser('set@example.com')
    const admin = await signedInAs(t, 'admin', `${crypto.randomUUID()}@staff.example`)
    await admin.api.administration.setUserPassword({ body: { userId: id, newPassword: `${password} new` } })
    expect(await isRemembered(id, deviceId)).toBe(false)
  })

  test('a password change that ends the other sessions ends remembered browsers, and a change that keeps the sessions keeps them', async () => {
    const { client, id, deviceId } = await rememberedUser('change@example.com')
    const change = (currentPassword: string, newPassword: string, revokeOtherSessions: boolean) =>
      client.api.passwords.changePassword({ body: { currentPassword, newPassword, revokeOtherSessions } })
    await change(password, `${password} 2`, false)
    expect(await isRemembered(id, deviceId)).toBe(true)
    await change(`${password} 2`, `${password} 3`, true)
    expect(await isRemembered(id, deviceId)).toBe(false)
  })

  test('remembered browsers end when an administrator ends all sessions of the user, but not when the user ends their own sessions', async () => {
    const { client, id, deviceId } = await rememberedUser('ended@example.com')
    await client.api.sessions.revokeOtherSessions()
    expect(await isRemembered(id, deviceId)).toBe(true)
    const admin = await signedInAs(t, 'admin', `${crypto.randomUUID()}@staff.example`)
    await admin.api.administration.revokeUserSessions({ body: { userId: id } })
    expect(await isRemembered(id, deviceId)).toBe(false)
  })

  test('a ban ends all remembered browsers', async () => {
    const { id, deviceId } = await rememberedUser('banned@example.com')
    const admin = await signedInAs(t, 'admin', `${crypto.randomUUID()}@staff.example`)
    await admin.api.administration.banUser({ body: { userId: id } })
    expect(await isRemembered(id, deviceId)).toBe(false)
  })

  test('a shorter secondFactor.rememberDays, or 0, ends remembered browsers at once', async () => {
    const { client, id, deviceId } = await rememberedUser('shorter@example.com')
    t.clock.advance({ days: 2 })
    const [short, off] = [
      await t.node({ secondFactor: { rememberDays: 1 } }),
      await t.node({ secondFactor: { rememberDays: 0 } }),
    ]
    expect([await isRemembered(id, deviceId), await isRemembered(id, deviceId, short)]).toEqual([true, false])
    await remember(id, deviceId, off)
    expect(await isRemembered(id, deviceId, off)).toBe(false)
    expect(await off.app.rememberedBrowsers.list(await principalOf(client))).toEqual([])
    await short.stop()
    await off.stop()
  })
})

const principalOf = async (client: Client) => {
  const token = (await client.api.sessions.getSession())?.session.token ?? ''
  const found = await t.app.sessions.authenticate(token, callOf(undefined), { extend: false })
  if (found === undefined) throw new Error('nobody is signed in')
  return found.principal
}
