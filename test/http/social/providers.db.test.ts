import { decodeJwt, decodeProtectedHeader, exportPKCS8, generateKeyPair } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knownIds, knownProviders } from '../../../src/authentication/methods/federated/rules/known.ts'
import { sha256 } from '../../../src/core/crypto.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { atProvider, errorOf, signInAt, startAtProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { type Sample, samples } from '../../support/social/samples.ts'

let fake: FakeProvider
let t: TestApp
beforeAll(async () => {
  fake = await startProvider()
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const secrets = { apple: { teamId: 'TEAM123456', keyId: 'KEY1234567', privateKey: await exportPKCS8(privateKey) } }
  const sectionOf = ({ id, fromIdToken }: Sample) => {
    const { userinfoUrl, ...endpoints } = fake.endpoints
    return {
      ...endpoints,
      ...(fromIdToken ? {} : { userinfoUrl }),
      clientId: 'client-1',
      trustsEmail: true,
      ...(id === 'apple' ? secrets.apple : { clientSecret: 'secret-1' }),
      ...(knownProviders[id]?.idToken === undefined ? {} : { jwksUrl: fake.jwksUrl, issuer: fake.state.issuer }),
      placeholderEmailDomain: 'people.example.com',
    }
  }
  t = await testApp({ config: { outbound, social: Object.fromEntries(samples.map((sample) => [sample.id, sectionOf(sample)])) } })
})
afterAll(async () => {
  await t.stop()
  await fake.stop()
})

/** Sets the responses of the fake to those of the sample. */
const prepare = ({ id, profile, fromIdToken }: Sample) => {
  Object.assign(fake.state, { profileStatus: 200, tokenStatus: 200, back: id === 'vk' ? { device_id: 'device-9' } : {} })
  // Twitch sends scopes as a list.
  fake.state.tokens = id === 'twitch' ? { scope: ['user:read:email', 'openid'] } : {}
  fake.state.profile = fromIdToken ? { error: 'no such endpoint' } : profile
  fake.state.claims = fromIdToken ? (profile as Record<string, unknown>) : undefined
  fake.seen.tokens.length = 0
  fake.seen.profiles.length = 0
}

const signInAtSample = async (sample: Sample) => {
  prepare(sample)
  const client = t.client()
  const { url, state } = await startAtProvider(client, {
    provider: sample.id,
    callbackURL: '/account',
    loginHint: 'hint@example.com',
  })
  const back = new URL(await atProvider(url))
  if (sample.id === 'apple')
    back.searchParams.set('user', '{"name":{"firstName":"John","lastName":"Appleseed"},"email":"evil@example.com"}')
  return { client, state, sent: new URL(url).searchParams, answer: await client.request(back.href) }
}

test('every built-in provider has a sample or a fake', () => {
  expect([...samples.map(({ id }) => id), 'github'].sort()).toEqual(knownIds)
})

test.each(samples)('$id gets the documented requests, and its profile becomes a user', async (sample) => {
  const { client, state, sent, answer } = await signInAtSample(sample)
  expect(answer.location).toBe('/account')

  expect(Object.fromEntries(sent)).toEqual({
    response_type: 'code',
    [sample.auth === 'client_key' ? 'client_key' : 'client_id']: 'client-1',
    redirect_uri: `${t.url}/callback/${sample.id}`,
    state,
    ...(sample.scope === null ? {} : { scope: sample.scope }),
    login_hint: 'hint@example.com',
    ...sample.authorize,
    ...(sample.pkce ? { code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: 'S256' } : {}),
    ...(sample.fromIdToken ? { nonce: expect.stringMatching(/^\w{32}$/) } : {}),
  })

  const [request] = fake.seen.tokens
  const { client_secret: secret, ...body } = request?.body ?? {}
  expect(body).toEqual({
    grant_type: 'authorization_code',
    code: expect.any(String),
    redirect_uri: `${t.url}/callback/${sample.id}`,
    ...(sample.auth === 'post' ? { client_id: 'client-1' } : sample.auth === 'client_key' ? { client_key: 'client-1' } : {}),
    ...(sample.pkce ? { code_verifier: expect.stringMatching(/^\w{128}$/) } : {}),
    ...(sample.id === 'vk' ? { device_id: 'device-9', state } : {}),
  })
  const basic = `Basic ${Buffer.from('client-1:secret-1').toString('base64')}`
  expect(request?.headers.authorization).toBe(sample.auth === 'basic' ? basic : undefined)
  if (sample.id !== 'apple') expect(secret).toBe(sample.auth === 'basic' ? undefined : 'secret-1')

  if (sample.fromIdToken) expect(fake.seen.profiles).toEqual([])
  else {
    const [asked] = fake.seen.profiles
    const isForm = sample.asks === 'form'
    expect([asked?.method, asked?.headers.authorization?.split(' ')[0]]).toEqual([
      sample.asks === 'POST' || isForm ? 'POST' : 'GET',
      isForm ? undefined : 'Bearer',
    ])
    if (isForm) expect(asked?.body).toEqual({ access_token: expect.stringMatching(/^access-/), client_id: 'client-1' })
  }

  const { id, name, email, verified, image } = sample.user
  const session = await client.api.sessions.getSession()
  expect(session?.user).toMatchObject({
    name,
    image,
    emailVerified: verified,
    email: email ?? expect.stringMatching(new RegExp(`^${sample.id}-[0-9a-f]{24}@people\\.example\\.com$`)),
  })
  const row = await t.app.core.db.knex('account').where({ provider_id: sample.id }).first()
  expect([row.account_id, row.user_id]).toEqual([id, session?.user.id])
})

