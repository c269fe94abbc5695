/** Applications in which an administrator impersonates a user are notified of the end (OpenID Connect Back-Channel Logout 1.0). */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'
import * as migration from '../../../migrations/202612223001_session_clients.ts'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, codeFor, redeem, register } from './flow.ts'
import { ownerOf } from './tenants.ts'

let t: TestApp
let node: TestApp
let told: string[] = []
const server = createServer((req, res) => {
  const parts: Buffer[] = []
  req.on('data', (part: Buffer) => parts.push(part))
  req.on('end', () => {
    told.push(new URLSearchParams(Buffer.concat(parts).toString()).get('logout_token') ?? '')
    res.end()
  })
})
let address: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 }, outbound: { allowHttp: true, allow: ['127.0.0.1'] } } })
  node = await t.node()
})
afterEach(() => {
  told = []
})
afterAll(async () => {
  server.close()
  await node.stop()
  await t.stop()
})

let count = 0
/** An administrator who impersonates a user and has signed in to an application as this user. */
const acting = async () => {
  count += 1
  const email = `staff${count}@staff.example`
  const user = await t.signedIn(`user${count}@example.com`)
  const userId = (await user.api.sessions.getSession())?.user.id ?? ''
  const staff = await signedInAs(t, 'admin', email)
  const own = (await staff.api.sessions.getSession())?.session.id ?? ''
  const shop = await register(t, { backchannelLogoutUri: address, skipConsent: true, understandsAct: true })
  expect((await staff.post('/admin/impersonate-user', { userId })).status).toBe(200)
  const sid = decodeJwt(String((await redeem(t, shop, await codeFor(staff, shop))).json['id_token']))['sid']
  return { email, staff, staffId: await idOf(email), own, userId, shop, sid }
}
const idOf = async (email: string): Promise<string> => (await t.app.core.db.knex('user').where({ email }).first('id')).id
const parts = ({ clientId }: Application) =>
  t.app.core.db.knex('oidc_artifact').where({ kind: 'SessionClient', client_id: clientId })
const expectTold = async ({ sid, userId, shop }: Awaited<ReturnType<typeof acting>>) => {
  await vi.waitFor(
    async () => {
      await t.wake('queue.oidc.logout')
      expect(told).toHaveLength(1)
    },
    { timeout: 20_000, interval: 30 },
  )
  expect(decodeJwt(told[0] ?? '')).toMatchObject({ sid, sub: userId, aud: shop.clientId })
  expect(await parts(shop)).toEqual([])
}

describeOnBoth('the end of an impersonation that an application takes part in', () => {
  type Ending = (of: Awaited<ReturnType<typeof acting>>, other: Browser) => Promise<unknown>
  const endings: readonly (readonly [string, Ending])[] = [
    ['by the administrator', ({ staff }) => staff.post('/admin/stop-impersonating', {})],
    ['with the session of the administrator', ({ own }, other) => other.request(`/admin/sessions/${own}`, { method: 'DELETE' })],
    [
      'with all sessions of the administrator',
      ({ staffId }, other) => other.post('/admin/revoke-user-sessions', { userId: staffId }),
    ],
    [
      'with the role of the administrator',
      ({ staffId }, other) => other.post('/admin/set-role', { userId: staffId, role: 'user' }),
    ],
    ['by a ban of the person', ({ userId }, other) => other.post('/admin/ban-user', { userId })],
    [
      'because its time is up',
      async () => {
        t.clock.advance({ minutes: 61 })
        await t.app.oidc.logouts.notifyOfEndedImpersonations()
      },
    ],
  ]
  test.each(endings)('an application is notified when an impersonation ends %s', async (_, end) => {
    const of = await acting()
    const other = await signedInAs(t, 'admin', `other${count}@staff.example`)
    await t.app.oidc.logouts.notifyOfEndedImpersonations()
    expect(await parts(of.shop)).toHaveLength(1)
    await end(of, other)
    await expectTold(of)
  })

  testOnBoth('an application is notified once when an impersonation ends at two nodes at the same time', async () => {
    const of = await acting()
    t.clock.advance({ minutes: 61 })
    await Promise.all([
      t.app.oidc.logouts.notifyOfEndedImpersonations(),
      node.app.oidc.logouts.notifyOfEndedImpersonations(),
      t.app.core.transact((tx) => t.app.oidc.logouts.notifyOfImpersonations(tx, of.staffId, 'user.role_changed')),
    ])
    await expectTold(of)
  })

  test('an application gets no logout notice when the administrator ends another session and the impersonation goes on', async () => {
    const of = await acting()
    const second = t.client()
    expect((await second.post('/sign-in/email', { email: of.email, password })).status).toBe(200)
    await second.api.sessions.signOut()
    expect(await parts(of.shop)).toHaveLength(1)
  })
})

