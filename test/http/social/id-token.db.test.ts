import { createHash, randomUUID } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { tokenRetention } from '../../../src/authentication/verification/one-time-tokens.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { outbound } from '../../support/social/listen.ts'

let fake: FakeProvider
let t: TestApp
beforeAll(async () => {
  fake = await startProvider()
  const section = {
    clientId: 'client-1',
    clientSecret: 'secret-1',
    trustsEmail: true,
    jwksUrl: fake.jwksUrl,
    issuer: fake.state.issuer,
  }
  t = await testApp({
    config: {
      outbound,
      social: {
        google: { ...section, userinfoUrl: fake.endpoints.userinfoUrl, audiences: ['ios-client'] },
        microsoft: { ...section, issuer: undefined, tenantId: '11111111-2222-3333-4444-555555555555' },
        spotify: { clientId: 'x', clientSecret: 'y' },
        company: { clientId: 'client-1', discoveryUrl: `${fake.url}/.well-known/openid-configuration` },
      },
    },
  })
})
afterAll(async () => {
  await t.stop()
  await fake.stop()
})

const claims = (subject: string, email: string, more: JWTPayload = {}): JWTPayload => ({
  sub: subject,
  email,
  email_verified: true,
  name: 'Ida Token',
  jti: randomUUID(),
  ...more,
})
const sign = (...args: Parameters<FakeProvider['sign']>) => fake.sign(...args)
const signIn = (idToken: Record<string, unknown>, more: Record<string, unknown> = {}, client = t.client()) =>
  client.post('/sign-in/social', { provider: 'google', idToken, ...more })

test('an ID token of a provider signs in without a redirect, and a second token signs in the same user', async () => {
  const client = t.client()
  const token = await sign(claims('g-1', 'one@example.com'))
  const answer = await signIn({ token }, { callbackURL: '/account' }, client)
  expect(answer.json).toEqual({
    redirect: false,
    token: expect.stringMatching(/^\w{32}$/),
    user: expect.objectContaining({ email: 'one@example.com', emailVerified: true, name: 'Ida Token' }),
  })
  expect((await client.api.sessions.getSession())?.session.token).toBe(answer.json['token'])
  const later = await sign(claims('g-1', 'one@example.com'))
  expect((await signIn({ token: later })).json['user']).toMatchObject({ id: (answer.json['user'] as { id: string }).id })
})

test('an access token sent with the ID token is stored for the same account and stays when a later sign-in sends none', async () => {
  const client = t.client()
  const token = await sign(claims('g-2', 'two@example.com'))
  const later = await sign(claims('g-2', 'two@example.com'))
  fake.state.profile = claims('g-2', 'two@example.com')
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  await signIn({ token, accessToken: 'given-access', refreshToken: 'given-refresh', expiresAt }, { scopes: ['email'] }, client)
  await signIn({ token: later }, {}, client)
  expect((await client.post('/get-access-token', { providerId: 'google' })).json).toEqual({
    accessToken: 'given-access',
    accessTokenExpiresAt: new Date(expiresAt * 1000).toISOString(),
    scopes: ['email'],
    idToken: later,
  })
})

test('an access token of another account and any refresh token sent with an ID token are not stored', async () => {
  const client = t.client()
  const token = await sign(claims('g-20', 'twenty@example.com'))
  fake.state.profile = claims('g-21', 'another@example.com')
  await signIn({ token, accessToken: 'stolen-access', refreshToken: 'stolen-refresh' }, {}, client)
  const asked = fake.seen.tokens.length
  for (const path of ['/get-access-token', '/refresh-token'])
    expect((await client.post(path, { providerId: 'google' })).status).toBe(400)
  expect(fake.seen.tokens).toHaveLength(asked)
})

test('an access token whose hash is in the ID token is stored without a request to the provider', async () => {
  const client = t.client()
  const at_hash = createHash('sha256').update('named-access').digest().subarray(0, 16).toString('base64url')
  fake.state.profile = {}
  await signIn({ token: await sign(claims('g-26', 'named@example.com', { at_hash })), accessToken: 'named-access' }, {}, client)
  expect((await client.post('/get-access-token', { providerId: 'google' })).json['accessToken']).toBe('named-access')
})

