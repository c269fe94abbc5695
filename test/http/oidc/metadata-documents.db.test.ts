/** Clients whose `client_id` is the address of a document with their metadata (draft-ietf-oauth-client-id-metadata-document). */
import type { Server } from 'node:https'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { httpsServer } from '../../support/https-server.ts'
import { authorizePath, codeFor, type Params, postForm, queryOf, redeem, redirectUri, refresh, uidOf, userinfo } from './flow.ts'

interface Served {
  readonly status?: number
  readonly type?: string
  readonly cache?: string
  readonly location?: string
  readonly body?: string
}
/** The answers of the host of the documents, by path. */
const served = new Map<string, Served>()
let requests: string[] = []
let server: Server
let origin: string
let t: TestApp
let ann: Browser

const configOf = (more: object = {}) => ({
  outbound: { allow: ['localhost'], timeoutMs: 2_000 },
  oidc: {
    clientMetadataDocuments: 'listed',
    clientMetadataDocumentHosts: [new URL(origin).host],
    registrationsPerHour: 1_000,
    ...more,
  },
})

beforeAll(async () => {
  const started = await httpsServer((req, res) => {
    const path = req.url ?? ''
    requests.push(path)
    const { status = 200, type = 'application/json', cache, location, body } = served.get(path) ?? { status: 404, body: '' }
    if (path === '/silent.json') return
    const headers = { 'content-type': type, ...(cache ? { 'cache-control': cache } : {}), ...(location ? { location } : {}) }
    res.writeHead(status, headers).end(body)
  })
  server = started.server
  origin = started.origin
  t = await testApp({ config: configOf() })
  ann = await t.signedIn('ann@example.com')
})
afterAll(async () => {
  await t.stop()
  server.closeAllConnections()
  server.close()
})

/** Serves a document and returns its address, which is the `client_id`. */
const serve = (path: string, metadata: object = {}, more: Served = {}) => {
  const clientId = origin + path
  const document = { client_id: clientId, client_name: 'Editor', redirect_uris: [redirectUri], ...metadata }
  served.set(path, { body: JSON.stringify(document), ...more })
  requests = []
  return { clientId, secret: undefined }
}
const asks = (browser: Browser, clientId: string, params: Params = {}) =>
  browser.request(authorizePath({ clientId, secret: undefined }, params))
/** The text of the error page, or undefined where the browser was sent elsewhere. */
const problem = async (clientId: string, params: Params = {}, browser = ann) => {
  const { location, status, text } = await asks(browser, clientId, params)
  if (location === null) throw new Error(`${status} ${text.slice(0, 3000)}`)
  const { error, error_description: description } = queryOf(location)
  return new URL(location ?? '', t.url).pathname === '/error' ? `${error}: ${description}` : undefined
}
const rows = (clientId: string) => t.app.core.db.knex('oauth_client').where({ client_id: clientId })
const unreadable = 'invalid_client: the metadata document of the client cannot be read now; try again later'

