import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { depart, errorOf, signInAt } from '../../support/social/journey.ts'
import { outbound } from '../../support/social/listen.ts'
import { goOn } from '../oidc/flow.ts'

/** Where the client at the upstream is registered to return to; the path is what the browser follows here. */
const redirectUri = 'http://localhost:4321/callback/upstream'

let upstream: TestApp
let fake: FakeProvider
let t: TestApp
beforeAll(async () => {
  upstream = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  fake = await startProvider()
  const { client, secret } = await upstream.app.oidc.clients.register({
    name: 'Downstream',
    type: 'web',
    redirectUris: [redirectUri],
  })
  const section = { issuer: upstream.url, clientId: client.clientId, clientSecret: secret, redirectUri, name: 'Head office' }
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  t = await testApp({
    config: {
      outbound,
      social: {
        upstream: { ...section, scopes, trustsEmail: true, authorizationParams: { prompt: 'consent' } },
        odd: { ...section, issuer: undefined, discoveryUrl: `${fake.url}/.well-known/openid-configuration` },
        away: { ...section, issuer: 'http://127.0.0.1:9' },
      },
    },
  })
})
beforeEach(() => {
  Object.assign(fake.state, {
    claims: { sub: 'odd-1', email: 'odd@example.com', email_verified: true },
    tokens: {},
    issuer: fake.url,
    forges: false,
  })
})
afterAll(async () => {
  await t.stop()
  await upstream.stop()
  await fake.stop()
})

/** A person with an account at the upstream gatehouse. */
const personAt = async (email: string, verified = true): Promise<Client> => {
  const person = await upstream.signedIn(email, 'Ann Upstream')
  if (verified) await upstream.app.core.db.knex('user').where({ email }).update({ email_verified: true })
  return person
}

/** From the authorization request to the path that the browser comes back with. */
const through = async (person: Client, url: string): Promise<string> => {
  const { location } = await goOn(person, await person.request(url))
  if (location === null || !location.startsWith(redirectUri)) throw new Error(`the upstream sent the browser to ${location}`)
  const back = new URL(location)
  return back.pathname + back.search
}

const begin = { provider: 'upstream', callbackURL: '/account' }

test('a person signs in at another gatehouse: discovered, consented, ID token and nonce verified', async () => {
  const person = await personAt('ann@example.com')
  const client = t.client()
  const { url } = await depart(client, begin)
  const sent = new URL(url).searchParams
  expect(`${new URL(url).origin}${new URL(url).pathname}`).toBe(`${upstream.url}/oauth2/authorize`)
  expect([sent.get('nonce')?.length, sent.get('code_challenge_method'), sent.get('scope')]).toEqual([
    32,
    'S256',
    'openid profile email offline_access',
  ])
  expect((await client.request(await through(person, url))).location).toBe('/account')
  const there = (await person.api.sessions.getSession())?.user
  expect((await client.api.sessions.getSession())?.user).toMatchObject({
    email: 'ann@example.com',
    name: 'Ann Upstream',
    emailVerified: true,
  })
  const [account] = await t.app.core.db.knex('account').where({ provider_id: 'upstream' })
  expect(account.account_id).toBe(there?.id)
})

test('its tokens are refreshed there, and the profile is asked for there', async () => {
  const person = await personAt('bea@example.com')
  const client = t.client()
  const { url } = await depart(client, begin)
  await client.request(await through(person, url))
  const before = await client.post('/get-access-token', { providerId: 'upstream' })
  expect(before.json).toMatchObject({ accessToken: expect.any(String), idToken: expect.any(String) })
  const after = await client.post('/refresh-token', { providerId: 'upstream' })
  expect(after.json['accessToken']).not.toBe(before.json['accessToken'])
  const subject = (await person.api.sessions.getSession())?.user.id ?? ''
  const info = await client.post('/account-info', { accountId: subject })
  expect(info.json).toMatchObject({
    user: { id: subject, email: 'bea@example.com', emailVerified: true },
    data: { sub: subject },
  })
})