describeOnBoth('the one row of an application in a session', () => {
  testOnBoth(
    'several sign-ins to an application in one session share one row with all their organizations, even simultaneous sign-ins at two nodes',
    async () => {
      const shop = await register(t, { backchannelLogoutUri: address, skipConsent: true })
      const { browser, userId, organizations } = await ownerOf(t, 'Acme', 'Globex')
      const codes: string[] = []
      for (let i = 0; i < 6; i++)
        codes.push(await codeFor(browser, shop, { scope: 'openid organizations', organization: organizations[i % 2]?.id }))
      const answers = await Promise.all(codes.map((code, i) => redeem(i % 2 === 0 ? t : node, shop, code)))
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
      const [row, ...more] = await parts(shop)
      expect(more).toEqual([])
      const payload = typeof row.payload === 'string' ? JSON.parse(row.payload) : row.payload
      expect(Object.keys(payload).toSorted()).toEqual(
        [...organizations.map(({ id }) => `organization:${id}`), 'sessionUid'].toSorted(),
      )
      const of = (organizationId: string | undefined) =>
        t.app.core.transact((tx) => t.app.oidc.logouts.notify(tx, { userId, organizationId }, 'member.removed'))
      await of('another')
      expect(await parts(shop)).toHaveLength(1)
      await of(organizations[0]?.id)
      expect(await parts(shop)).toEqual([])
    },
  )

  testOnBoth(
    'if an application is notified at the moment of a further sign-in, the notice covers both sign-ins or the second gets a new row',
    async () => {
      const shop = await register(t, { backchannelLogoutUri: address, skipConsent: true })
      for (let round = 0; round < 6; round++) {
        const { browser, userId } = await ownerOf(t)
        await redeem(t, shop, await codeFor(browser, shop))
        const code = await codeFor(browser, shop)
        const end = t.app.core.transact((tx) =>
          t.app.oidc.logouts.notify(tx, { userId, clientId: shop.clientId }, 'consent.ended'),
        )
        const [{ status }] = await Promise.all([redeem(node, shop, code), end])
        expect(status).toBe(200)
        expect((await parts(shop)).filter(({ account_id }) => account_id === userId).length).toBeLessThanOrEqual(1)
      }
    },
  )
})

test('no row is stored for a disabled client in a session', async () => {
  const of = await acting()
  await t.app.oidc.applications.update(systemPrincipal('test'), of.shop.clientId, { disabled: true })
  await vi.waitFor(async () => {
    await t.wake('queue.oidc.logout-all')
    expect(await parts(of.shop)).toEqual([])
  }, 60_000)
})

testOnBoth(
  'the migration merges the rows of a client in a session into one row with all organizations and the latest expiry, and can be undone',
  async () => {
    const shop = await register(t, { backchannelLogoutUri: address, skipConsent: true })
    const { browser, userId } = await ownerOf(t)
    await redeem(t, shop, await codeFor(browser, shop))
    const { knex } = t.app.core.db
    const [current] = await parts(shop)
    await migration.down(knex)
    const before = (id: string, organization: string | null, days: number) => ({
      ...{ id, kind: 'SessionClient', account_id: userId, client_id: shop.clientId, grant_id: null },
      ...{ payload: JSON.stringify({ sessionUid: 's', organization }), expires_at: new Date(Date.UTC(2099, 0, days)) },
    })
    await knex('oidc_artifact').insert([before('1', 'one', 1), before('2', null, 9), before('3', 'two', 3)])
    await migration.up(knex)
    const rows = (await parts(shop)).map(({ id, payload, expires_at, account_id }) => [
      ...[id, JSON.parse(payload), new Date(expires_at).getTime(), account_id],
    ])
    expect(rows).toHaveLength(2)
    expect(rows).toEqual(
      expect.arrayContaining([
        [current.id, JSON.parse(current.payload), new Date(current.expires_at).getTime(), userId],
        [...['1', { sessionUid: 's', 'organization:one': true, 'organization:two': true }], ...[Date.UTC(2099, 0, 9), userId]],
      ]),
    )
  },
)