describe('a client with a metadata document', () => {
  test("a client with a metadata document signs a person in without a registration, after the person's consent, and refreshes its tokens", async () => {
    const editor = serve('/editor.json', { token_endpoint_auth_method: 'none', scope: 'openid email offline_access other' })
    const code = await codeFor(ann, editor, { scope: 'openid email offline_access', prompt: 'consent' })
    const { json } = await redeem(t, editor, code)
    expect((await userinfo(t, json['access_token'])).json['email']).toBe('ann@example.com')
    expect((await refresh(t, editor, json['refresh_token'])).status).toBe(200)
    expect(requests).toEqual(['/editor.json'])
    expect(await rows(editor.clientId)).toMatchObject([
      { type: 'spa', registered_by: 'anonymous', skip_consent: expect.anything() },
    ])
  })

  test('a client with a metadata document can begin with a pushed request, and the answer names mistakes of the document', async () => {
    const push = (clientId: string) => {
      const params = new URL(authorizePath({ clientId, secret: undefined }), t.url).searchParams
      return postForm(t, { clientId, secret: undefined }, '/oauth2/par', Object.fromEntries(params))
    }
    const editor = serve('/pushed.json')
    const { json, status } = await push(editor.clientId)
    expect([status, requests]).toEqual([201, ['/pushed.json']])
    const code = await codeFor(ann, editor, { request_uri: String(json['request_uri']) })
    expect((await redeem(t, editor, code)).status).toBe(200)
    const wrong = serve('/pushed-wrong.json', { redirect_uris: [] })
    const refused = await push(wrong.clientId)
    expect([refused.status, refused.json['error'], refused.json['error_description']]).toEqual([
      ...[401, 'invalid_client', expect.stringContaining('redirect_uris are required')],
    ])
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(await rows(wrong.clientId)).toEqual([])
    const off = await t.node({ oidc: { clientMetadataDocuments: 'off' } })
    requests = []
    const body = new URLSearchParams({ client_id: editor.clientId, response_type: 'code', redirect_uri: redirectUri })
    expect((await fetch(`${off.url}/oauth2/par`, { method: 'POST', body })).status).toBe(401)
    expect(requests).toEqual([])
    await off.stop()
  })

  test('the consent page shows a client with a metadata document as unknown, with the host of the document, even if the document names another page', async () => {
    const { clientId } = serve('/shown.json', { client_uri: 'https://bank.example/', 'client_uri#de': 'https://bank.example/de' })
    const answer = await asks(ann, clientId)
    const { client } = await ann.api.oidc.interaction({ params: { uid: uidOf(answer) } })
    expect(new URL(answer.location ?? '', t.url).pathname).toBe('/consent')
    expect(client).toMatchObject({ name: 'Editor', uri: `${origin}/`, standing: 'unknown', redirectHost: 'rp.example' })
    const german = await ann.request(`/interaction/${uidOf(answer)}/details`, { headers: { 'accept-language': 'de' } })
    expect((german.json['client'] as { uri: string }).uri).toBe(`${origin}/`)
  })

  test('a client with a metadata document needs PKCE, and exactly the redirect addresses of the document', async () => {
    const { clientId } = serve('/exact.json')
    const plain = await asks(ann, clientId, { code_challenge: undefined, code_challenge_method: undefined })
    expect(queryOf(plain.location)['error']).toBe('invalid_request')
    expect(queryOf(plain.location)['error_description']).toContain('PKCE is required')
    for (const other of [
      `${redirectUri}/`,
      `${redirectUri}?a=1`,
      'https://rp.example:8443/callback',
      'https://RP.example/callback',
    ])
      expect(await problem(clientId, { redirect_uri: other })).toContain('redirect_uri')
    const nativeOne = serve('/native.json', { redirect_uris: ['http://127.0.0.1/callback'] })
    expect(await problem(nativeOne.clientId, { redirect_uri: 'http://127.0.0.1:5123/callback' })).toBeUndefined()
  })

  test('values in a metadata document that this server does not support are ignored, because the document is for all servers', async () => {
    const { clientId } = serve('/vscode.json', {
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code', 'code id_token'],
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1:33418/', redirectUri],
    })
    expect(await problem(clientId)).toBeUndefined()
    expect(await rows(clientId)).toMatchObject([{ type: 'native' }])
  })
})

