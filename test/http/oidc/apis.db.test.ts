/** APIs that accept tokens of this server: `resource` (RFC 8707), JWT access tokens (RFC 9068), and introspection by the API itself. */
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { etagOfResult } from '../../../src/http/conditional.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser, Json } from '../../support/client.ts'
import { type Application, authorizePath, codeFor, goOn, postForm, queryOf, redeem, refresh, register, userinfo } from './flow.ts'
import { ownerOf } from './tenants.ts'

let t: TestApp
let admin: Browser
let shop: Application
let job: Application
let ann: Browser
beforeAll(async () => {
  t = await testApp({
    config: { oidc: { rsaModulusLength: 2048, resources: [{ resource: 'https://tools.example/mcp', clientId: 'tools' }] } },
  })
  admin = await signedInAs(t, 'admin')
  shop = await register(t)
  job = await register(t, { name: 'Job', type: 'machine', redirectUris: [], clientId: 'job' })
  ann = await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

type New = Parameters<typeof admin.api.apis.createApi>[0]['body']
let count = 0
const scopes = [
  { name: 'orders:read', description: 'See your orders', translations: { de: 'Ihre Bestellungen sehen' } },
  { name: 'orders:write', description: 'Change your orders' },
]
const makeApi = (body: Partial<New> = {}) => {
  count += 1
  return admin.api.apis.createApi({
    body: {
      identifier: `https://orders${count}.example`,
      name: 'Orders',
      scopes,
      clients: [{ clientId: shop.clientId }],
      ...body,
    },
  })
}
const secretOf = async (apiId: string): Promise<Application> => {
  const { secret } = await admin.api.apis.rotateApiSecret({ params: { apiId }, body: {} })
  return { clientId: apiId, secret }
}
const introspect = async (by: Application, token: unknown): Promise<Json> =>
  (await postForm(t, by, '/oauth2/introspect', { token: String(token) })).json
const answerFor = async (params: Record<string, string | undefined>, browser = ann, application = shop) =>
  queryOf((await goOn(browser, await browser.request(authorizePath(application, params)))).location)
const tokensFor = async (params: Record<string, string | undefined>, more = {}, browser = ann, application = shop) =>
  (await redeem(t, application, await codeFor(browser, application, params), more)).json
const verified = async (token: unknown, audience: string) =>
  (await jwtVerify(String(token), createRemoteJWKSet(new URL(`${t.url}/jwks`)), { issuer: t.url, audience, typ: 'at+jwt' }))
    .payload
const asMachine = async (form: Record<string, string>) =>
  (await postForm(t, job, '/oauth2/token', { grant_type: 'client_credentials', ...form })).json

const offline = { scope: 'openid email offline_access orders:read', prompt: 'consent' }

describe('a token for an API', () => {
  test('a JWT access token names issuer, person, audience, client, times, scopes and the authentication, and no other personal data', async () => {
    const api = await makeApi()
    const { json } = await redeem(t, shop, await codeFor(ann, shop, { ...offline, resource: api.identifier }))
    const { access_token: token, ...answer } = json
    expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: offline.scope })
    const { jti, iat, exp, auth_time, ...claims } = await verified(token, api.identifier)
    expect(claims).toEqual({
      ...{ iss: t.url, aud: api.identifier, client_id: shop.clientId, scope: offline.scope },
      ...{ sub: (await ann.api.sessions.getSession())?.user.id, acr: expect.any(String), amr: ['pwd'] },
    })
    expect([typeof jti, Number(exp) - Number(iat), typeof auth_time]).toEqual(['string', 600, 'number'])
    expect(decodeProtectedHeader(String(token))).toMatchObject({ typ: 'at+jwt', alg: 'RS256' })
  })

  test('the registration of an API decides the algorithm, the lifetime and the format of tokens for the API', async () => {
    for (const signingAlg of ['PS256', 'ES256', 'EdDSA'] as const) {
      const api = await makeApi({ signingAlg, tokenTtlSeconds: 60 })
      const { access_token: token, expires_in: seconds } = await tokensFor({
        resource: api.identifier,
        scope: 'openid orders:read',
      })
      expect([decodeProtectedHeader(String(token)).alg, seconds]).toEqual([signingAlg, 60])
      await verified(token, api.identifier)
    }
    const api = await makeApi({ tokenFormat: 'opaque', tokenTtlSeconds: 90 })
    const { access_token: token, expires_in: seconds } = await tokensFor({
      resource: api.identifier,
      scope: 'openid orders:read',
    })
    expect([String(token).split('.').length, seconds]).toEqual([1, 90])
  })

  test('an API introspects only tokens for itself, opaque or JWT, with its own secret, and cannot get a token with that secret', async () => {
    for (const tokenFormat of ['jwt', 'opaque'] as const) {
      const [api, other] = [await makeApi({ tokenFormat }), await makeApi({ tokenFormat })]
      const [reader, foreign] = [await secretOf(api.id), await secretOf(other.id)]
      const tokens = await tokensFor({ ...offline, resource: api.identifier })
      expect(await introspect(reader, tokens['access_token'])).toMatchObject({
        ...{ active: true, aud: api.identifier, client_id: shop.clientId, scope: offline.scope, iss: t.url },
      })
      expect(await introspect(foreign, tokens['access_token'])).toEqual({ active: false })
      expect(await introspect(reader, tokens['refresh_token'])).toEqual({ active: false })
      expect(await introspect(reader, (await tokensFor({}))['access_token'])).toEqual({ active: false })
      expect(await introspect({ ...reader, secret: 'wrong' }, tokens['access_token'])).toMatchObject({ error: 'invalid_client' })
      const asClient = await postForm(t, reader, '/oauth2/token', { grant_type: 'client_credentials' })
      expect([asClient.status, asClient.json['error']]).toEqual([400, 'unauthorized_client'])
      expect((await userinfo(t, tokens['access_token'])).status).toBe(401)
    }
  })

  test('an API sees a JWT access token as inactive once the token is revoked or its authorization has ended', async () => {
    const api = await makeApi()
    const reader = await secretOf(api.id)
    const first = await tokensFor({ ...offline, resource: api.identifier })
    const second = await tokensFor({ ...offline, resource: api.identifier })
    const isActive = async ({ access_token: token }: Json) => (await introspect(reader, token))['active']
    expect(await isActive(first)).toBe(true)
    await postForm(t, shop, '/oauth2/revoke', { token: String(first['access_token']) })
    expect([await isActive(first), await isActive(second)]).toEqual([false, true])
    await postForm(t, shop, '/oauth2/revoke', { token: String(second['refresh_token']) })
    expect(await isActive(second)).toBe(false)
  })
})

