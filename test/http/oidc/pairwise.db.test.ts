import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { httpsServer } from '../../support/https-server.ts'
import { testSecret } from '../../support/secret.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  offline,
  postForm,
  queryOf,
  redeem,
  redirectUri,
  refresh,
  register,
  userinfo,
} from './flow.ts'
import { refusal, registers } from './registering.ts'

let t: TestApp
let ann: Browser
let annId: string
/** The answer of the sector address. */
let listed: unknown = [redirectUri]
let asked = 0
let sectorIdentifierUri: string
let close: () => void
beforeAll(async () => {
  const { server, origin } = await httpsServer((_, res) => {
    asked += 1
    res.end(typeof listed === 'string' ? listed : JSON.stringify(listed))
  })
  close = () => server.close()
  sectorIdentifierUri = `${origin}/sector.json`
  t = await testApp({ config: { outbound: { allow: ['localhost'] }, oidc: { registration: 'open' } } })
  ann = await t.signedIn('ann@example.com')
  annId = (await t.app.users.require(t.app.core.db, 'ann@example.com')).id
})
afterAll(async () => {
  close()
  await t.stop()
})

const pairwise = (more = {}) => register(t, { subjectType: 'pairwise', ...more })
const update = (clientId: string, changes: object) =>
  t.app.oidc.applications.update(systemPrincipal('test'), clientId, changes as never)
const tokensOf = async (browser: Browser, application: Application, params = {}) =>
  (await redeem(t, application, await codeFor(browser, application, params), {})).json
const subOf = async (application: Application) => String(decodeJwt(String((await tokensOf(ann, application))['id_token'])).sub)

describeOnBoth('a client with pairwise subjects', () => {
  test('a client with pairwise subjects gets its own identifier of a person, in ID token, userinfo, introspection and after a refresh', async () => {
    const shop = await pairwise({ skipConsent: true })
    const tokens = await tokensOf(ann, shop, offline)
    const { sub } = decodeJwt(String(tokens['id_token']))
    expect(sub).toMatch(/^[\w-]{43}$/)
    expect((await userinfo(t, tokens['access_token'])).json['sub']).toBe(sub)
    for (const name of ['access_token', 'refresh_token']) {
      const { json } = await postForm(t, shop, '/oauth2/introspect', { token: String(tokens[name]) })
      expect([json['active'], json['sub']]).toEqual([true, sub])
    }
    const renewed = await refresh(t, shop, tokens['refresh_token'])
    expect(decodeJwt(String(renewed.json['id_token'])).sub).toBe(sub)
    expect(JSON.stringify([tokens, renewed.json])).not.toContain(annId)
  })

  testOnBoth(
    "a pairwise subject stays the same on all nodes, and after the signing keys and the installation's secret are replaced",
    async () => {
      const shop = await pairwise()
      const sub = await subOf(shop)
      await t.app.oidc.keys.revoke(systemPrincipal('test'))
      expect(await subOf(shop)).toBe(sub)
      const secret = ['another-secret-that-is-as-long-as-it-has-to-be-1234567890', testSecret]
      const node = await t.node({ secret })
      const client = await node.app.oidc.clients.find(shop.clientId)
      expect(client && (await node.app.oidc.subjects.of(client, annId))).toBe(sub)
      await node.stop()
    },
  )

  test('clients with redirect addresses at one host share pairwise subjects, and other clients get different ones', async () => {
    const [one, same, other, open] = [
      await pairwise(),
      await pairwise(),
      await pairwise({ redirectUris: ['https://other.example/callback'] }),
      await register(t),
    ]
    const sub = await subOf(one)
    expect(await subOf(same)).toBe(sub)
    const client = await t.app.oidc.clients.find(other.clientId)
    expect(client && (await t.app.oidc.subjects.of(client, annId))).not.toBe(sub)
    expect(await subOf(open)).toBe(annId)
  })

  test("id_token_hint identifies the person by the client's pairwise subject, in an authorization and at a sign-out", async () => {
    const shop = await pairwise({ postLogoutRedirectUris: ['https://rp.example/bye'] })
    const bea = await t.signedIn('bea@example.com')
    const { id_token: hint } = await tokensOf(bea, shop)
    const params = { id_token_hint: String(hint), prompt: 'none' }
    expect(queryOf((await goOn(bea, await bea.request(authorizePath(shop, params)))).location)['code']).toBeDefined()
    await tokensOf(ann, shop)
    expect(queryOf((await goOn(ann, await ann.request(authorizePath(shop, params)))).location)['error']).toBe('login_required')
    const query = new URLSearchParams({ id_token_hint: String(hint), post_logout_redirect_uri: 'https://rp.example/bye' })
    // For the identifier of another person the page asks first.
    expect((await ann.request(`/oauth2/end-session?${query}`)).location).toContain('/sign-out?question=')
    expect((await bea.request(`/oauth2/end-session?${query}`)).location).toBe('https://rp.example/bye')
  })

  test('explanations and previews of claims show the pairwise subject of the client', async () => {
    const shop = await pairwise()
    const sub = await subOf(shop)
    const root = await t.signedIn('root@example.com')
    const { id } = await t.app.users.require(t.app.core.db, 'root@example.com')
    await t.app.core.db.knex('user').where({ id }).update({ role: 'admin', email_verified: true })
    const { json } = await root.request(`/admin/clients/${shop.clientId}/claims?user=ann@example.com`)
    const claims = json['claims'] as { name: string; value: unknown; origins: { rule: string }[] }[]
    expect(claims.find(({ name }) => name === 'sub')).toMatchObject({ value: sub, origins: [{ rule: 'pairwise' }] })
  })
})