describe('a client_id that is an address', () => {
  test('a metadata document address is accepted only in one spelling: with a path, without fragment, user and dot segments', async () => {
    const { clientId } = serve('/spelt.json')
    const host = new URL(origin).host
    const others = [
      ...[`${origin}/`, origin, `${clientId}#a`, `https://a@${host}/spelt.json`, `https://a:b@${host}/spelt.json`],
      ...[
        `${origin}/a/../spelt.json`,
        `${origin}/./spelt.json`,
        `${origin}/%2e/spelt.json`,
        `https://LOCALHOST:${host.split(':')[1]}/spelt.json`,
      ],
      ...[`http://${host}/spelt.json`, `https:/${host}/spelt.json`, `https:\\\\${host}/spelt.json`, `${origin}/sp elt.json`],
      ...[`${origin}/${'a'.repeat(255)}.json`, ` ${clientId}`, `https://localhost.:${host.split(':')[1]}/spelt.json`],
    ]
    for (const other of others) expect([other, await problem(other)]).toEqual([other, expect.stringContaining('invalid_client')])
    expect(requests).toEqual([])
  })

  test('a metadata document address is refused without a request if its host is not listed or metadata documents are off', async () => {
    // No race in the database: both requests only read the configuration.
    const editor = serve('/off.json')
    const code = await codeFor(ann, editor, { scope: 'openid email' })
    const { json } = await redeem(t, editor, code)
    const off = await t.node({ oidc: { clientMetadataDocuments: 'off' } })
    const elsewhere = await t.node({ oidc: { clientMetadataDocuments: 'listed', clientMetadataDocumentHosts: ['localhost'] } })
    requests = []
    for (const node of [off, elsewhere]) {
      const answer = await node.client().request(authorizePath(editor))
      expect(queryOf(answer.location)['error']).toBe('invalid_client')
      expect((await userinfo(node, json['access_token'])).status).toBe(401)
    }
    expect(requests).toEqual([])
    const announced = async (node: TestApp) =>
      (await node.client().request('/.well-known/oauth-authorization-server')).json['client_id_metadata_document_supported']
    expect(await Promise.all([announced(t), announced(off)])).toEqual([true, undefined])
    await off.stop()
    await elsewhere.stop()
  })

  test('a metadata document is not fetched from an internal host unless the host is listed, even if outbound.allow permits the host', async () => {
    const node = await t.node(configOf({ clientMetadataDocuments: 'open', clientMetadataDocumentHosts: [] }))
    requests = []
    const { clientId } = serve('/inward.json')
    const port = new URL(origin).port
    for (const id of [
      clientId,
      `https://127.0.0.1:${port}/inward.json`,
      'https://169.254.169.254/latest',
      'https://10.0.0.1/a',
    ]) {
      const { location } = await node.client().request(authorizePath({ clientId: id, secret: undefined }))
      expect(`${queryOf(location)['error']}: ${queryOf(location)['error_description']}`).toBe(unreadable)
    }
    expect(requests).toEqual([])
    await node.stop()
  })
})