describe('the parameter resource', () => {
  test('a request for a resource that the client may not use is refused instead of ignoring the resource', async () => {
    const [api, closed] = [await makeApi(), await makeApi({ clients: [] })]
    for (const resource of [
      closed.identifier,
      'https://nobody.example',
      'nonsense',
      `${api.identifier}/other`,
      `${api.identifier}#part`,
      api.id,
      `${api.identifier}?x`,
    ])
      expect(await answerFor({ resource, scope: 'openid' })).toMatchObject({ error: 'invalid_target', state: 'the state' })
    const par = new URL(authorizePath(shop, { resource: closed.identifier }), t.url).searchParams
    expect((await postForm(t, shop, '/oauth2/par', Object.fromEntries(par))).json['error']).toBe('invalid_target')
    const redeemed = async (authorized: string | undefined, resource: string) =>
      (await redeem(t, shop, await codeFor(ann, shop, { resource: authorized }), { resource })).json['error']
    expect(await redeemed(api.identifier, closed.identifier)).toBe('invalid_target')
    expect(await redeemed(undefined, api.identifier)).toBe('invalid_target')
    expect(await redeemed(api.identifier, 'nonsense')).toBe('invalid_target')
    const { refresh_token: token } = await tokensFor({ ...offline, resource: api.identifier })
    for (const resource of [closed.identifier, 'nonsense'])
      expect((await refresh(t, shop, token, { resource })).json['error']).toBe('invalid_target')
    for (const resource of [api.identifier, closed.identifier, 'nonsense'])
      expect(await asMachine({ resource })).toMatchObject({ error: 'invalid_target' })
  })

  test('a resource identifier is accepted in every equivalent spelling, and the token contains the registered spelling', async () => {
    const api = await makeApi()
    for (const resource of [api.identifier, `${api.identifier}/`, api.identifier.toUpperCase().replace('HTTPS', 'https')]) {
      const { access_token: token } = await tokensFor({ resource, scope: 'openid' }, { resource: api.identifier })
      expect(decodeJwt(String(token)).aud).toBe(api.identifier)
    }
    const urn = await makeApi({ identifier: 'urn:example:orders' })
    expect(decodeJwt(String((await tokensFor({ resource: urn.identifier, scope: 'openid' }))['access_token'])).aud).toBe(
      urn.identifier,
    )
  })

  test('one authorization can cover several resources, and each token is for the resource its request names, with the scopes of that resource', async () => {
    const [one, two] = [
      await makeApi(),
      await makeApi({ scopes: [{ name: 'mail:send', description: 'Send mails' }], tokenFormat: 'opaque' }),
    ]
    const path = `${authorizePath(shop, { scope: 'openid offline_access orders:read mail:send', prompt: 'consent', resource: one.identifier })}&resource=${encodeURIComponent(two.identifier)}`
    const authorized = async () => queryOf((await goOn(ann, await ann.request(path))).location)['code'] ?? ''
    expect((await redeem(t, shop, await authorized())).json).toMatchObject({ error: 'invalid_target' })
    const { json } = await redeem(t, shop, await authorized(), { resource: one.identifier })
    expect([decodeJwt(String(json['access_token'])).aud, json['scope']]).toEqual([
      one.identifier,
      'openid offline_access orders:read',
    ])
    const renewed = (await refresh(t, shop, json['refresh_token'], { resource: two.identifier })).json
    expect(renewed['scope']).toBe('openid offline_access mail:send')
    expect(await introspect(await secretOf(two.id), renewed['access_token'])).toMatchObject({ active: true, aud: two.identifier })
    expect((await refresh(t, shop, renewed['refresh_token'])).json['error']).toBe('invalid_target')
    const both = `grant_type=refresh_token&refresh_token=${renewed['refresh_token']}&resource=${one.identifier}&resource=${two.identifier}`
    const answer = await fetch(`${t.url}/oauth2/token`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${btoa(`${shop.clientId}:${shop.secret}`)}`,
      },
      body: both,
    })
    expect(await answer.json()).toMatchObject({ error: 'invalid_target' })
    expect((await refresh(t, shop, renewed['refresh_token'], { resource: one.identifier })).json['scope']).toBe(
      'openid offline_access orders:read',
    )
  })

  test('an unknown scope of an API, a scope that the client is not listed for, and a scope without the resource of its API are refused', async () => {
    const api = await makeApi({ clients: [{ clientId: shop.clientId, scopes: ['orders:read'] }] })
    for (const params of [
      { resource: api.identifier, scope: 'openid orders:write' },
      { resource: api.identifier, scope: 'openid unknown' },
      { scope: 'openid orders:read' },
    ])
      expect(await answerFor(params)).toMatchObject({ error: 'invalid_scope' })
    const lenient = await register(t, { unknownScopes: 'ignore' })
    await admin.api.apis.updateApi({
      params: { apiId: api.id },
      body: { clients: [{ clientId: lenient.clientId, scopes: ['orders:read'] }] },
    })
    const { scope } = await tokensFor({ resource: api.identifier, scope: 'openid orders:read orders:write' }, {}, ann, lenient)
    expect(scope).toBe('openid orders:read')
  })
})

describe('clients that may request an API', () => {
  test('an application removed from the list of an API gets no more tokens for the API, and its earlier tokens are inactive', async () => {
    const api = await makeApi({ tokenFormat: 'opaque' })
    const reader = await secretOf(api.id)
    const tokens = await tokensFor({ ...offline, resource: api.identifier })
    expect(await introspect(reader, tokens['access_token'])).toMatchObject({ active: true })
    await admin.api.apis.updateApi({ params: { apiId: api.id }, body: { clients: [{ clientId: shop.clientId, scopes: [] }] } })
    const narrowed = (await refresh(t, shop, tokens['refresh_token'])).json
    expect(narrowed['scope']).toBe('openid email offline_access')
    await admin.api.apis.updateApi({ params: { apiId: api.id }, body: { clients: [] } })
    expect(await introspect(reader, tokens['access_token'])).toEqual({ active: false })
    expect((await refresh(t, shop, narrowed['refresh_token'])).json['error']).toBe('invalid_target')
  })

  test('an open API is available to every application that signs people in, but not to unlisted machines and restricted applications', async () => {
    const api = await makeApi({ access: 'all', clients: [] })
    const { access_token: token } = await tokensFor({ resource: api.identifier, scope: 'openid orders:read' })
    expect(decodeJwt(String(token))['scope']).toBe('openid orders:read')
    expect(await asMachine({ resource: api.identifier })).toMatchObject({ error: 'invalid_target' })
    await admin.api.apis.updateApi({ params: { apiId: api.id }, body: { clients: [{ clientId: job.clientId }] } })
    const machine = await asMachine({ resource: api.identifier, scope: 'orders:read' })
    expect(await verified(machine['access_token'], api.identifier)).toMatchObject({
      sub: 'job',
      client_id: 'job',
      scope: 'orders:read',
    })
    expect(await asMachine({ resource: api.identifier, scope: 'orders:read other' })).toMatchObject({ error: 'invalid_scope' })
    const restricted = await register(t)
    await admin.api.applications.updateApplication({ params: { clientId: restricted.clientId }, body: { review: 'restricted' } })
    expect(await answerFor({ resource: api.identifier, scope: 'openid' }, ann, restricted)).toMatchObject({
      error: 'invalid_target',
    })
  })

  test('an application that reuses the client_id of a deleted application does not inherit its place in the list of an API', async () => {
    const gone = await register(t, { clientId: 'reused' })
    const api = await makeApi({ clients: [{ clientId: gone.clientId }] })
    expect(await answerFor({ resource: api.identifier }, ann, gone)).toMatchObject({ code: expect.any(String) })
    await admin.api.applications.deleteApplication({ params: { clientId: 'reused' } })
    const next = await register(t, { clientId: 'reused' })
    expect(await answerFor({ resource: api.identifier }, ann, next)).toMatchObject({ error: 'invalid_target' })
    expect((await admin.api.apis.getApi({ params: { apiId: api.id } })).clients).toEqual([])
  })

  test("a machine's token for an API or another resource is refused by the API of this server", async () => {
    const keeper = await register(t, { type: 'machine', redirectUris: [], permissions: ['users:read'] })
    const api = await makeApi({ clients: [{ clientId: keeper.clientId }] })
    const tokenFor = async (resource: string | undefined) =>
      String((await postForm(t, keeper, '/oauth2/token', { grant_type: 'client_credentials', resource })).json['access_token'])
    const statusOf = async (token: string) =>
      (await t.client().request('/admin/users', { headers: { authorization: `Bearer ${token}` } })).status
    expect(await statusOf(await tokenFor(undefined))).toBe(200)
    expect(await statusOf(await tokenFor(t.url))).toBe(200)
    for (const resource of [api.identifier, 'https://tools.example/mcp'])
      expect(await statusOf(await tokenFor(resource))).toBe(401)
  })
})

describe('a machine that may request organizations', () => {
  test('a machine gets the claims of the organization that it names, and none after it loses access to the organization', async () => {
    const owner = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = owner.organizations
    const asking = await register(t, { type: 'machine', redirectUris: [], organizations: [acme?.id ?? ''] })
    const api = await makeApi({ clients: [{ clientId: asking.clientId }] })
    const tokenFor = async (form: Record<string, string | undefined>) =>
      (await postForm(t, asking, '/oauth2/token', { grant_type: 'client_credentials', scope: 'organizations billing', ...form }))
        .json
    const signed = await tokenFor({ resource: api.identifier, organization: acme?.slug })
    const of = { org_id: acme?.id, org_slug: acme?.slug, org_name: acme?.name, entitlements: [] }
    expect(decodeJwt(String(signed['access_token']))).toMatchObject({
      sub: asking.clientId,
      scope: 'organizations billing',
      ...of,
    })
    const { access_token: opaque } = await tokenFor({ organization: acme?.id })
    expect(await introspect(asking, opaque)).toMatchObject({ active: true, ...of })
    for (const organization of [undefined, globex?.id, globex?.slug, 'nobody', 'a b'])
      expect(await tokenFor({ organization })).toMatchObject({ error: 'invalid_request' })
    const plain = await register(t, { type: 'machine', redirectUris: [] })
    const none = { grant_type: 'client_credentials', scope: 'organizations', organization: acme?.id }
    expect((await postForm(t, plain, '/oauth2/token', none)).json['error']).toBe('invalid_scope')
    await admin.api.applications.updateApplication({ params: { clientId: asking.clientId }, body: { organizations: [] } })
    const after = await introspect(asking, opaque)
    expect([after['active'], after['org_id']]).toEqual([true, undefined])
  })
})

describe('scopes that need a role in the organization', () => {
  test('a person gets a scope that needs a role only while they have the role in the organization of the sign-in', async () => {
    const api = await makeApi({
      scopes: [
        { name: 'orders:read', description: 'See orders' },
        { name: 'orders:manage', description: 'Manage orders', permission: 'organization:update' },
        { name: 'payroll', description: 'Pay', roles: ['payroll_admin'] },
      ],
    })
    const owner = await ownerOf(t, 'Acme')
    const [acme] = owner.organizations
    const scope = 'openid offline_access organizations orders:read orders:manage payroll'
    const request = { resource: api.identifier, scope, prompt: 'consent', organization: acme?.id }
    const first = await tokensFor(request, {}, owner.browser)
    expect(first['scope']).toBe('openid offline_access organizations orders:read orders:manage')
    expect(decodeJwt(String(first['access_token']))).toMatchObject({
      org_id: acme?.id,
      org_roles: ['owner'],
      scope: first['scope'],
    })
    const role = async (name: string) => t.app.core.db.knex('member').where({ user_id: owner.userId }).update({ role: name })
    await role('member')
    const second = (await refresh(t, shop, first['refresh_token'])).json
    expect(second['scope']).toBe('openid offline_access organizations orders:read')
    await role('owner,payroll_admin')
    const third = (await refresh(t, shop, second['refresh_token'])).json
    expect(third['scope']).toBe(scope)
    const without = await tokensFor({ ...request, organization: undefined }, {}, owner.browser)
    expect(without['scope']).toBe('openid offline_access organizations orders:read')
  })
})

describe('the consent to an API', () => {
  test("the consent page shows the API and the meaning of its scopes in the person's language, and asks only for new scopes", async () => {
    const bob = await t.signedIn('bob@example.com')
    const api = await makeApi()
    const asked = async (scope: string) => {
      const { location } = await bob.request(authorizePath(shop, { resource: api.identifier, scope, ui_locales: 'de' }))
      const interaction = queryOf(location)['interaction'] ?? ''
      return {
        interaction,
        shown: interaction === '' ? undefined : await bob.api.oidc.interaction({ params: { uid: interaction } }),
      }
    }
    const { interaction, shown } = await asked('openid orders:read')
    expect(shown).toMatchObject({ prompt: 'consent', scopes: ['openid'], newScopes: ['openid'] })
    const read = { name: 'orders:read', description: 'Ihre Bestellungen sehen', isNew: true }
    expect(shown?.apis).toEqual([{ identifier: api.identifier, name: 'Orders', scopes: [read] }])
    await bob.api.oidc.consent({ body: { accept: true, interaction } })
    expect((await asked('openid orders:read')).shown).toBeUndefined()
    const more = (await asked('openid orders:read orders:write')).shown
    expect(more?.newScopes).toEqual([])
    expect(more?.apis[0]?.scopes).toEqual([
      { ...read, isNew: false },
      { name: 'orders:write', description: 'Change your orders', isNew: true },
    ])
  })

  test('consent to a scope of one API does not cover the scope with the same name of another API', async () => {
    const bob = await t.signedIn('bert@example.com')
    const [one, two] = [await makeApi(), await makeApi()]
    await codeFor(bob, shop, { resource: one.identifier, scope: 'openid orders:read' })
    const silent = (resource: string) => answerFor({ resource, scope: 'openid orders:read', prompt: 'none' }, bob)
    expect(await silent(one.identifier)).toMatchObject({ code: expect.any(String) })
    expect(await silent(two.identifier)).toMatchObject({ error: 'consent_required' })
  })
})

describe('the consent to scopes that depend on an organization', () => {
  test('a scope that depends on a role needs consent for each organization, even if no other scope depends on the organization', async () => {
    const api = await makeApi({
      scopes: [{ name: 'orders:manage', description: 'Manage orders', permission: 'organization:update' }],
    })
    const { browser, organizations } = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = organizations
    const request = { resource: api.identifier, scope: 'openid orders:manage' }
    const silent = (organization: string | undefined) => answerFor({ ...request, organization, prompt: 'none' }, browser)
    await codeFor(browser, shop, { ...request, organization: acme?.id })
    expect(await silent(acme?.id)).toMatchObject({ code: expect.any(String) })
    expect(await silent(globex?.id)).toMatchObject({ error: 'consent_required' })
    const { location } = await browser.request(authorizePath(shop, { ...request, organization: globex?.id }))
    const interaction = queryOf(location)['interaction'] ?? ''
    const { apis, organization } = await browser.api.oidc.interaction({ params: { uid: interaction } })
    expect([apis[0]?.scopes[0]?.isNew, organization?.id]).toEqual([true, globex?.id])
    await codeFor(browser, shop, { ...request, organization: globex?.id })
    for (const { id } of organizations) expect(await silent(id)).toMatchObject({ code: expect.any(String) })
  })
})

describe('the administration of APIs', () => {
  test('an API is registered, changed with its ETag, listed and deleted, and each change is recorded without secrets', async () => {
    const api = await makeApi({ name: 'First' })
    const params = { apiId: api.id }
    const applications = api.clients.map(({ clientId: id }) => ({ kind: 'client', id, name: 'Shop' }))
    expect(await admin.api.apis.getApi({ params })).toEqual({ ...api, applications })
    expect((await admin.api.apis.listApis({ query: {} })).apis[0]).toEqual({ ...api, applications })
    const etag = etagOfResult(await admin.api.apis.getApi({ params }))
    const changed = await admin.api.apis.updateApi({ params, body: { name: 'Second' }, ifMatch: etag })
    expect(changed).toMatchObject({ name: 'Second', identifier: api.identifier, clients: api.clients })
    await expect(admin.api.apis.updateApi({ params, body: { name: 'Third' }, ifMatch: etag })).rejects.toMatchObject({
      status: 412,
    })
    const { secret } = await secretOf(api.id)
    await admin.api.apis.deleteApi({ params })
    await expect(admin.api.apis.getApi({ params })).rejects.toMatchObject({ code: 'API_NOT_FOUND' })
    const events = await t.app.core.db.knex('event').where({ subject_id: api.id }).orderBy('id')
    expect(events.map(({ type }) => type)).toEqual(['api.created', 'api.updated', 'api.secret_rotated', 'api.deleted'])
    expect(JSON.stringify(events)).not.toContain(secret)
  })

  test('an invalid or taken resource identifier and ambiguous scopes are refused with the reason', async () => {
    const api = await makeApi()
    for (const identifier of [
      'orders',
      '/orders',
      'https://x.example/#a',
      'javascript:alert(1)',
      'https://u:p@x.example/',
      'https://x.example/a b',
      'https://X.example/',
      'https://ü.example/',
    ])
      await expect(makeApi({ identifier })).rejects.toMatchObject({ code: 'INVALID_API', status: 400 })
    for (const identifier of [api.identifier, `${api.identifier}/`, t.url, 'https://tools.example/mcp'])
      await expect(makeApi({ identifier })).rejects.toMatchObject({ code: 'API_IDENTIFIER_IS_TAKEN', status: 409 })
    const scope = { name: 'a', description: 'A' }
    for (const body of [
      { scopes: [scope, scope] },
      { scopes: [{ ...scope, name: 'email' }] },
      { scopes: [scope], clients: [{ clientId: shop.clientId, scopes: ['b'] }] },
      { clients: [{ clientId: shop.clientId }, { clientId: shop.clientId }] },
    ])
      await expect(makeApi(body)).rejects.toMatchObject({ code: 'INVALID_API' })
    await expect(makeApi({ clients: [{ clientId: 'nobody' }] })).rejects.toMatchObject({ code: 'APPLICATION_NOT_FOUND' })
    await expect(admin.api.apis.updateApi({ params: { apiId: 'urn:x' }, body: { name: 'x' } })).rejects.toMatchObject({
      status: 404,
    })
  })

  test('both secrets of an API are valid during a rotation, and a revoked secret is invalid at once', async () => {
    const api = await makeApi()
    const params = { apiId: api.id }
    const tokens = await tokensFor({ resource: api.identifier, scope: 'openid' })
    const isRight = async (reader: Application) => (await introspect(reader, tokens['access_token']))['active'] === true
    const first = await secretOf(api.id)
    const second = await secretOf(api.id)
    expect([await isRight(first), await isRight(second)]).toEqual([true, true])
    await expect(admin.api.apis.rotateApiSecret({ params, body: {} })).rejects.toMatchObject({
      code: 'SECRET_ROTATION_IS_UNDER_WAY',
    })
    t.clock.advance({ days: 8 })
    admin = await signedInAs(t, 'admin', 'later@staff.example')
    const { secrets } = await admin.api.apis.listApiSecrets({ params })
    expect(secrets.map(({ state }) => state)).toEqual(['active', 'ended'])
    await admin.api.apis.revokeApiSecret({ params: { ...params, secretId: secrets[0]?.id ?? '' } })
    await expect(admin.api.apis.revokeApiSecret({ params: { ...params, secretId: 'none' } })).rejects.toMatchObject({
      code: 'SECRET_NOT_FOUND',
    })
    expect((await introspect(second, 'x'))['error']).toBe('invalid_client')
    expect((await introspect(first, 'x'))['error']).toBe('invalid_client')
  })
})
