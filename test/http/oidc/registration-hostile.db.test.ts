/** Registrations by malicious strangers: each is refused, or stored in a form that does no harm. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { authorizePath, codeFor, queryOf, redeem, redirectUri, register, uidOf } from './flow.ts'
import { registered, registers, send } from './registering.ts'

let t: TestApp
let ann: Browser
const logged: string[] = []
beforeAll(async () => {
  t = await testApp({ config: { oidc: { registration: 'open' } }, onLog: (line) => void logged.push(line) })
  ann = await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

const refusals = [
  'invalid_client_metadata',
  'invalid_redirect_uri',
  'VALIDATION_ERROR',
  'INVALID_JSON',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]
const count = async () => Number((await t.app.core.db.knex('oauth_client').count({ n: '*' }))[0]?.['n'])
const none = { token_endpoint_auth_method: 'none' }
const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index))
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })

const addresses: readonly string[] = [
  ...[
    '',
    ' ',
    'nonsense',
    '/callback',
    '//rp.example/callback',
    'rp.example',
    'https:',
    'https://',
    'https:///x',
    'http://rp.example',
  ],
  ...['HTTP://RP.EXAMPLE', 'https://rp.example/#', 'https://rp.example/#a', 'https://rp.example/\u0000', 'https://rp.example/\n'],
  ...[
    'https://rp.example/ a',
    'https://rp.example\t/',
    'https://rp.example\\@evil.example/',
    'https://a@rp.example/',
    'https://a:b@rp.example/',
  ],
  ...[
    'https://rp.example@evil.example/',
    'https://*.example/',
    'https://rp.example/*',
    'https://rp.example/,https://evil.example/',
  ],
  ...[
    'https://rp.example/"',
    'https://rp.example/<script>',
    'https://раураl.example/',
    'https://рp.example/callback',
    'https://rp.example/cällback',
  ],
  ...[
    'https://rp.exam\u200bple/',
    'https://rp.example\u202e/',
    'https://ｒｐ.example/',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
  ],
  ...[
    'java\tscript:alert(1)',
    'javascript://rp.example/%0aalert(1)',
    'data:text/html;base64,PHNjcmlwdD4=',
    'vbscript:msgbox',
    'blob:https://rp.example/x',
  ],
  ...['file:///etc/passwd', 'about:blank', 'ws://rp.example/', 'wss://rp.example/', 'ftp://rp.example/', 'mailto:a@rp.example'],
  ...[
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://10.0.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://0.0.0.0/',
  ],
  ...[
    'http://169.254.169.254/latest/meta-data',
    'myapp:/callback',
    'intent://scan#Intent;end',
    `https://rp.example/${'a'.repeat(2_000)}`,
    'https://rp.example:99999/',
  ],
  ...['https://@rp.example/', 'https://:@rp.example/', 'http://@localhost/', 'com.example.app://@rp.example/'],
  ...['https://rp.example;sandbox/', "https://rp'example/", 'https://rp$&example/', 'http://localhost;/'],
]

const bodies: readonly (readonly [what: string, body: unknown])[] = [
  ['a list', [{ redirect_uris: [redirectUri] }]],
  ['null', 'null'],
  ['a string', '"x"'],
  ['no JSON', '{'],
  ['truncated JSON', `{"redirect_uris":["${redirectUri}"]`],
  ['deep JSON', { redirect_uris: [redirectUri], x: deep(40) }],
  ['deeply nested JSON', `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ['a body of a megabyte', { redirect_uris: [redirectUri], client_name: 'a'.repeat(1_000_000) }],
  ['a thousand fields', Object.fromEntries(many(1_000, (i) => [`field${i}`, i]))],
  ['__proto__', `{"redirect_uris":["${redirectUri}"],"__proto__":{"skip_consent":true}}`],
  ['constructor', { redirect_uris: [redirectUri], constructor: { prototype: { skip_consent: true } } }],
  ['a thousand addresses', { redirect_uris: many(1_000, (i) => `https://rp.example/${i}`) }],
  ['addresses that are objects', { redirect_uris: [{ toString: 'x' }] }],
  ['addresses as one string', { redirect_uris: redirectUri }],
  ['nested addresses', { redirect_uris: [[redirectUri]] }],
  ['a number as an address', { redirect_uris: [1] }],
  ...['client_name', 'client_uri', 'logo_uri', 'policy_uri', 'tos_uri', 'scope', 'software_id', 'token_endpoint_auth_method'].map(
    (name) => [`${name} that is an object`, { redirect_uris: [redirectUri], [name]: { a: 1 } }] as const,
  ),
  ...(
    [
      ['a name of a thousand characters', { client_name: 'a'.repeat(1_000) }],
      ['a name with characters that reverse the text', { client_name: 'gatehouse \u202egnp.exe' }],
      ['a name of invisible characters', { client_name: '\u200b\u2060' }],
      ['a name with a line break', { client_name: 'Shop\nApproved by gatehouse' }],
      ['a name with piled-up combining marks', { client_name: `a${'\u0301'.repeat(50)}` }],
      ['a name with U+0000', { client_name: 'a\u0000b' }],
      ['an invisible name in one language', { 'client_name#de': '\u202e' }],
      ['an invalid language', { 'client_name#../../x': 'a' }],
      ['a script as the address for one language', { 'tos_uri#de': 'javascript:alert(1)' }],
      ['a hundred languages', Object.fromEntries(many(60, (i) => [`client_name#aa-x${String(i).padStart(2, '0')}`, 'a']))],
      ['a script as its web page', { client_uri: 'javascript:alert(1)' }],
      ['a script as its privacy policy', { policy_uri: 'data:text/html,x' }],
      ['plain http as its web page', { client_uri: 'http://rp.example/' }],
      ['a script as its logo', { logo_uri: 'javascript:alert(1)' }],
      ['a file as its logo', { logo_uri: 'file:///etc/passwd' }],
      ['a logo of another scheme', { logo_uri: 'gopher://127.0.0.1:25/' }],
      ['an RSA private key', { jwks: { keys: [{ kty: 'RSA', n: 'x', e: 'AQAB', d: 'x' }] } }],
      ['an EC private key', { jwks: { keys: [{ kty: 'EC', x: 'x', y: 'y', d: 'x' }] } }],
      ['a symmetric key', { jwks: { keys: [{ kty: 'oct', k: 'x' }] } }],
      ['a symmetric key without a value', { jwks: { keys: [{ kty: 'oct' }] } }],
      ['a web page on a host in mixed alphabets', { client_uri: 'https://gооgle.example/' }],
      [
        'a policy address with characters that reverse the text, for one language',
        { 'policy_uri#de': 'https://rp.example/\u202egro.knab' },
      ],
      ['a key with a private prime', { jwks: { keys: [{ kty: 'RSA', p: 'x' }] } }],
      ['a key without a type', { jwks: { keys: [{ n: 'x' }] } }],
      ['a thousand keys', { jwks: { keys: many(1_000, () => ({ kty: 'EC' })) } }],
      ['both keys and an address of keys', { jwks: { keys: [] }, jwks_uri: 'https://rp.example/jwks' }],
      ['keys that are a list', { jwks: [] }],
      ['a key set with further members', { jwks: { keys: [], admin: true } }],
      ['a hundred contacts', { contacts: many(100, (i) => `a${i}@rp.example`) }],
      ['a negative max age', { default_max_age: -1 }],
      ['a max age that is text', { default_max_age: '1' }],
      ['a max age beyond any number', { default_max_age: 1e300 }],
      ['a boolean that is text', { require_auth_time: 'true' }],
      ['the algorithm none', { id_token_signed_response_alg: 'none' }],
      ['an unknown algorithm', { id_token_signed_response_alg: 'RS1' }],
      ['an unsupported grant type', { grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'] }],
      ['a thousand grant types', { grant_types: many(1_000, () => 'authorization_code') }],
      ['a machine', { grant_types: ['client_credentials'], redirect_uris: [] }],
      ['a machine with a redirect address', { grant_types: ['client_credentials', 'authorization_code'] }],
      ['only the grant type of refresh tokens', { grant_types: ['refresh_token'] }],
      ['a hybrid response type', { response_types: ['code id_token'] }],
      ['the response type token', { response_types: ['token'] }],
      ['a thousand scopes', { scope: many(1_000, (i) => `scope${i}`).join(' ') }],
      ['a scope with a quotation mark', { scope: 'openid "' }],
      ['an unknown application type', { application_type: 'root' }],
      ...[
        ...['skip_consent', 'permissions', 'pkce', 'require_acr', 'unknown_scopes', 'web_origins', 'color', 'disabled', 'review'],
        ...['registered_by', 'client_id', 'client_secret', 'client_id_issued_at', 'registration_access_token', 'skip_consent#de'],
      ].map((name) => [`${name}, which is not for clients`, { [name]: true }] as const),
    ] as const
  ).map(([what, more]) => [what, { redirect_uris: [redirectUri], ...more }] as const),
]

describe('hostile registrations', () => {
  test.for(addresses)('the redirect address %j is refused for every kind of client', async (address) => {
    const before = await count()
    for (const more of [{}, none, { ...none, application_type: 'native' }]) {
      const { status, json } = await registers(t, { ...more, redirect_uris: [address] })
      expect([status, json['error'] ?? json['code']]).toEqual([400, expect.toBeOneOf(refusals)])
      const logout = await registers(t, { ...more, post_logout_redirect_uris: [address] })
      expect(logout.status).toBe(400)
    }
    expect(await count()).toBe(before)
  })

  test.for(bodies)('a registration with %s is refused', async ([, body]) => {
    const before = await count()
    const answer = await send(t, 'POST', '/oauth2/register', body)
    expect([400, 403, 413]).toContain(answer.status)
    if (answer.status === 400) expect(answer.json['error'] ?? answer.json['code']).toBeOneOf(refusals)
    expect(answer.text.length).toBeLessThan(2_000)
    expect(await count()).toBe(before)
  })

  test('more than a hundred hostile registrations leave no error in the log', () => {
    expect(addresses.length + bodies.length).toBeGreaterThan(100)
    expect(logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
  })
})

describe('registrations that look harmless', () => {
  test('a redirect address that only resembles a registered address is refused', async () => {
    const client = await registered(t, { redirect_uris: ['https://rp.example/callback?a=1'] })
    for (const redirect_uri of [
      ...[
        'https://rp.example/callback',
        'https://rp.example/callback?a=1&b=2',
        'https://rp.example/callback?a=1#',
        'https://RP.example/callback?a=1',
      ],
      ...['https://rp.example:443/callback?a=1', 'https://rp.example/./callback?a=1', 'https://rp.example/%63allback?a=1'],
      ...['https://rp.example/callback/?a=1', 'https://rp.example./callback?a=1', 'http://rp.example/callback?a=1'],
      ...['https://rp.example.evil.example/callback?a=1', 'https://rp.example/callback?a=1\u200b'],
    ]) {
      const { location } = await ann.request(authorizePath(client, { redirect_uri }))
      expect(new URL(location ?? '', t.url).origin, redirect_uri).toBe(t.url)
      expect(queryOf(location)['code']).toBeUndefined()
    }
  })

  test('the consent page shows an application on a device by its private scheme, not by the host after the scheme', async () => {
    for (const [address, shown] of [
      ['com.example.app://bank.example/callback', 'com.example.app:'],
      ['bank.example:/callback', 'bank.example:'],
    ] as const) {
      const client = await registered(t, { ...none, redirect_uris: [address] })
      const uid = uidOf(await ann.request(authorizePath(client, { redirect_uri: address })))
      expect((await ann.api.oidc.interaction({ params: { uid } })).client.redirectHost).toBe(shown)
      expect(client.json['client_name']).toBe(shown.slice(0, -1))
    }
  })

  test('a self-registered client gets the claim groups only with the scope groups', async () => {
    const scope = 'openid groups'
    const scopeOf = async (client: Parameters<typeof redeem>[1]) =>
      (await redeem(t, client, await codeFor(ann, client, { scope }))).json['scope']
    expect(await scopeOf(await registered(t))).toBe('openid')
    expect(await scopeOf(await registered(t, { scope }))).toBe(scope)
    expect(await scopeOf(await register(t, { scope: ['openid'], unknownScopes: 'ignore' }))).toBe(scope)
  })

  test('an empty scope in a registration is treated as a missing scope', async () => {
    for (const scope of ['', ' ', null])
      expect((await registered(t, { scope })).json['scope']).toBe('openid profile email offline_access')
  })

  test('jwks_uri and logo_uri addresses that point to internal hosts are never called', async () => {
    expect((await registers(t, { jwks_uri: 'http://169.254.169.254/keys' })).status).toBe(400)
    const client = await registered(t, { jwks_uri: 'https://169.254.169.254/keys', logo_uri: 'https://localhost/logo.png' })
    await new Promise((resolve) => setImmediate(resolve))
    const [row] = await t.app.core.db.knex('oauth_client').where({ client_id: client.clientId })
    expect([row.logo_image, row.logo_problem]).toEqual([null, null])
  })

  test('a stolen registration token changes only its own client, and the owner notices the theft at the next update', async () => {
    const [victim, other] = [await registered(t), await registered(t)]
    const body = { client_id: victim.clientId, redirect_uris: ['https://evil.example/'] }
    expect((await send(t, 'PUT', other.path, { ...body, client_id: other.clientId }, victim.token)).status).toBe(401)
    expect((await send(t, 'PUT', victim.path, body, victim.token)).status).toBe(200)
    expect((await send(t, 'GET', victim.path, undefined, victim.token)).status).toBe(401)
    expect((await send(t, 'PUT', victim.path, body, victim.token)).status).toBe(401)
    expect((await send(t, 'DELETE', victim.path, undefined, victim.token)).status).toBe(401)
  })

  test('a registration token is accepted neither by the API nor at userinfo', async () => {
    const client = await registered(t)
    for (const path of ['/oauth2/userinfo', '/list-sessions', '/admin/clients', '/oauth2/client/x'])
      expect((await send(t, 'GET', path, undefined, client.token)).status, path).toBe(401)
  })

  test('a session, a client secret and an access token cannot manage a client', async () => {
    const client = await registered(t)
    const answer = await ann.request(client.path)
    expect(answer.status).toBe(401)
    for (const token of [client.secret ?? '', client.clientId])
      expect((await send(t, 'GET', client.path, undefined, token)).status).toBe(401)
  })

  test('a second registration of the same metadata creates another client', async () => {
    const metadata = { software_id: 'same', client_name: 'Same' }
    const [one, two] = [await registered(t, metadata), await registered(t, metadata)]
    expect(one.clientId).not.toBe(two.clientId)
    expect((await send(t, 'GET', two.path, undefined, one.token)).status).toBe(401)
  })
})
