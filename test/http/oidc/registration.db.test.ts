import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { authMethods } from '../../../src/oidc/rules.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { instanceKey } from '../api-keys/keys.ts'
import { countStatements } from '../organizations/people.ts'
import { newKey } from './asserting.ts'
import { authorizePath, codeFor, offline, postForm, queryOf, redeem, redirectUri, refresh, register, uidOf } from './flow.ts'
import { refusal, registered, registers, send } from './registering.ts'

let t: TestApp
let open: TestApp
let ann: Browser
beforeAll(async () => {
  t = await testApp({ config: { access: { roles: { maker: { permissions: [] } } } } })
  open = await t.node({ oidc: { registration: 'open' } })
  ann = await t.signedIn('ann@example.com')
  await t.verify('ann@example.com')
})
afterAll(async () => {
  await open.stop()
  await t.stop()
})

const strangers = [401, 'invalid_token', 'Authentication required for client registration']
const metadata = { redirect_uris: [redirectUri] }
const discovery = async (node: TestApp) =>
  (await node.client().request('/.well-known/oauth-authorization-server')).json['registration_endpoint']

describe('callers that may register a client', () => {
  test('a stranger cannot register a client, and the answer says that authentication is required, at the root and below /api/auth', async () => {
    for (const path of ['/oauth2/register', '/api/auth/oauth2/register']) {
      const answer = await send(t, 'POST', path, metadata)
      expect(refusal(answer)).toEqual(strangers)
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    expect(refusal(await registers(t, {}, 'unknown-token'))).toEqual([401, 'invalid_token', expect.stringContaining('unknown')])
    expect(refusal(await registers(open, {}, 'unknown-token'))).toEqual([
      401,
      'invalid_token',
      expect.stringContaining('unknown'),
    ])
  })

  test('a person with a verified email address can register a client with a session cookie or a session token', async () => {
    const bea = await t.signedIn('bea@example.com')
    expect(refusal(await bea.post('/oauth2/register', metadata))).toEqual([
      ...[403, 'access_denied', 'Client registration not allowed: verify your email address first'],
    ])
    await t.verify('bea@example.com')
    expect((await bea.post('/oauth2/register', metadata)).status).toBe(201)
    const { token } = (await (
      await t.client().post('/sign-in/email', { email: 'bea@example.com', password: 'correct horse battery' })
    ).json) as {
      token: string
    }
    expect((await registers(t, {}, token)).status).toBe(201)
  })

  test("a page of another site cannot register a client with a person's session", async () => {
    const answer = await ann.post('/oauth2/register', metadata, { origin: 'https://evil.example' })
    expect(answer.status).toBe(403)
  })

  test('a setting allows registration to everybody, to people with the permission, or to people with a role', async () => {
    const cid = await t.signedIn('cid@example.com')
    const everybody = await t.node({ oidc: { registrationPeople: 'everybody' } })
    const nobody = await t.node({ oidc: { registrationPeople: 'nobody' } })
    const makers = await t.node({ oidc: { registrationPeople: 'everybody', registrationRoles: ['maker'] } })
    const admin = await signedInAs(t, 'admin')
    const maker = await signedInAs(t, 'maker')
    const at = async (browser: Browser, node: TestApp) =>
      (
        await browser.request(`${node.url}/oauth2/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: t.url },
          body: JSON.stringify(metadata),
        })
      ).status
    try {
      expect([await at(cid, everybody), await at(cid, nobody), await at(cid, makers)]).toEqual([201, 403, 403])
      expect([await at(admin, nobody), await at(maker, makers), await at(maker, nobody)]).toEqual([201, 201, 403])
    } finally {
      for (const node of [everybody, nobody, makers]) await node.stop()
    }
  })

  test('an unknown role in registrationRoles is refused at start', async () => {
    await expect(t.node({ oidc: { registrationRoles: ['nosuch'] } })).rejects.toThrow('registrationRoles')
  })

  test('an API key can register clients only with the permission clients:create', async () => {
    expect((await registers(t, {}, await instanceKey(t, ['clients:create']))).status).toBe(201)
    expect(refusal(await registers(t, {}, await instanceKey(t, ['clients:read']))).slice(0, 2)).toEqual([403, 'access_denied'])
    expect((await registers(t, {}, 'gh_nosuchkey')).status).toBe(401)
  })

  test('a stranger can register a client only while registration is open, and nobody can while registration is off', async () => {
    expect((await registers(open)).status).toBe(201)
    const off = await t.node({ oidc: { registration: 'off' } })
    try {
      expect(refusal(await registers(off)).slice(0, 2)).toEqual([403, 'access_denied'])
      expect(await discovery(off)).toBeUndefined()
    } finally {
      await off.stop()
    }
  })

  test('a client registers with each authentication method that discovery announces', async () => {
    const { json } = await t.client().request('/.well-known/oauth-authorization-server')
    const methods = json['token_endpoint_auth_methods_supported'] as string[]
    expect(methods).toEqual([...authMethods])
    const { jwk } = await newKey()
    for (const method of methods) {
      const keys = method === 'private_key_jwt' ? { jwks: { keys: [jwk] } } : {}
      const { status, json: client } = await registers(open, { token_endpoint_auth_method: method, ...keys })
      const hasSecret = !['none', 'private_key_jwt'].includes(method)
      expect([status, client['token_endpoint_auth_method'], client['client_secret'] !== undefined]).toEqual([
        201,
        method,
        hasSecret,
      ])
    }
  })

  test('discovery announces the registration endpoint only while somebody may register', async () => {
    expect(await discovery(t)).toBe(`${t.url}/oauth2/register`)
    expect(await discovery(open)).toBe(`${t.url}/oauth2/register`)
  })

  test("scripts of any origin can register clients as strangers, and the browser's session is ignored", async () => {
    const headers = { origin: 'https://agent.example', 'access-control-request-method': 'POST' }
    const preflight = await open.client().request('/oauth2/register', { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://agent.example')
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
    const answer = await open.client().post('/oauth2/register', metadata, { origin: 'https://agent.example' })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, 'https://agent.example'])
  })
})

describe('the answer of a registration', () => {
  test('a registered client gets an id, a secret of 32 characters, its own metadata and the defaults', async () => {
    const answer = await registers(open, { client_name: 'Agent', unheard_of: { a: 1 } })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store'])
    const { json } = answer
    expect(json).toMatchObject({
      client_id: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      client_secret: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      client_secret_expires_at: 0,
      client_name: 'Agent',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      scope: 'openid profile email offline_access',
      registration_client_uri: `${t.url}/oauth2/register/${json['client_id']}`,
      registration_access_token: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    })
    expect(Math.abs(Number(json['client_id_issued_at']) - Date.now() / 1000)).toBeLessThan(60)
    expect(json['unheard_of']).toBeUndefined()
  })

  test('all sent metadata of RFC 7591 and OpenID Connect is stored and returned', async () => {
    const sent = {
      ...{ client_name: 'Shop', 'client_name#de': 'Laden', 'client_name#pt-BR': 'Loja' },
      ...{ client_uri: 'https://rp.example/', policy_uri: 'https://rp.example/privacy', tos_uri: 'https://rp.example/terms' },
      ...{ 'tos_uri#de': 'https://rp.example/agb', contacts: ['it@rp.example'], software_id: 'shop', software_version: '1.2' },
      ...{ scope: 'openid email', subject_type: 'public', id_token_signed_response_alg: 'ES256', default_max_age: 3600 },
      ...{
        require_auth_time: true,
        post_logout_redirect_uris: ['https://rp.example/bye'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
      ...{ token_endpoint_auth_method: 'client_secret_post', application_type: 'web', response_types: ['code'] },
      jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'one' }] },
    }
    const { json } = await registered(open, sent)
    expect(json).toMatchObject(sent)
    const again = await send(
      open,
      'GET',
      `/oauth2/register/${json['client_id']}`,
      undefined,
      String(json['registration_access_token']),
    )
    expect(again.json).toMatchObject(sent)
  })

  test('a registered client without a secret is native if a redirect address leads to the device, and a web client otherwise', async () => {
    const typeOf = async (more: object) => {
      const { json, clientId } = await registered(open, { token_endpoint_auth_method: 'none', ...more })
      expect(json['client_secret'] ?? json['client_secret_expires_at']).toBeUndefined()
      return (await t.app.oidc.clients.find(clientId))?.type
    }
    expect(await typeOf({})).toBe('spa')
    expect(await typeOf({ redirect_uris: ['http://127.0.0.1:3334/callback'] })).toBe('native')
    expect(await typeOf({ redirect_uris: ['com.example.app:/callback'] })).toBe('native')
    expect(await typeOf({ application_type: 'native' })).toBe('native')
  })
})

describeOnBoth('use of a registered client', () => {
  test('a registered client signs a person in, and a request without a scope gets openid', async () => {
    const client = await registered(open)
    const code = await codeFor(ann, client, { scope: undefined })
    const { json } = await redeem(t, client, code)
    expect(json['scope']).toBe('openid')
    expect(decodeJwt(String(json['id_token'])).aud).toBe(client.clientId)
  })

  test('a client registered without a scope gets a refresh token, and no claims of organizations and purchases', async () => {
    const client = await registered(open)
    const scope = 'openid email offline_access organizations billing'
    const { json } = await redeem(t, client, await codeFor(ann, client, { ...offline, scope }))
    expect(json['scope']).toBe('openid email offline_access')
    expect((await refresh(t, client, json['refresh_token'])).status).toBe(200)
  })

  testOnBoth(
    "a sign-in to a self-registered client takes as many statements as a sign-in to an operator's application",
    async () => {
      await t.app.jobs.stop()
      const browser = await t.signedIn('counted@example.com')
      const count = async (application: Parameters<typeof authorizePath>[0]) => {
        await codeFor(browser, application)
        return countStatements(t, async () => void (await redeem(t, application, await codeFor(browser, application))))
      }
      expect(await count(await registered(open))).toEqual(await count(await register(t)))
    },
  )

  test('default_max_age makes people sign in again, and the ID token contains auth_time', async () => {
    const client = await registered(open, { default_max_age: 0, require_auth_time: true })
    const answer = await ann.request(authorizePath(client))
    expect(new URL(answer.location ?? '', t.url).pathname).toBe('/sign-in')
    const other = await registered(open, { require_auth_time: true })
    const { json } = await redeem(t, other, await codeFor(ann, other))
    expect(decodeJwt(String(json['id_token']))['auth_time']).toEqual(expect.any(Number))
  })

  test('a person cannot register a machine client, and an administrator can', async () => {
    const machine = { redirect_uris: [], grant_types: ['client_credentials'] }
    expect(refusal(await ann.post('/oauth2/register', machine)).slice(0, 2)).toEqual([403, 'access_denied'])
    const { json, status } = await registers(t, machine, await instanceKey(t, ['clients:create']))
    expect([status, json['grant_types'], json['response_types']]).toEqual([201, ['client_credentials'], []])
    const application = { clientId: String(json['client_id']), secret: String(json['client_secret']) }
    expect((await postForm(t, application, '/oauth2/token', { grant_type: 'client_credentials' })).status).toBe(200)
  })
})

describe('refused registrations, in the words of RFC 7591', () => {
  const cases: readonly (readonly [what: string, sent: object, error: string, says: string])[] = [
    ['no redirect_uris', { redirect_uris: undefined }, 'invalid_redirect_uri', 'required'],
    ['empty redirect_uris', { redirect_uris: [] }, 'invalid_redirect_uri', 'required'],
    ['no redirect_uris for implicit', { redirect_uris: [], grant_types: ['implicit'] }, 'invalid_redirect_uri', 'required'],
    ['authorization_code without code', { response_types: ['token'] }, 'invalid_client_metadata', 'response type code'],
    ['implicit without token', { grant_types: ['implicit'] }, 'invalid_client_metadata', 'response type token'],
    [
      'a valid request for implicit',
      { grant_types: ['implicit'], response_types: ['token'] },
      ...(['invalid_client_metadata', 'not supported, because it hands out tokens in addresses'] as const),
    ],
    ['an unknown authentication method', { token_endpoint_auth_method: 'tls_client_auth' }, 'invalid_client_metadata', 'none'],
    [
      'private_key_jwt without keys for it',
      { token_endpoint_auth_method: 'private_key_jwt' },
      ...(['invalid_client_metadata', 'needs jwks with a key that signs'] as const),
    ],
    ['javascript:', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri', 'scheme'],
    [
      'data:',
      { redirect_uris: ['data:text/html,x'], token_endpoint_auth_method: 'none' },
      'invalid_redirect_uri',
      'blank, comma',
    ],
    ['vbscript:', { redirect_uris: ['vbscript:x'], token_endpoint_auth_method: 'none' }, 'invalid_redirect_uri', 'not accepted'],
    ['a fragment', { redirect_uris: ['https://rp.example/#a'] }, 'invalid_redirect_uri', 'fragment'],
    ['user info', { redirect_uris: ['https://a:b@rp.example/'] }, 'invalid_redirect_uri', 'user or password'],
    ['a wildcard', { redirect_uris: ['https://*.rp.example/'] }, 'invalid_redirect_uri', 'asterisk'],
    ['plain http', { redirect_uris: ['http://rp.example/'] }, 'invalid_redirect_uri', 'https'],
    ['skip_consent', { skip_consent: true }, 'invalid_client_metadata', 'skip_consent is not for clients'],
    ['a permission', { permissions: ['users:read'] }, 'invalid_client_metadata', 'permissions is not for clients'],
    ['a client_id', { client_id: 'mine' }, 'invalid_client_metadata', 'client_id is not for clients'],
    ['an unknown scope', { scope: 'openid nosuch' }, 'invalid_client_metadata', 'nosuch'],
    ['an unknown grant', { grant_types: ['password'] }, 'invalid_client_metadata', 'password'],
    ['an unknown kind of subjects', { subject_type: 'secret' }, 'invalid_client_metadata', 'subject_type'],
    [
      'pairwise subjects for two hosts without a sector',
      { subject_type: 'pairwise', redirect_uris: ['https://a.example/', 'https://b.example/'] },
      ...(['invalid_client_metadata', 'sector_identifier_uri'] as const),
    ],
    [
      'HS256 without a secret',
      { token_endpoint_auth_method: 'none', id_token_signed_response_alg: 'HS256' },
      'invalid_client_metadata',
      'HS256',
    ],
    ['a private key', { jwks: { keys: [{ kty: 'RSA', d: 'x' }] } }, 'invalid_client_metadata', 'private'],
  ]

  test.for(cases)('a registration with %s is refused, and the error names the reason', async ([, sent, error, says]) => {
    expect(refusal(await registers(open, sent))).toEqual([400, error, expect.stringContaining(says)])
  })
})

describe('the pages of a client that registered itself', () => {
  const shown = async (client: Parameters<typeof authorizePath>[0], params = {}, headers = {}) => {
    const answer = await ann.request(authorizePath(client, params))
    return (await ann.request(`/interaction/${uidOf(answer)}/details`, { headers })).json['client']
  }

  test("the consent page shows the name and addresses of a self-registered client in the person's language, each address with its host", async () => {
    const client = await registered(open, {
      ...{ client_name: 'Shop', 'client_name#de': 'Laden', client_uri: 'https://rp.example/' },
      ...{ 'tos_uri#de': 'https://terms.example/agb', tos_uri: 'https://terms.example/' },
    })
    expect(await shown(client, { ui_locales: 'fr de-AT' })).toMatchObject({ name: 'Laden', tosUri: 'https://terms.example/agb' })
    expect(await shown(client, {}, { 'accept-language': 'de' })).toMatchObject({ name: 'Laden', uri: 'https://rp.example/' })
    expect(await shown(client, { ui_locales: 'fr' })).toMatchObject({ name: 'Shop', tosUri: 'https://terms.example/' })
  })

  test('the consent page says that nobody has checked a self-registered client, until an administrator approves the client', async () => {
    const client = await registered(open)
    expect(await shown(client)).toMatchObject({ standing: 'unknown' })
    await t.app.oidc.applications.update(systemPrincipal('test'), client.clientId, { review: 'approved' })
    expect(await shown(client)).toMatchObject({ standing: 'registered' })
    const { json } = await ann.post('/oauth2/register', metadata)
    expect(await shown({ clientId: String(json['client_id']), secret: undefined })).toMatchObject({ standing: 'self-registered' })
    expect(await shown(await register(t))).toMatchObject({ standing: 'registered' })
  })

  test("the logo of a stranger's client is neither fetched nor linked before an administrator approves the client", async () => {
    const client = await registered(open, { logo_uri: 'https://127.0.0.1/logo.png' })
    const rowOf = async () => (await t.app.core.db.knex('oauth_client').where({ client_id: client.clientId }))[0]
    expect((await rowOf()).logo_problem).toBeNull()
    const admin = await signedInAs(t, 'admin', 'logo@staff.example')
    await admin.api.applications.updateApplication({ params: { clientId: client.clientId }, body: { review: 'approved' } })
    expect((await rowOf()).logo_problem).toContain('private address')
    expect(await shown(client)).toMatchObject({ logo: null })
  })
})

describe('the origin of a registered client', () => {
  test('administrators see who registered a client in the list of clients and in the event of the registration', async () => {
    const admin = await signedInAs(t, 'admin', 'who@staff.example')
    const { json } = await ann.post('/oauth2/register', { ...metadata, client_name: 'Of Ann' })
    await registered(open, { client_name: 'Of a stranger' })
    const operators = await register(t, { name: 'Of an operator' })
    const found = await admin.api.applications.listApplications({ query: { search: 'Of ' } })
    const user = await t.app.users.require(t.app.core.db, 'ann@example.com')
    expect(found.clients.map(({ name, registeredBy, registrantId }) => [name, registeredBy, registrantId])).toEqual([
      ['Of a stranger', 'anonymous', null],
      ['Of an operator', 'administrator', null],
      ['Of Ann', 'person', user.id],
    ])
    const [event] = await t.app.core.db.knex('event').where({ type: 'client.created', subject_id: json['client_id'] })
    expect(JSON.parse(event.data)).toMatchObject({ registeredBy: 'person', registrantId: user.id })
    expect(operators.clientId).toHaveLength(32)
  })

  test('an administrator approves, restricts and deletes a self-registered client, and a restricted client keeps only the identity scopes', async () => {
    const admin = await signedInAs(t, 'admin', 'review@staff.example')
    const client = await registered(open, { scope: 'openid profile email offline_access organizations' })
    const { json } = await redeem(t, client, await codeFor(ann, client, offline))
    const update = (body: object) => admin.api.applications.updateApplication({ params: { clientId: client.clientId }, body })
    expect((await update({ review: 'approved' })).review).toBe('approved')
    expect((await update({ review: 'restricted' })).review).toBe('restricted')
    expect((await refresh(t, client, json['refresh_token'])).json['scope'] ?? 'refused').not.toContain('offline_access')
    const answer = await codeFor(ann, client, { scope: 'openid email organizations', prompt: 'consent' })
    expect((await redeem(t, client, answer)).json['scope']).toBe('openid email')
    expect((await send(t, 'PUT', client.path, { client_id: client.clientId, ...metadata }, client.token)).status).toBe(403)
    await admin.api.applications.deleteApplication({ params: { clientId: client.clientId } })
    expect((await send(t, 'GET', client.path, undefined, client.token)).status).toBe(401)
    expect(queryOf((await ann.request(authorizePath(client))).location)['error']).toBe('invalid_client')
  })

  test('registration by the console and by the commands has the same rules and refusals', async () => {
    const register = (jwks: object) =>
      t.app.oidc.clients.register(systemPrincipal('test'), {
        name: 'X',
        type: 'web',
        redirectUris: [redirectUri],
        jwks: jwks as never,
      })
    await expect(register({ keys: [{ kty: 'oct', k: 'x' }] })).rejects.toMatchObject({ code: 'INVALID_CLIENT_METADATA' })
  })
})

test('the number of clients that a person and a network address can register in an hour is limited', async () => {
  const limited = await t.node({ limits: { enabled: 'on' }, oidc: { registration: 'open', registrationsPerHour: 2 } })
  try {
    const ann = await t.signedIn('limited@example.com')
    await t.verify('limited@example.com')
    const asAnn = () =>
      ann.request(`${limited.url}/oauth2/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: t.url },
        body: JSON.stringify({ redirect_uris: [redirectUri] }),
      })
    expect([(await asAnn()).status, (await asAnn()).status]).toEqual([201, 201])
    const third = await asAnn()
    expect(refusal(third)).toEqual([429, 'temporarily_unavailable', 'Too many registrations'])
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
    expect([(await registers(limited)).status, (await registers(limited)).status, (await registers(limited)).status]).toEqual([
      ...[201, 201, 429],
    ])
  } finally {
    await limited.stop()
  }
})

test('updates of clients from one person, network address or initial access token are limited in an hour', async () => {
  const limited = await t.node({ limits: { enabled: 'on' }, oidc: { registration: 'open', registrationsPerHour: 2 } })
  try {
    const bodyOf = (client: { readonly clientId: string }) => ({ client_id: client.clientId, ...metadata })
    const changes = async (client: { clientId: string; path: string; token: string }) => {
      const answer = await send(limited, 'PUT', client.path, bodyOf(client), client.token)
      return { ...client, answer, token: String(answer.json['registration_access_token']) }
    }
    const [one, other] = [await registered(open), await registered(open)]
    const first = await changes(one)
    const second = await changes(first)
    expect([first.answer.status, second.answer.status]).toEqual([200, 200])
    for (const client of [second, other]) {
      const { answer } = await changes(client)
      expect(refusal(answer)).toEqual([429, 'temporarily_unavailable', 'Too many registrations'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await send(limited, 'GET', client.path, undefined, client.token)).status).toBe(200)
    }
    const { value } = await t.app.oidc.initialAccessTokens.create(systemPrincipal('test'), {
      ...{ name: 'One', types: ['web'], scopes: null, redirectHosts: null, maxClients: 1, expiresInSeconds: 600 },
    })
    for (const { json } of [await ann.post('/oauth2/register', metadata), await registers(t, {}, value)]) {
      const clientId = String(json['client_id'])
      let own = { clientId, path: `/oauth2/register/${clientId}`, token: String(json['registration_access_token']) }
      for (const status of [200, 200, 429]) {
        const changed = await changes(own)
        expect(changed.answer.status).toBe(status)
        own = changed
      }
    }
  } finally {
    await limited.stop()
  }
})