testOnBoth('an ID token signs in once, and a refused sign-in does not use it up', async () => {
  const token = await sign(claims('g-22', 'once@example.com'))
  const answers = await Promise.all(Array.from({ length: 10 }, () => signIn({ token })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(new Set(answers.filter(({ status }) => status !== 200).map(({ json }) => json['code']))).toEqual(
    new Set(['INVALID_TOKEN']),
  )
  const [head, body, signature = ''] = token.split('.')
  expect((await signIn({ token: `${head}.${body}.${signature}=` })).json['code']).toBe('INVALID_TOKEN')
  const { knex } = t.app.core.db
  await t.signedIn('taken@example.com')
  await knex('user').where({ email: 'taken@example.com' }).update({ role: 'support' })
  const refused = await sign(claims('g-23', 'taken@example.com'))
  expect((await signIn({ token: refused })).json['code']).toBe('ACCOUNT_NOT_LINKED')
  await knex('user').where({ email: 'taken@example.com' }).delete()
  expect((await signIn({ token: refused })).status).toBe(200)
})

test('the record of a used ID token expires with the token', async () => {
  const { knex } = t.app.core.db
  const spent = async () => (await knex('verification').where('identifier', 'like', 'social:id-token:%')).length
  await signIn({ token: await sign(claims('g-24', 'sweep@example.com')) })
  expect(await spent()).toBeGreaterThan(0)
  t.clock.advance({ seconds: 3700 })
  await tokenRetention(t.app.core).sweep()
  expect(await spent()).toBe(0)
})

test('an ID token for several audiences must name one of our client ids as its authorized party', async () => {
  const audience = ['client-1', 'another']
  const to = async (azp: string | undefined) =>
    (await signIn({ token: await sign(claims('g-25', 'azp@example.com', azp === undefined ? {} : { azp }), { audience }) }))
      .status
  expect([await to(undefined), await to('another'), await to('client-1')]).toEqual([401, 401, 200])
})

test.each(['at+jwt', 'application/at+jwt', 'logout+jwt', 'secevent+jwt', 'dpop+jwt'])(
  'another token of the provider, of the type %s, is not accepted as an ID token',
  async (typ) => {
    const answer = await signIn({ token: await sign(claims('g-typed', 'typed@example.com'), { typ }) })
    expect([answer.status, answer.json['code']]).toEqual([401, 'INVALID_TOKEN'])
  },
)

test('a logout token without a type is not accepted as an ID token', async () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const answer = await signIn({ token: await sign(claims('g-typed', 'typed@example.com', { events })) })
  expect(answer.json['code']).toBe('INVALID_TOKEN')
})

test.each(['JWT', 'jwt', 'application/jwt'])('an ID token may have the type %s', async (typ) => {
  expect((await signIn({ token: await sign(claims('g-jwt', 'jwt@example.com'), { typ }) })).status).toBe(200)
})

test('an ID token for another client id is accepted when the configuration lists it', async () => {
  const token = await sign(claims('g-3', 'three@example.com'), { audience: 'ios-client' })
  expect((await signIn({ token })).status).toBe(200)
})

testOnBoth(
  "the nonce sent with an ID token must match the token's nonce, plain or as SHA-256, and may not be omitted",
  async () => {
    const plain = await sign(claims('g-4', 'four@example.com', { nonce: 'n-1' }))
    const hashed = await sign(claims('g-4', 'four@example.com', { nonce: createHash('sha256').update('n-1').digest('hex') }))
    const without = await sign(claims('g-4', 'four@example.com'))
    const other = await sign(claims('g-4', 'four@example.com', { nonce: 'n-1' }))
    expect((await signIn({ token: plain, nonce: 'n-1' })).status).toBe(200)
    expect((await signIn({ token: hashed, nonce: 'n-1' })).status).toBe(200)
    for (const idToken of [{ token: other, nonce: 'n-2' }, { token: other }, { token: without, nonce: 'n-1' }])
      expect((await signIn(idToken)).json).toEqual({ code: 'INVALID_TOKEN', message: 'invalid token' })
  },
)

test.each<[string, () => Promise<string>]>([
  ['of another issuer', () => sign(claims('g-5', 'five@example.com'), { issuer: 'https://evil.example' })],
  ['for another audience', () => sign(claims('g-5', 'five@example.com'), { audience: 'another' })],
  ['that has expired', () => sign(claims('g-5', 'five@example.com'), { issuedAt: Math.floor(Date.now() / 1000) - 4000 })],
  ['without a subject', () => sign({ email: 'five@example.com' })],
  [
    'signed with a secret instead of a key',
    () =>
      new SignJWT(claims('g-5', 'five@example.com'))
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .setIssuer(fake.state.issuer)
        .setAudience('client-1')
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode('secret-1'.repeat(8))),
  ],
  ['that is malformed', async () => 'nonsense'],
])('an ID token %s is refused', async (_, make) => {
  const answer = await signIn({ token: await make() })
  expect([answer.status, answer.json['code']]).toEqual([401, 'INVALID_TOKEN'])
})

testOnBoth(
  'only the configured Microsoft tenant is accepted, and an email address is verified only if Microsoft says so',
  async () => {
    const tid = '11111111-2222-3333-4444-555555555555'
    const issuer = `https://login.microsoftonline.com/${tid}/v2.0`
    const at = async (token: string) => t.client().post('/sign-in/social', { provider: 'microsoft', idToken: { token } })
    const unproven = await at(await sign({ sub: 'm-1', tid, email: 'ms@example.com' }, { issuer }))
    expect(unproven.json['user']).toMatchObject({ email: 'ms@example.com', emailVerified: false })
    const proven = await at(await sign({ sub: 'm-2', tid, email: 'ms2@example.com', xms_edov: true }, { issuer }))
    expect(proven.json['user']).toMatchObject({ emailVerified: true })
    const other = '99999999-2222-3333-4444-555555555555'
    const foreign = await sign(
      { sub: 'm-3', tid: other, email: 'ms@example.com' },
      { issuer: `https://login.microsoftonline.com/${other}/v2.0` },
    )
    expect((await at(foreign)).json['code']).toBe('INVALID_TOKEN')
    const mixed = await sign(
      { sub: 'm-3', tid, email: 'ms@example.com' },
      { issuer: `https://login.microsoftonline.com/${other}/v2.0` },
    )
    expect((await at(mixed)).json['code']).toBe('INVALID_TOKEN')
  },
)