describe('a sector identifier of pairwise subjects', () => {
  const other = 'https://other.example/callback'

  test('a sector identifier joins redirect addresses of several hosts if the sector document lists every address', async () => {
    listed = [redirectUri, other]
    const before = asked
    const shop = await pairwise({ redirectUris: [redirectUri, other], sectorIdentifierUri })
    const news = await pairwise({ sectorIdentifierUri })
    expect(asked - before).toBe(2)
    expect(await subOf(shop)).toBe(await subOf(news))
    expect(await subOf(shop)).not.toBe(await subOf(await pairwise()))
    // Using the sector fetches nothing.
    expect(asked - before).toBe(2)
  })

  test('a sector document that does not list every redirect address is refused, at registration and at an update', async () => {
    listed = [redirectUri]
    await expect(pairwise({ redirectUris: [redirectUri, other], sectorIdentifierUri })).rejects.toThrow('does not list')
    await expect(pairwise({ redirectUris: [redirectUri, other] })).rejects.toThrow('sector_identifier_uri')
    const shop = await pairwise({ sectorIdentifierUri })
    await expect(update(shop.clientId, { redirectUris: [redirectUri, other] })).rejects.toThrow('does not list')
    await expect(update(shop.clientId, { sectorIdentifierUri: null, redirectUris: [redirectUri, other] })).rejects.toThrow(
      'sector_identifier_uri',
    )
    listed = [redirectUri, other]
    expect((await update(shop.clientId, { redirectUris: [redirectUri, other] })).redirectUris).toHaveLength(2)
  })

  test.each([
    ['no list', '{}'],
    ['no JSON', '<html>'],
    ['numbers', '[1]'],
    ['too much', `["${'x'.repeat(300_000)}"]`],
  ])('a sector identifier whose address answers %s is refused', async (_, body) => {
    listed = body
    await expect(pairwise({ sectorIdentifierUri })).rejects.toThrow('sector_identifier_uri')
  })

  test("a stranger's sector identifier is not fetched from an internal address, whatever the configuration allows", async () => {
    listed = [redirectUri]
    const before = asked
    const answer = await registers(t, { subject_type: 'pairwise', sector_identifier_uri: sectorIdentifierUri })
    expect(refusal(answer)).toEqual([
      400,
      'invalid_client_metadata',
      expect.stringContaining('sector_identifier_uri cannot be read'),
    ])
    expect(asked).toBe(before)
  })

  test('a sector identifier must be an https address, and machines cannot have one', async () => {
    await expect(pairwise({ sectorIdentifierUri: 'http://localhost/x' })).rejects.toThrow('https')
    await expect(register(t, { type: 'machine', redirectUris: [], subjectType: 'pairwise' })).rejects.toThrow('machine')
    await expect(pairwise({ type: 'native', redirectUris: ['com.example.app:/callback'] })).rejects.toThrow('one web host')
    await expect(pairwise({ deviceFlow: true })).rejects.toThrow('codes of devices')
  })
})
