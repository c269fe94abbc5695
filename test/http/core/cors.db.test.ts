import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'

const application = 'http://localhost:5173'
let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { trustedOrigins: [application, 'https://*.preview.example.com'] } })
})
afterAll(() => t.stop())

const corsHeaders = (headers: Headers) => [...headers].filter(([name]) => name.startsWith('access-control-'))
const preflight = (path: string, origin: string, method = 'POST') =>
  t.client().request(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
  })
const open = [
  ['access-control-allow-credentials', 'true'],
  ['access-control-allow-origin', application],
  ['access-control-expose-headers', 'ETag, Retry-After, X-Retry-After, X-Request-Id'],
]

test('an application on a configured origin can send the session cookie and read the responses, including errors', async () => {
  const client = await t.signedIn('ann@example.com')
  for (const prefix of ['', '/api/auth']) {
    const read = await client.request(`${prefix}/get-session`, { headers: { origin: application } })
    expect(read.json['user']).toMatchObject({ email: 'ann@example.com' })
    expect(corsHeaders(read.headers)).toEqual(open)
    const refused = await client.post(`${prefix}/update-user`, { email: 'x@example.com' }, { origin: application })
    expect([refused.status, corsHeaders(refused.headers)]).toEqual([400, open])
  }
  const renamed = await client.post('/update-user', { name: 'Ann Other' }, { origin: application })
  expect([renamed.status, corsHeaders(renamed.headers)]).toEqual([200, open])
})

test('a preflight is answered without a body, with the methods of the path and only the headers that the API reads', async () => {
  for (const path of ['/update-user', '/api/auth/update-user']) {
    const answer = await preflight(path, application)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(corsHeaders(answer.headers)).toEqual([
      ['access-control-allow-credentials', 'true'],
      [
        'access-control-allow-headers',
        'Content-Type, Authorization, Gatehouse-Organization, Gatehouse-Proof-Of-Work, Gatehouse-Reason, If-Match',
      ],
      ['access-control-allow-methods', 'POST'],
      ['access-control-allow-origin', application],
      ['access-control-expose-headers', 'ETag, Retry-After, X-Retry-After, X-Request-Id'],
      ['access-control-max-age', '600'],
    ])
  }
  const wildcard = await preflight('/get-session', 'https://pr-7.preview.example.com', 'GET')
  expect([wildcard.status, wildcard.headers.get('access-control-allow-origin')]).toEqual([
    204,
    'https://pr-7.preview.example.com',
  ])
})

test('no origin that is not configured can read responses: not null, no similar name, no wildcard', async () => {
  const client = await t.signedIn('bob@example.com')
  for (const origin of [
    'null',
    '*',
    'https://evil.example',
    'http://localhost:5174',
    'https://localhost:5173',
    `${application}.evil.example`,
    'https://preview.example.com',
    'https://x.preview.example.com.evil.example',
    'http://user@localhost:5173',
  ]) {
    const read = await client.request('/get-session', { headers: { origin } })
    expect([read.status, corsHeaders(read.headers)], origin).toEqual([200, []])
    const written = await client.post('/update-user', { name: 'Mallory' }, { origin })
    expect([written.status, written.json['code'], corsHeaders(written.headers)], origin).toEqual([403, 'INVALID_ORIGIN', []])
    const asked = await preflight('/update-user', origin)
    expect([asked.status, asked.json['code'], corsHeaders(asked.headers)], origin).toEqual([403, 'INVALID_ORIGIN', []])
  }
})

test('only API calls can be read by other origins: no page, consent, file, unknown path or unknown method', async () => {
  for (const [path, method] of [
    ['/setup', 'POST'],
    ['/oauth2/consent', 'POST'],
    ['/interaction/x/details', 'GET'],
    ['/sign-in', 'GET'],
    ['/nowhere', 'GET'],
    ['/get-session', 'DELETE'],
    ['/update-user', 'OPTIONS'],
  ] as const) {
    const answer = await preflight(path, application, method)
    expect([answer.status, corsHeaders(answer.headers)], path).toEqual([404, []])
  }
  const client = await t.signedIn('cid@example.com')
  const page = await client.request('/sign-in', { headers: { origin: application, accept: 'text/html' } })
  expect(corsHeaders(page.headers)).toEqual([])
  const consent = await client.post('/oauth2/consent', { accept: true }, { origin: application })
  expect(corsHeaders(consent.headers)).toEqual([])
  const plain = await client.request('/get-session', { method: 'OPTIONS', headers: { origin: application } })
  expect([plain.status, corsHeaders(plain.headers)]).toEqual([404, []])
})

test('a trusted origin gets no CORS access to userinfo, because the OpenID provider has its own rule', async () => {
  const answer = await t.client().request('/oauth2/userinfo', { headers: { origin: application } })
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
})

test('every response of the API has a Vary header with Origin, so that no cache confuses two origins', async () => {
  for (const headers of [{}, { origin: application }, { origin: 'https://evil.example' }])
    for (const path of ['/get-session', '/list-sessions'])
      expect((await t.client().request(path, { headers })).headers.get('vary')).toBe('Origin')
})

test('without configured origins no other origin can read responses', async () => {
  const closed = await testApp()
  try {
    const client = await closed.signedIn('ann@example.com')
    const read = await client.request('/get-session', { headers: { origin: application } })
    expect([read.status, corsHeaders(read.headers)]).toEqual([200, []])
    const signIn = await client.post('/sign-in/email', { email: 'ann@example.com', password }, { origin: application })
    expect([signIn.status, corsHeaders(signIn.headers)]).toEqual([403, []])
  } finally {
    await closed.stop()
  }
})

test("administration calls accept a session only from the server's own origin and admin.trustedOrigins, and a token from every trusted origin", async () => {
  const consoleOrigin = 'https://console.example.com'
  const node = await testApp({ config: { trustedOrigins: [application], admin: { trustedOrigins: [consoleOrigin] } } })
  const email = 'admin@example.com'
  const admin = await node.signedIn(email)
  await node.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role: 'admin' }))
  const { id } = await node.app.users.require(node.app.core.db, email)
  const setRole = (origin: string, path = '/admin/set-role') => admin.post(path, { userId: id, role: 'admin' }, { origin })
  const list = (origin: string) => admin.request('/admin/users', { headers: { origin } })

  for (const path of ['/admin/set-role', '/api/auth/admin/set-role']) {
    const refused = await setRole(application, path)
    expect([refused.status, refused.json['code']]).toEqual([403, 'INVALID_ORIGIN'])
    expect(corsHeaders(refused.headers)).not.toContainEqual(['access-control-allow-credentials', 'true'])
  }
  const read = await list(application)
  expect([read.status, read.json['code']]).toEqual([403, 'INVALID_ORIGIN'])
  for (const origin of [node.url, consoleOrigin]) {
    expect((await setRole(origin)).status).toBe(200)
    expect((await list(origin)).status).toBe(200)
  }
  const asked = await node.client().request('/admin/set-role', {
    method: 'OPTIONS',
    headers: { origin: consoleOrigin, 'access-control-request-method': 'POST' },
  })
  expect(corsHeaders(asked.headers)).toContainEqual(['access-control-allow-credentials', 'true'])

  const token = (await admin.api.sessions.getSession())?.session.token
  const withToken = await node
    .client()
    .request('/admin/users', { headers: { origin: application, authorization: `Bearer ${token}` } })
  expect([withToken.status, corsHeaders(withToken.headers).map(([name]) => name)]).toEqual([
    200,
    ['access-control-allow-origin', 'access-control-expose-headers'],
  ])
  await node.stop()
})