test('a provider configured by discovery accepts ID tokens', async () => {
  const token = await sign(claims('c-1', 'company@example.com'), { issuer: fake.url })
  const answer = await t.client().post('/sign-in/social', { provider: 'company', idToken: { token } })
  expect(answer.json['user']).toMatchObject({ email: 'company@example.com' })
})

test('a provider without ID tokens is answered with ID_TOKEN_NOT_SUPPORTED', async () => {
  const answer = await t.client().post('/sign-in/social', { provider: 'spotify', idToken: { token: 'x' } })
  expect([answer.status, answer.json]).toEqual([404, { code: 'ID_TOKEN_NOT_SUPPORTED', message: 'id_token not supported' }])
})

test('an ID token without an email address is refused for a new user with "User email not found"', async () => {
  const answer = await signIn({ token: await sign({ sub: 'g-6' }) })
  expect([answer.status, answer.json]).toEqual([401, { code: 'USER_EMAIL_NOT_FOUND', message: 'User email not found' }])
})

test('the linking rules apply to ID tokens with the messages of a JSON response', async () => {
  await t.signedIn('held@example.com')
  const token = await sign(claims('g-7', 'held@example.com', { email_verified: false }))
  const answer = await signIn({ token })
  expect([answer.status, answer.json]).toEqual([401, { code: 'ACCOUNT_NOT_LINKED', message: 'account not linked' }])
})

testOnBoth('link-social links the account of an ID token at once and refuses an invalid token', async () => {
  const link = async (browser: Awaited<ReturnType<TestApp['signedIn']>>, body: JWTPayload, provider = 'google') =>
    browser.post('/link-social', { provider, idToken: { token: await sign(body) } })
  const [lin, max] = [await t.signedIn('lin@example.com'), await t.signedIn('max@example.com')]
  expect((await link(lin, claims('g-8', 'lin@example.com'))).json).toEqual({ url: '', redirect: false, status: true })
  expect((await link(lin, claims('g-8', 'lin@example.com'))).status).toBe(200)
  const signedIn = await signIn({ token: await sign(claims('g-8', 'lin@example.com')) })
  expect(signedIn.json['user']).toMatchObject({ email: 'lin@example.com' })
  expect((await t.client().post('/sign-in/email', { email: 'lin@example.com', password })).status).toBe(200)
  for (const [body, status, message] of [
    [claims('g-9', 'other@example.com'), 401, 'Account not linked - different emails not allowed'],
    [claims('g-9', 'max@example.com', { email_verified: false }), 401, 'Account not linked - linking not allowed'],
    [claims('g-8', 'max@example.com'), 400, 'Social account already linked'],
  ] as const) {
    const answer = await link(max, body)
    expect([answer.status, answer.json['message']]).toEqual([status, message])
  }
  expect((await link(max, claims('g-9', 'max@example.com'), 'nobody')).json['message']).toBe('Provider not found')
  expect((await link(max, claims('g-9', 'max@example.com'), 'spotify')).json['message']).toBe('id_token not supported')
})

testOnBoth('an ID token links one account once, on either of two nodes', async () => {
  const nia = await t.signedIn('nia@example.com')
  const other = await t.node()
  const there = other.client()
  for (const [name, value] of nia.cookies) there.cookies.set(name, value)
  const idToken = { token: await sign(claims('g-27', 'nia@example.com')) }
  const link = (client: typeof nia) => client.post('/link-social', { provider: 'google', idToken }, { origin: t.url })
  const answers = await Promise.all([nia, there, nia, there, nia, there].map(link))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.map(({ status, json }) => [status, json['code']])).toEqual(Array(5).fill([401, 'INVALID_TOKEN']))
  expect((await signIn(idToken)).json['code']).toBe('INVALID_TOKEN')
  const signedInWith = await sign(claims('g-27', 'nia@example.com'))
  expect((await signIn({ token: signedInWith })).status).toBe(200)
  expect((await nia.post('/link-social', { provider: 'google', idToken: { token: signedInWith } })).json['code']).toBe(
    'INVALID_TOKEN',
  )
  await other.stop()
})

testOnBoth('ten simultaneous sign-ins of one new user with ID tokens create one user', async () => {
  const tokens = await Promise.all(Array.from({ length: 10 }, () => sign(claims('g-10', 'ten@example.com'))))
  const answers = await Promise.all(tokens.map((token) => signIn({ token })))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(new Set(answers.map(({ json }) => (json['user'] as { id: string }).id)).size).toBe(1)
})