describe('a metadata document', () => {
  test('a metadata document with a secret, about another address, or against a rule of registration is refused', async () => {
    const wrong: readonly (readonly [string, object, string])[] = [
      ['secret', { client_secret: 'a' }, 'client_secret is not for clients to say'],
      ['basic', { token_endpoint_auth_method: 'client_secret_basic' }, 'must be none or private_key_jwt'],
      ['post', { token_endpoint_auth_method: 'client_secret_post' }, 'must be none or private_key_jwt'],
      ['jwt', { token_endpoint_auth_method: 'client_secret_jwt' }, 'must be none or private_key_jwt'],
      ['other', { client_id: `${origin}/another.json` }, 'client_id of the document is not its address'],
      ['none', { client_id: undefined }, 'client_id of the document is not its address'],
      ['addresses', { redirect_uris: [] }, 'redirect_uris are required'],
      ['script', { redirect_uris: ['javascript:alert(1)'] }, 'Invalid redirect URI'],
      ['http', { redirect_uris: ['http://rp.example/'] }, 'Invalid redirect URI'],
      ['consent', { skip_consent: true }, 'skip_consent is not for clients to say'],
      ['private', { jwks: { keys: [{ kty: 'EC', d: 'a' }] } }, 'private or symmetric key'],
      ['machine', { grant_types: ['client_credentials'] }, 'no way to a first token'],
      ['object', { client_uri: { toString: 1 } }, 'client_uri'],
      ['hs256', { id_token_signed_response_alg: 'HS256' }, 'HS256'],
    ]
    for (const [name, metadata, message] of wrong) {
      const { clientId } = serve(`/wrong-${name}.json`, metadata)
      expect([name, await problem(clientId)]).toEqual([name, expect.stringContaining(message)])
      expect(await rows(clientId)).toEqual([])
    }
  })

  test('a metadata document that is too long, late, moved, missing, of another type or not JSON is refused, and not fetched again soon', async () => {
    served.set('/moved.json', { status: 302, location: '/editor.json', body: '' })
    serve('/long.json', { padding: 'a'.repeat(11_000) })
    serve('/page.json', {}, { type: 'text/html' })
    served.set('/list.json', { body: '[]' })
    served.set('/text.json', { body: 'client' })
    requests = []
    const paths = ['/moved.json', '/long.json', '/page.json', '/silent.json', '/missing.json', '/list.json', '/text.json']
    for (const path of paths) {
      const first = await problem(origin + path)
      expect(first).toContain('invalid_client: ')
      expect(await problem(origin + path)).toBe(first)
      expect(await rows(origin + path)).toEqual([])
    }
    expect(requests).toEqual(paths)
    const late = serve('/missing.json')
    t.clock.advance({ minutes: 5, seconds: 1 })
    expect(await problem(late.clientId)).toBeUndefined()
  })

  test('a metadata document is fetched again after an hour by default, after five minutes at the earliest and a day at the latest', async () => {
    const cases = [
      ['/no-store.json', 'no-store', 300],
      ['/short.json', 'max-age=1', 300],
      ['/said.json', 'public, max-age=7200', 7_200],
      ['/nothing.json', undefined, 3_600],
      ['/year.json', 'max-age=31536000', 86_400],
    ] as const
    for (const [path, cache, seconds] of cases) {
      const { clientId } = serve(path, {}, cache === undefined ? {} : { cache })
      await asks(ann, clientId)
      t.clock.advance({ seconds: seconds - 60 })
      const browser = await t.signedIn(`${path.slice(1)}@example.com`)
      await asks(browser, clientId)
      expect([path, requests.length]).toEqual([path, 1])
      t.clock.advance({ seconds: 61 })
      await asks(browser, clientId)
      await asks(browser, clientId)
      expect([path, requests.length]).toEqual([path, 2])
    }
  })

  test('a changed metadata document takes effect and cancels an administrator’s approval, but does not cancel a restriction', async () => {
    const bea = await t.signedIn('bea@example.com')
    const admin = systemPrincipal('test')
    const [approved, restricted] = [serve('/approved.json').clientId, serve('/restricted.json').clientId]
    for (const [clientId, review] of [
      [approved, 'approved'],
      [restricted, 'restricted'],
    ] as const) {
      await asks(bea, clientId)
      await t.app.oidc.applications.update(admin, clientId, { review })
    }
    const dueAgain = async () => {
      t.clock.advance({ hours: 1, seconds: 1 })
      for (const clientId of [approved, restricted]) await asks(await t.signedIn(`${Math.random()}@example.com`), clientId)
    }
    await dueAgain()
    expect([(await rows(approved))[0].review, (await rows(restricted))[0].review]).toEqual(['approved', 'restricted'])
    for (const path of ['/approved.json', '/restricted.json']) serve(path, { redirect_uris: ['https://new.example/callback'] })
    await dueAgain()
    expect([(await rows(approved))[0].review, (await rows(restricted))[0].review]).toEqual([null, 'restricted'])
    expect(await problem(approved, {}, t.client())).toContain('redirect_uri')
    expect(await problem(approved, { redirect_uri: 'https://new.example/callback' }, t.client())).toBeUndefined()
  })

  test('a metadata document that cannot be fetched any more stays valid for another day, and is fetched at most every five minutes', async () => {
    const { clientId } = serve('/gone.json', {}, { cache: 'max-age=300' })
    expect(await problem(clientId, {}, t.client())).toBeUndefined()
    served.set('/gone.json', { status: 500, body: '' })
    t.clock.advance({ seconds: 301 })
    for (let i = 0; i < 3; i++) expect(await problem(clientId, {}, t.client())).toBeUndefined()
    expect(requests).toHaveLength(2)
    const [stored] = await t.app.core.db.knex('client_metadata_document').where({ id: (await rows(clientId))[0].id })
    expect(stored.problem).toBe('the server answered 500')
    t.clock.advance({ hours: 24 })
    for (let i = 0; i < 2; i++) expect(await problem(clientId, {}, t.client())).toBe(unreadable)
    expect(requests).toHaveLength(3)
    serve('/gone.json')
    t.clock.advance({ seconds: 301 })
    expect(await problem(clientId, {}, t.client())).toBeUndefined()
  })
})

