import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { tableNames } from '../../support/rows.ts'
import { authorizePath, codeFor, redeem, register } from '../oidc/flow.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp({ config: { mailSignIn: { enabled: true } } })
  admin = await t.signedIn('admin@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
})
afterAll(() => t.stop())

/** All rows of the database. */
const stored = async () => {
  const { knex } = t.app.core.db
  const names = await tableNames(knex)
  // Tables that jobs write meanwhile. Sealing events is such a job.
  const kept = names
    .filter(
      (name) =>
        !/^(knex_|sqlite_|daemon_configuration|master_secret|activity|task|finding|reader|event_reader|periodic|statistic|chain|event_)/.test(
          name,
        ),
    )
    .sort()
  const rows: Record<string, string> = {}
  for (const name of kept) rows[name] = JSON.stringify(await knex(name).select(name === 'event' ? 'id' : '*'))
  return rows
}

const reads = () => t.app.routes.filter(({ endpoint }) => endpoint.method === 'GET').map(({ endpoint }) => endpoint)

test('HEAD is answered at every path of GET, with the status of GET and without a body, and changes nothing', async () => {
  const pathOf = ({ path }: { readonly path: string }) => path.replaceAll(/:\w+/g, 'x')
  const statuses = new Map<string, number>()
  const before = await stored()
  for (const path of reads().map(pathOf)) {
    const head = await admin.request(path, { method: 'HEAD' })
    expect([path, head.text]).toEqual([path, ''])
    statuses.set(path, head.status)
  }
  expect(await stored()).toEqual(before)
  for (const endpoint of reads()) {
    const path = pathOf(endpoint)
    // The event stream of `verification` is read to its end.
    const status = endpoint.changes === true ? 200 : (await admin.request(path)).status
    expect([path, statuses.get(path)]).toEqual([path, status])
  }
})

test('HEAD is refused to callers who may not GET', async () => {
  for (const { path, access } of reads())
    if (typeof access !== 'string')
      expect([path, (await t.client().request(path.replaceAll(/:\w+/g, 'x'), { method: 'HEAD' })).status]).toEqual([path, 401])
})

test('HEAD of a page, a document and an unknown path is answered like GET', async () => {
  for (const path of ['/sign-in', '/', '/openapi.json', '/.well-known/openid-configuration', '/jwks', '/no-such-path']) {
    const [head, get] = [await admin.request(path, { method: 'HEAD' }), await admin.request(path)]
    expect([path, head.status, head.text]).toEqual([path, get.status, ''])
  }
})

describe('mailed links after a scanner has sent HEAD', () => {
  test('a verification link works after a scanner has sent HEAD', async () => {
    const client = t.client()
    await client.post('/sign-up/email', { name: 'Ann', email: 'ann@example.com', password })
    await client.post('/send-verification-email', { email: 'ann@example.com' })
    const { link } = await t.mailTo('ann@example.com')
    for (let i = 0; i < 3; i++) expect((await t.client().request(link, { method: 'HEAD' })).status).toBe(200)
    expect(
      (await t.app.core.db.knex('user').where({ email: 'ann@example.com' }).first('email_verified')).email_verified,
    ).toBeFalsy()
    await client.request(link)
    expect(
      (await t.app.core.db.knex('user').where({ email: 'ann@example.com' }).first('email_verified')).email_verified,
    ).toBeTruthy()
  })

  test('a sign-in link works after a scanner has sent HEAD', async () => {
    const client = t.client()
    await client.post('/sign-in/magic-link', { email: 'admin@example.com' })
    const { link } = await t.mailTo('admin@example.com')
    expect((await client.request(link, { method: 'HEAD' })).status).toBe(200)
    expect(await client.api.sessions.getSession()).toBe(null)
  })
})

test('HEAD at the OpenID provider answers userinfo like GET, and begins no sign-in or sign-out', async () => {
  const application = await register(t)
  const browser = await t.signedIn('browser@example.com')
  const { json } = await redeem(t, application, await codeFor(browser, application))
  const before = await stored()
  for (const path of [authorizePath(application), '/oauth2/end-session', '/oauth2/authorize/some-uid'])
    expect([path, (await browser.request(path, { method: 'HEAD' })).status]).toEqual([path, 200])
  const ask = (authorization: string) => fetch(`${t.url}/oauth2/userinfo`, { method: 'HEAD', headers: { authorization } })
  const answer = await ask(`Bearer ${json['access_token']}`)
  expect([answer.status, await answer.text()]).toEqual([200, ''])
  expect((await ask('Bearer wrong')).status).toBe(401)
  expect(await stored()).toEqual(before)
})