test('a person who refuses there comes to the error page here', async () => {
  const person = await personAt('cora@example.com')
  const client = t.client()
  const { url } = await depart(client, begin)
  const { location } = await goOn(person, await person.request(url), false)
  const back = new URL(location ?? '')
  expect(errorOf(await client.request(back.pathname + back.search))).toBe('access_denied')
})

test('a code from somebody else’s journey is refused, because PKCE and nonce are of another', async () => {
  const person = await personAt('dana@example.com')
  const [victim, attacker] = [t.client(), t.client()]
  const stolen = new URL(await through(person, (await depart(attacker, begin)).url), t.url).searchParams
  const { state } = await depart(victim, begin)
  const forged = `/callback/upstream?code=${stolen.get('code')}&state=${state}&iss=${encodeURIComponent(upstream.url)}`
  expect(errorOf(await victim.request(forged))).toBe('invalid_code')
  expect(await victim.api.sessions.getSession()).toBeNull()
})

test('an answer that names another issuer is refused (mix-up)', async () => {
  const person = await personAt('elsa@example.com')
  const client = t.client()
  const { url } = await depart(client, begin)
  const path = (await through(person, url)).replace(/iss=[^&]+/, `iss=${encodeURIComponent('https://evil.example')}`)
  expect(errorOf(await client.request(path))).toBe('unable_to_get_user_info')
})

test('a provider that cannot be discovered is unavailable, not an error of ours', async () => {
  const answer = await t.client().post('/sign-in/social', { provider: 'away' })
  expect([answer.status, answer.json['code']]).toEqual([503, 'SERVICE_UNAVAILABLE'])
})

const odd = { provider: 'odd', callbackURL: '/account' }
const atOdd = async () => {
  const client = t.client()
  const { url } = await depart(client, odd)
  const answer = await fetch(url, { redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  return client.request(`/callback/odd${back.search}`)
}

test.each([
  ['another nonce', { claims: { sub: 'odd-1', nonce: 'another' } }],
  ['another issuer', { issuer: 'https://evil.example' }],
  ['another audience', { audience: 'another-client' }],
  ['no subject', { claims: { email: 'odd@example.com' } }],
  ['a signature of nobody', { tokens: { id_token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6Im9uZSJ9.e30.AAAA' } }],
  ['a signature that does not fit what it says', { forges: true }],
])('an ID token with %s gives no user', async (_, change) => {
  fake.state.audience = new URL((await depart(t.client(), odd)).url).searchParams.get('client_id') ?? ''
  expect((await atOdd()).location).toBe('/account')
  Object.assign(fake.state, { forges: false, ...change })
  expect(errorOf(await atOdd())).toBe('unable_to_get_user_info')
})

test('a provider of OAuth 2.0 that no table knows is configured by its addresses and the fields of its profile', async () => {
  const section = {
    ...fake.endpoints,
    clientId: 'client-1',
    clientSecret: 'secret-1',
    clientAuth: 'basic',
    trustsEmail: true,
    scopes: ['me'],
    claims: { id: 'person.number', name: 'person.call', email: 'mail.0.value', emailVerified: 'mail.0.proven', image: 'photo' },
  }
  const other = await testApp({ config: { outbound, social: { 'my-company': section } } })
  Object.assign(fake.state, { claims: undefined, tokens: {}, profileStatus: 200 })
  fake.state.profile = {
    person: { number: 7, call: 'Seven' },
    mail: [{ value: 'seven@example.com', proven: true }],
    photo: 'https://i.example/7',
  }
  const client = other.client()
  expect((await signInAt(client, { provider: 'my-company', callbackURL: '/account' })).location).toBe('/account')
  expect((await client.api.sessions.getSession())?.user).toMatchObject({
    name: 'Seven',
    email: 'seven@example.com',
    emailVerified: true,
    image: 'https://i.example/7',
  })
  expect([fake.seen.authorize.get('scope'), fake.seen.authorize.get('code_challenge_method')]).toEqual(['me', 'S256'])
  await other.stop()
})
