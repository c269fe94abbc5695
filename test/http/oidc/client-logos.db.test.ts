import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { stringify } from 'yaml'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { readDeclaration } from '../../../src/apply/read.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { bombOf, imageOf, svgOf } from '../../support/images.ts'
import { authorizePath, redirectUri, register, uidOf } from './flow.ts'
import { registers, send } from './registering.ts'

/** The answers of the logo server, by path. */
const answers: Record<string, { readonly status?: number; readonly type?: string; readonly body: Buffer | string }> = {}
const requests: string[] = []
let server: Server
let t: TestApp
let admin: Browser
beforeAll(async () => {
  server = createServer((req, res) => {
    const path = req.url ?? ''
    requests.push(path)
    const { status = 200, type = 'text/html', body } = answers[path] ?? { status: 404, body: '' }
    if (path === '/silent') return
    res.writeHead(status, { 'content-type': type, ...(status === 302 ? { location: '/logo.png' } : {}) }).end(body)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t = await testApp({ config: { outbound: { allowHttp: true, allow: ['127.0.0.1'], maxBytes: 100_000, timeoutMs: 3_000 } } })
  admin = await t.signedIn('admin@example.com')
  await t.app.core.db.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' })
})
afterAll(async () => {
  await t.stop()
  server.closeAllConnections()
  server.close()
})

const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
const api = () => admin.api.applications
const create = (body: object = {}) =>
  api().createApplication({ body: { name: 'Shop', type: 'web', redirectUris: [redirectUri], ...body } })
const get = (clientId: string) => api().getApplication({ params: { clientId } })
const upload = (browser: Pick<Browser, 'request'>, clientId: string, bytes: Buffer, headers: Record<string, string> = {}) =>
  browser.request(`/admin/clients/${clientId}/logo`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', origin: t.url, ...headers },
    body: new Uint8Array(bytes),
  })
const kept = (clientId: string) => t.app.core.db.knex('image').where({ kind: 'client-logo', owner_id: clientId })
const eventsOf = async (clientId: string) =>
  (await t.app.core.db.knex('event').where({ subject_id: clientId, type: 'client.updated' }).orderBy('id').pluck('data')).map(
    (data) => JSON.parse(data),
  )

describeOnBoth('a logo at an address', () => {
  test('a logo address is fetched once at registration, and the logo is re-encoded as a square and served by this server', async () => {
    answers['/logo.png'] = { body: await imageOf({ width: 60, height: 20 }) }
    requests.length = 0
    const { client } = await create({ icon: at('/logo.png') })
    expect(client).toMatchObject({ icon: at('/logo.png'), logoProblem: null })
    expect(client.logo).toMatch(new RegExp(`^${t.url}/images/\\w{32}$`))
    const served = await fetch(client.logo ?? '')
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png'])
    const [row] = await kept(client.clientId)
    expect([Number(row.width), Number(row.height)]).toEqual([512, 512])
    expect((await get(client.clientId)).logo).toBe(client.logo)
    expect(requests).toEqual(['/logo.png'])
    const shown = await admin.request(`/oauth2/client/${client.clientId}`)
    expect(shown.json).toEqual({ clientId: client.clientId, name: 'Shop', icon: client.logo })
  })

  test('a logo address chosen by a person or a stranger is fetched from a private address only after an administrator approves the client', async () => {
    answers['/inside.png'] = { body: await imageOf({ width: 60, height: 20 }) }
    const ann = await t.signedIn('inside@example.com')
    await t.verify('inside@example.com')
    requests.length = 0
    const { json } = await ann.post('/oauth2/register', { redirect_uris: [redirectUri], logo_uri: at('/inside.png') })
    const clientId = String(json['client_id'])
    expect((await get(clientId)).logoProblem).toContain('private address')
    expect(requests).toEqual([])
    const approved = await api().updateApplication({ params: { clientId }, body: { review: 'approved' } })
    expect([approved.logo, requests]).toEqual([expect.stringMatching(/\/images\//), ['/inside.png']])
  })

  test("a self-registered application's logo is fetched at registration, and again when the application names another logo address", async () => {
    answers['/own.png'] = { body: await imageOf({ width: 60, height: 20 }) }
    answers['/next.png'] = { body: await imageOf({ width: 40, height: 40 }) }
    const ann = await t.signedIn('registering@example.com')
    const { value } = await admin.api.initialAccessTokens.createInitialAccessToken({ body: { name: 'Logos' } })
    requests.length = 0
    const { json } = await registers(t, { logo_uri: at('/own.png') }, value)
    expect(json['logo_uri']).toBe(at('/own.png'))
    const clientId = String(json['client_id'])
    const { logo } = await get(clientId)
    const shown = await ann.request(authorizePath({ clientId, secret: undefined }))
    const { client } = await ann.api.oidc.interaction({ params: { uid: uidOf(shown) } })
    expect([logo, client.logo]).toEqual([expect.stringMatching(/\/images\/\w{32}$/), logo])
    let token = json['registration_access_token']
    const replace = async (path: string) => {
      const body = { client_id: clientId, redirect_uris: [redirectUri], logo_uri: at(path) }
      token = (await send(t, 'PUT', `/oauth2/register/${clientId}`, body, String(token))).json['registration_access_token']
      return (await get(clientId)).logo
    }
    expect(await replace('/own.png')).toBe(logo)
    expect(requests).toEqual(['/own.png'])
    expect(await replace('/next.png')).toEqual(expect.not.stringMatching(String(logo)))
    expect(requests).toEqual(['/own.png', '/next.png'])
    expect(await kept(clientId)).toHaveLength(1)
  })

  testOnBoth(
    'logos of a declaration are fetched by the command and at a start, and a failed fetch is reported and tried again',
    async () => {
      answers['/declared.png'] = { body: await imageOf({ width: 60, height: 20 }) }
      const spa = (icon: string) => ({ name: 'Declared', type: 'spa', redirectUris: [redirectUri], icon: at(icon) })
      const file = join(t.database.dataDir, 'logos.yaml')
      const declare = (clients: object) => {
        writeFileSync(file, stringify({ source: 'logos', clients }))
        return readDeclaration(file)
      }
      const declaration = declare({ declared: spa('/declared.png'), gone: spa('/missing') })
      await t.app.applying.apply(systemPrincipal('test'), declaration, { prune: false })
      const problems = [{ key: 'gone', problem: 'the server answered 404' }]
      expect(await t.app.applying.fetchLogos(systemPrincipal('test'), declaration)).toEqual(problems)
      expect((await get('declared')).logo).toMatch(/\/images\//)
      requests.length = 0
      await t.app.applying.fetchLogos(systemPrincipal('test'), declaration)
      expect(requests).toEqual(['/missing'])
      declare({ started: spa('/declared.png') })
      const node = await t.node({ apply: { file } })
      await vi.waitFor(async () => expect((await get('started')).logo).toMatch(/\/images\//), { timeout: 60_000 })
      await node.stop()
    },
  )

  testOnBoth(
    'a failed logo fetch after a declaration is a problem of the application, and the declaration succeeds',
    async () => {
      const file = join(t.database.dataDir, 'logos.yaml')
      const client = { name: 'Applied', type: 'spa', redirectUris: [redirectUri], icon: at('/logo.png') }
      writeFileSync(file, stringify({ source: 'applied', clients: { applied: client } }))
      const node = await t.node()
      await node.app.applying.apply(systemPrincipal('test'), readDeclaration(file), { prune: false })
      // The node's database connection is closed now.
      await node.stop()
      expect(await node.app.applying.fetchLogos(systemPrincipal('test'), readDeclaration(file))).toEqual([
        { key: 'applied', problem: expect.stringMatching(/\w/) },
      ])
      expect((await get('applied')).name).toBe('Applied')
    },
  )

  test('the type of a logo is detected from its bytes and not its header, and an SVG becomes a bitmap', async () => {
    answers['/logo.svg'] = { type: 'image/png', body: svgOf('<rect width="40" height="20" fill="red"/>') }
    const { client } = await create({ icon: at('/logo.svg') })
    const served = await fetch(client.logo ?? '')
    expect(served.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await served.arrayBuffer()).toString('latin1', 1, 4)).toBe('PNG')
  })

  test.each([
    ['/missing', 'the server answered 404'],
    ['/moved', 'the server answered 302: redirects are not followed'],
    ['/page', 'Invalid image: PNG, JPEG, WebP, GIF and AVIF are taken'],
    ['/script.svg', 'Invalid image: the SVG has <script>'],
    ['/long', 'the answer is longer than 100000 bytes'],
    ['/bomb', 'Invalid image: more than 25 million pixels'],
    ['/silent', 'no answer within 3000 ms'],
  ])(
    'a logo at %s fails: the application is still registered, and the answer and doctor give the reason (%s)',
    async (path, problem) => {
      answers['/moved'] = { status: 302, body: '' }
      answers['/page'] = { type: 'image/png', body: '<p>'.padStart(30, 'x') }
      answers['/script.svg'] = { type: 'image/svg+xml', body: svgOf('<script>alert(1)</script>') }
      answers['/long'] = { body: Buffer.alloc(100_001) }
      answers['/bomb'] = { body: bombOf(60_000, 60_000) }
      const { client } = await create({ icon: at(path) })
      expect(client).toMatchObject({ icon: at(path), logo: null, logoProblem: problem })
      const { json } = await admin.request('/admin/health')
      const named = expect.objectContaining({ check: 'client-logos', message: expect.stringContaining(problem) })
      expect(json['checks']).toContainEqual(named)
      expect(await kept(client.clientId)).toEqual([])
      await api().deleteApplication({ params: { clientId: client.clientId } })
    },
  )

  test('a logo is not fetched from a private address, and not over http unless http is allowed', async () => {
    const careful = await testApp()
    const principal = systemPrincipal('test')
    for (const [icon, problem] of [
      ['https://127.0.0.1/logo.png', 'is a private address'],
      ['https://169.254.169.254/latest/meta-data', 'is a private address'],
      ['https://[::1]/logo.png', 'is a private address'],
      ['http://127.0.0.1/logo.png', 'http is not allowed'],
    ] as const) {
      const app = await register(careful, { icon })
      expect((await careful.app.oidc.clientLogos.fetch(principal, app.clientId)).logoProblem).toContain(problem)
    }
    await careful.stop()
  })

  test('a new logo address replaces the logo, a failed fetch keeps the logo, and removing the address removes the logo', async () => {
    answers['/a.png'] = { body: await imageOf({ color: 'red' }) }
    answers['/b.png'] = { body: await imageOf({ color: 'blue' }) }
    const { client } = await create({ icon: at('/a.png') })
    const params = { clientId: client.clientId }
    const second = await api().updateApplication({ params, body: { icon: at('/b.png') } })
    expect(second.logo).not.toBe(client.logo)
    expect(await kept(client.clientId)).toHaveLength(1)
    const failed = await api().updateApplication({ params, body: { icon: at('/none.png') } })
    expect(failed).toMatchObject({ logo: second.logo, logoProblem: 'the server answered 404' })
    expect((await fetch(second.logo ?? '')).status).toBe(200)
    const none = await api().updateApplication({ params, body: { icon: null } })
    expect(none).toMatchObject({ icon: null, logo: null, logoProblem: null })
    expect((await fetch(second.logo ?? '')).status).toBe(404)
  })

  test('setting the same logo address again fetches the logo again, and other changes do not fetch it', async () => {
    answers['/again.png'] = { body: await imageOf({ color: 'red' }) }
    const { client } = await create({ icon: at('/again.png') })
    const params = { clientId: client.clientId }
    requests.length = 0
    await api().updateApplication({ params, body: { name: 'Shop 2' } })
    expect(requests).toEqual([])
    answers['/again.png'] = { body: await imageOf({ color: 'blue' }) }
    const after = await api().updateApplication({ params, body: { icon: at('/again.png') } })
    expect(after.logo).not.toBe(client.logo)
    expect((await eventsOf(client.clientId)).at(-1)).toEqual({
      fields: ['logo'],
      before: { logo: client.logo },
      after: { logo: after.logo },
    })
  })
})

describeOnBoth('an uploaded logo', () => {
  test('an uploaded logo replaces the fetched logo, is deleted with the application, and events name who changed the logo', async () => {
    answers['/first.png'] = { body: await imageOf({ color: 'red' }) }
    const { client } = await create({ icon: at('/first.png') })
    const { status, json } = await upload(admin, client.clientId, await imageOf({ color: 'blue', format: 'webp' }))
    expect([status, json['icon'], json['logoProblem']]).toEqual([200, null, null])
    expect(json['logo']).not.toBe(client.logo)
    expect(await eventsOf(client.clientId)).toContainEqual({
      fields: ['logo', 'icon'],
      before: { logo: client.logo, icon: at('/first.png') },
      after: { logo: json['logo'], icon: null },
    })
    // Setting no logo address keeps an uploaded logo.
    const same = await api().updateApplication({ params: { clientId: client.clientId }, body: { icon: null } })
    expect(same.logo).toBe(json['logo'])
    await api().deleteApplication({ params: { clientId: client.clientId } })
    expect((await fetch(String(json['logo']))).status).toBe(404)
  })

  testOnBoth('an uploaded logo can be removed, and the removal applies on every node', async () => {
    const { client } = await create()
    const { json } = await upload(admin, client.clientId, await imageOf())
    const other = await t.node()
    expect((await other.app.oidc.clients.find(client.clientId))?.logoImage).not.toBeNull()
    const { etag } = { etag: undefined }
    const removed = await api().removeLogo({ params: { clientId: client.clientId }, ifMatch: etag })
    expect(removed.logo).toBeNull()
    expect((await fetch(String(json['logo']))).status).toBe(404)
    await vi.waitFor(async () => expect((await other.app.oidc.clients.find(client.clientId))?.logoImage).toBeNull(), 60_000)
    await other.stop()
  })

  testOnBoth(
    'a logo upload is refused without permission, from another site, for an invalid image or an unknown client, and with an outdated ETag',
    async () => {
      const { client } = await create()
      const ann = await t.signedIn('ann@example.com')
      const picture = await imageOf()
      const outcome = async (answer: Promise<{ status: number; json: Record<string, unknown> }>) => {
        const { status, json } = await answer
        return [status, json['code']]
      }
      expect(await outcome(upload(ann, client.clientId, picture))).toEqual([403, 'FORBIDDEN'])
      expect(await outcome(upload(t.client(), client.clientId, picture))).toEqual([401, 'UNAUTHORIZED'])
      expect(await outcome(upload(admin, client.clientId, picture, { origin: 'https://evil.example' }))).toEqual([
        403,
        'INVALID_ORIGIN',
      ])
      expect(await outcome(upload(admin, 'nobody', picture))).toEqual([404, 'APPLICATION_NOT_FOUND'])
      expect(await outcome(upload(admin, client.clientId, Buffer.from('no picture at all')))).toEqual([400, 'INVALID_IMAGE'])
      expect(await outcome(upload(admin, client.clientId, picture, { 'if-match': '"other"' }))).toEqual([
        412,
        'PRECONDITION_FAILED',
      ])
      expect(await get(client.clientId)).toMatchObject({ logo: null })
    },
  )
})

test('a colour is six hexadecimal digits', async () => {
  const { client } = await create({ color: '#0B1F4D' })
  expect(client.color).toBe('#0b1f4d')
  expect(await api().updateApplication({ params: { clientId: client.clientId }, body: { color: null } })).toMatchObject({
    color: null,
  })
  for (const color of ['red', '#fff', '#0b1f4d;', '#0b1f4dff', 5]) {
    const { json } = await admin.post('/admin/clients', { name: 'X', type: 'machine', color })
    expect(json['code'], String(color)).toBe('VALIDATION_ERROR')
  }
})