describeOnBoth('limits of metadata documents', () => {
  testOnBoth('clients of metadata documents are limited in number, and deleted after a day without a consent', async () => {
    const { knex } = t.app.core.db
    await knex('oauth_client').where({ registered_by: 'anonymous' }).delete()
    expect(await knex('client_metadata_document')).toEqual([])
    const node = await t.node(configOf({ registrationMaxUnknown: 2 }))
    const cat = await t.signedIn('cat@example.com')
    const used = serve('/used.json')
    await codeFor(cat, used)
    const unused = serve('/unused.json')
    await asks(cat, unused.clientId)
    const { location } = await node.client().request(authorizePath(serve('/third.json')))
    expect(queryOf(location)['error_description']).toContain('Too many unknown clients')
    // The jobs of the nodes are stopped, because they would delete the document first.
    await t.app.jobs.stop()
    await node.app.jobs.stop()
    t.clock.advance({ hours: 24, seconds: 1 })
    expect(await t.app.oidc.deleteUnusedClients()).toBe(1)
    expect([(await rows(used.clientId)).length, (await rows(unused.clientId)).length]).toEqual([1, 0])
    expect(await knex('client_metadata_document')).toHaveLength(1)
    await node.stop()
  })

  test('fetches of metadata documents are limited for each network and each host', async () => {
    const node = await t.node(configOf({ registrationsPerHour: 3 }))
    t.clock.advance({ hours: 1 })
    requests = []
    for (let i = 0; i < 5; i++)
      await node.client().request(authorizePath({ clientId: `${origin}/flood-${i}.json`, secret: undefined }))
    expect(requests).toHaveLength(3)
    for (let i = 5; i < 120; i++) {
      const hit = await t.app.core.db.knex('rate_limit').where('key', 'like', 'client-document-network:%').delete()
      expect(hit).toBeGreaterThanOrEqual(0)
      await t.client().request(authorizePath({ clientId: `${origin}/flood-${i}.json`, secret: undefined }))
    }
    expect(requests.length).toBeLessThanOrEqual(100)
    await node.stop()
  })

  test('clients of metadata documents can be disabled, restricted and deleted like other clients, and always ask for consent', async () => {
    const admin = await t.signedIn('admin@example.com')
    await t.app.core.db.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' })
    t.clock.advance({ hours: 1 })
    const { clientId } = serve('/managed.json')
    await asks(ann, clientId)
    const params = { clientId }
    expect(await admin.api.applications.getApplication({ params })).toMatchObject({ clientId, registeredBy: 'anonymous' })
    await expect(admin.api.applications.updateApplication({ params, body: { skipConsent: true } })).rejects.toThrow(
      'always asked',
    )
    await admin.api.applications.updateApplication({ params, body: { disabled: true } })
    t.clock.advance({ hours: 2 })
    requests = []
    expect(await problem(clientId, {}, t.client())).toContain('client_disabled')
    expect(requests).toEqual([])
    await admin.api.applications.updateApplication({ params, body: { disabled: false, review: 'restricted' } })
    expect(await rows(clientId)).toMatchObject([{ review: 'restricted' }])
    await admin.api.applications.deleteApplication({ params })
    expect(await rows(clientId)).toEqual([])
  })

  testOnBoth('two nodes that fetch a new or due metadata document at the same moment store the document once', async () => {
    t.clock.advance({ hours: 1 })
    const other = await t.node(configOf())
    const browsers = () => [t.client(), other.client(), t.client(), other.client()]
    const paths = Array.from({ length: 8 }, (_, index) => `/race-${index}.json`)
    const all = () => Promise.all(paths.flatMap((path) => browsers().map((browser) => asks(browser, origin + path))))
    for (const path of paths) serve(path)
    for (const { location } of await all()) expect(new URL(location ?? '', t.url).pathname).toBe('/sign-in')
    for (const path of paths) {
      expect(await rows(origin + path)).toHaveLength(1)
      expect([1, 2]).toContain(requests.filter((asked) => asked === path).length)
    }
    t.clock.advance({ hours: 1, seconds: 1 })
    for (const path of paths) serve(path, { client_name: 'Renamed' })
    await all()
    expect(requests.toSorted()).toEqual(paths)
    for (const path of paths) expect(await rows(origin + path)).toMatchObject([{ name: 'Renamed' }])
    await other.stop()
  })
})