test.each(samples)('$id gets the documented refresh request, and its profile is loaded again', async (sample) => {
  const { client } = await signInAtSample(sample)
  fake.seen.tokens.length = 0
  const answer = await client.post('/refresh-token', { providerId: sample.id })
  if (sample.refreshes === false) {
    expect(answer.json).toEqual({
      code: `PROVIDER_${sample.id.toUpperCase()}_DOES_NOT_SUPPORT_TOKEN_REFRESHING`,
      message: `Provider ${sample.id} does not support token refreshing.`,
    })
  } else {
    expect(answer.json).toMatchObject({
      accessToken: expect.stringMatching(/^access-/),
      refreshToken: expect.stringMatching(/^refresh-/),
    })
    expect(fake.seen.tokens[0]?.body).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: expect.stringMatching(/^refresh-/),
      ...(sample.id === 'vk' ? { device_id: 'device-9' } : {}),
    })
  }
  const info = await client.post('/account-info', { accountId: sample.user.id })
  expect(info.json).toMatchObject({
    user: { id: sample.user.id, email: sample.user.email ?? null, emailVerified: sample.user.verified },
  })
})

test('the client secret for Apple is signed for each use and lives five minutes', async () => {
  const apple = samples.find(({ id }) => id === 'apple')
  if (apple === undefined) throw new Error('no sample')
  await signInAtSample(apple)
  const secret = fake.seen.tokens[0]?.body['client_secret'] ?? ''
  expect(decodeProtectedHeader(secret)).toEqual({ alg: 'ES256', kid: 'KEY1234567' })
  const claims = decodeJwt(secret)
  expect(claims).toMatchObject({ iss: 'TEAM123456', sub: 'client-1', aud: 'https://appleid.apple.com' })
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300)
})

test('a profile without an email address is reported as email_not_found unless placeholder addresses are configured', async () => {
  const section = { ...fake.endpoints, clientId: 'client-1', clientSecret: 'secret-1' }
  const plain = await testApp({ config: { outbound, social: { reddit: section } } })
  const reddit = samples.find(({ id }) => id === 'reddit')
  if (reddit === undefined) throw new Error('no sample')
  prepare(reddit)
  expect(errorOf(await signInAt(plain.client(), { provider: 'reddit' }))).toBe('email_not_found')
  await plain.stop()
})

test("a sign-up with a person's placeholder address does not keep the person out of a provider without email addresses", async () => {
  const reddit = samples.find(({ id }) => id === 'reddit')
  if (reddit === undefined) throw new Error('no sample')
  const profile = { ...(reddit.profile as object), id: 'a-known-id' }
  const guess = `reddit-${sha256('a-known-id').slice(0, 24)}@people.example.com`
  await t.signedIn(guess)
  const { client, answer } = await signInAtSample({ ...reddit, profile })
  expect(errorOf(answer)).toBeNull()
  const { email } = (await client.api.sessions.getSession())?.user ?? {}
  expect([email?.endsWith('@people.example.com'), email === guess]).toEqual([true, false])
})

test.each([
  ['a malformed address', { email: 'not an address' }, 'email_not_found'],
  ['no id', { id: undefined }, 'unable_to_get_user_info'],
  ['an id of 300 characters', { id: 'x'.repeat(300) }, 'unable_to_get_user_info'],
])('a profile with %s is refused', async (_, change, error) => {
  const section = { ...fake.endpoints, clientId: 'client-1', clientSecret: 'secret-1' }
  const plain = await testApp({ config: { outbound, social: { discord: section } } })
  const discord = samples.find(({ id }) => id === 'discord')
  if (discord === undefined) throw new Error('no sample')
  prepare({ ...discord, profile: { ...(discord.profile as object), ...change } })
  expect(errorOf(await signInAt(plain.client(), { provider: 'discord' }))).toBe(error)
  await plain.stop()
})

test('control characters in a name, and a picture URL without https, are removed', async () => {
  const discord = samples.find(({ id }) => id === 'discord')
  if (discord === undefined) throw new Error('no sample')
  const section = { ...fake.endpoints, clientId: 'client-1', clientSecret: 'secret-1', claims: { id: 'id', image: 'avatar' } }
  const other = await testApp({ config: { outbound, social: { other: section } } })
  prepare(discord)
  fake.state.profile = {
    id: 'x',
    email: 'odd@example.com',
    name: `${'\u0000'} ${'n'.repeat(400)}`,
    avatar: 'javascript:alert(1)',
  }
  const client = other.client()
  await signInAt(client, { provider: 'other' })
  expect((await client.api.sessions.getSession())?.user).toMatchObject({
    name: 'n'.repeat(200),
    image: null,
    emailVerified: false,
  })
  await other.stop()
})

test('an error of the token endpoint is reported as invalid_code, and an error of the profile endpoint as unable_to_get_user_info', async () => {
  const zoom = samples.find(({ id }) => id === 'zoom')
  if (zoom === undefined) throw new Error('no sample')
  prepare(zoom)
  fake.state.tokenStatus = 401
  expect(errorOf(await signInAt(t.client(), { provider: 'zoom' }))).toBe('invalid_code')
  Object.assign(fake.state, { tokenStatus: 200, profileStatus: 500 })
  expect(errorOf(await signInAt(t.client(), { provider: 'zoom' }))).toBe('unable_to_get_user_info')
})

test('a code of one provider is not sent to another provider', async () => {
  const [zoom] = samples.filter(({ id }) => id === 'zoom')
  if (zoom === undefined) throw new Error('no sample')
  prepare(zoom)
  const client = t.client()
  const { url } = await startAtProvider(client, { provider: 'zoom' })
  const back = (await atProvider(url)).replace('/callback/zoom', '/callback/spotify')
  expect(errorOf(await client.request(back))).toBe('please_restart_the_process')
  expect(fake.seen.tokens).toEqual([])
})
