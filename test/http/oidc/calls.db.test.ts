import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import { dialect } from '../../support/database.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Application, codeFor, redeem, redirectUri, register, userinfo, verifier } from './flow.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t, { icon: 'https://rp.example/icon.png' })
})
afterAll(() => t.stop())

describe('GET /oauth2/client/:id', () => {
  test('a signed-in user gets the public details of a client, never a secret', async () => {
    const ann = await t.signedIn('ann@example.com')
    const answer = await ann.request(`/oauth2/client/${shop.clientId}`)
    expect(answer.json).toEqual({ clientId: shop.clientId, name: 'Shop', icon: 'https://rp.example/icon.png' })
    expect(await ann.request('/oauth2/client/nobody')).toMatchObject({
      status: 404,
      text: '{"error":"not_found","error_description":"client not found"}',
    })
    expect((await t.client().request(`/oauth2/client/${shop.clientId}`)).status).toBe(401)
  })
})

test('methods and paths that the OpenID provider does not have are answered with 404', async () => {
  for (const [method, path] of [
    ['GET', '/oauth2/token'],
    ['PUT', '/oauth2/authorize'],
    ['GET', '/oauth2/device'],
    ['POST', '/oauth2/TOKEN'],
    ['GET', '/oauth2/authorize/../token'],
  ] as const)
    expect((await t.client().request(path, { method })).status).toBe(404)
})

test('responses of the OpenID provider have the same security headers as every other response', async () => {
  for (const path of ['/oauth2/authorize', '/oauth2/userinfo', '/jwks']) {
    const { headers } = await t.client().request(path)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('x-request-id')).toBeTruthy()
    expect(headers.get('x-powered-by')).toBeNull()
  }
})

describe('calls from pages of other origins', () => {
  const origin = 'https://spa.example'
  let spa: Application
  beforeAll(async () => {
    spa = await register(t, { type: 'spa', redirectUris: [`${origin}/callback`] })
  })

  const exchange = async (application: Application, from: string) => {
    const ann = await t.signedIn(`${Math.random()}@example.com`)
    const redirect_uri = application === spa ? `${origin}/callback` : redirectUri
    const code = await codeFor(ann, application, { redirect_uri })
    return t.client().request('/oauth2/token', {
      method: 'POST',
      headers: { origin: from, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri,
        code_verifier: verifier,
        client_id: application.clientId,
        ...(application.secret === undefined ? {} : { client_secret: application.secret }),
      }).toString(),
    })
  }

  test('pages at the origin of a public client may call the OpenID provider', async () => {
    const preflight = await t
      .client()
      .request('/oauth2/token', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    const answer = await exchange(spa, origin)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    const shown = await t
      .client()
      .request('/oauth2/userinfo', { headers: { origin, authorization: `Bearer ${String(answer.json['access_token'])}` } })
    expect([shown.status, shown.headers.get('access-control-allow-origin')]).toEqual([200, origin])
  })

  test('pages at the registered web origins of a client may call the OpenID provider, even if the client has a secret', async () => {
    const api = 'https://api.example'
    const own = await register(t, { webOrigins: [api] })
    const answer = await exchange(own, api)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, api])
    const shown = await t
      .client()
      .request('/oauth2/userinfo', { headers: { origin: api, authorization: `Bearer ${String(answer.json['access_token'])}` } })
    expect([shown.status, shown.headers.get('access-control-allow-origin')]).toEqual([200, api])
    for (const other of ['https://api.example:8443', 'http://api.example', 'https://rp.example', 'null'])
      expect((await exchange(own, other)).status).toBe(400)
  })

  test('other origins, and the redirect origin of a client with a secret and no web origins, may not call the OpenID provider', async () => {
    for (const answer of [
      await exchange(spa, 'https://evil.example'),
      await exchange(spa, 'null'),
      await exchange(shop, 'https://rp.example'),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})

describe('the registration of a client', () => {
  const refused = (more: Parameters<typeof register>[1]) => expect(register(t, more)).rejects.toMatchObject({ name: 'AppError' })

  test.each([
    'http://rp.example/callback',
    'https://user@rp.example/callback',
    'https://rp.example/callback#fragment',
    'https://rp.example/a,b',
    'https://rp.example/a b',
    'https://*.rp.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    '/callback',
    'com.example.app:/callback',
  ])('the address %s cannot be registered as a redirect URI', async (uri) => {
    await refused({ redirectUris: [uri] })
  })

  test('a client needs known scopes, an algorithm that its keys support, and a redirect URI unless it is a machine', async () => {
    await refused({ redirectUris: [] })
    await refused({ type: 'machine' })
    await refused({ scope: ['openid', 'everything'] })
    await refused({ type: 'spa', idTokenAlg: 'HS256' })
    await refused({ icon: 'javascript:alert(1)' })
    for (const origin of [
      'null',
      '*',
      'https://*.example',
      'http://rp.example',
      'https://rp.example/',
      'https://u@rp.example',
      'HTTPS://RP.example',
      'https://rp.example:443',
    ])
      await refused({ webOrigins: [origin] })
    await register(t, { webOrigins: ['https://rp.example', 'http://localhost:5173'] })
    await register(t, { type: 'native', redirectUris: ['com.example.app:/callback', 'http://127.0.0.1/callback'] })
    await register(t, { redirectUris: ['http://localhost:8080/callback'] })
  })
})

describeOnBoth('statements of the provider on the database', () => {
  const counted = async (work: () => Promise<unknown>): Promise<string[]> =>
    (await statementsOf(t, work)).map(({ sql }) => sql.split(' ', 1)[0]?.replace(/;$/, '').toLowerCase() ?? '')

  testOnBoth(
    'userinfo runs one database statement, and a token request runs one statement before its only transaction',
    async () => {
      // The jobs are stopped, because their statements would be counted too.
      await t.app.jobs.stop()
      const ann = await t.signedIn('counted@example.com')
      await codeFor(ann, shop, { scope: 'openid email' })
      let code = ''
      const codes = await counted(async () => {
        code = await codeFor(ann, shop, { scope: 'openid email' })
      })
      // A read of session and consent, then the write of the code.
      expect(codes.filter((word) => word === 'select')).toHaveLength(2)
      expect(codes.filter((word) => word === 'insert')).toHaveLength(1)
      let token: unknown
      const redeemed = await counted(async () => {
        token = (await redeem(t, shop, code)).json['access_token']
      })
      // PostgreSQL runs the writes of a code's redemption as one statement.
      const writes = dialect === 'postgres' ? ['with'] : ['insert', 'update']
      expect(redeemed.filter((word) => !/begin|commit/.test(word))).toEqual(['select', ...writes])
      expect(await counted(() => userinfo(t, token))).toEqual(['select'])
      const form = {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${btoa(`${shop.clientId}:${shop.secret}`)}`,
        },
      }
      expect(await counted(() => fetch(`${t.url}/oauth2/introspect`, { ...form, body: `token=${String(token)}` }))).toEqual([
        'select',
      ])
      expect(await counted(() => t.client().request('/jwks'))).toEqual([])
      expect(await counted(() => t.client().request('/.well-known/openid-configuration'))).toEqual([])
    },
  )
})
