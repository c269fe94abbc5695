import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { errorOf, signInAt, startAtProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'
import { goOn } from '../oidc/flow.ts'

/** The client's redirect URI at the identity provider. The tests follow its path here. */
const redirectUri = 'http://localhost:4321/callback/head-office'

let issuer: TestApp
let fake: FakeProvider
let t: TestApp
beforeAll(async () => {
  issuer = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  fake = await startProvider()
  const { client, secret } = await issuer.app.oidc.clients.register(systemPrincipal('test'), {
    name: 'Downstream',
    type: 'web',
    redirectUris: [redirectUri],
  })
  const section = { issuer: issuer.url, clientId: client.clientId, clientSecret: secret, redirectUri, name: 'Head office' }
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  t = await testApp({
    config: {
      outbound,
      social: {
        'head-office': { ...section, scopes, trustsEmail: true, authorizationParams: { prompt: 'consent' } },
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
  await issuer.stop()
  await fake.stop()
})

/** A person with an account at the other gatehouse. */
const personAt = async (email: string, verified = true): Promise<Client> => {
  const person = await issuer.signedIn(email, 'Ann Provider')
  if (verified) await issuer.app.core.db.knex('user').where({ email }).update({ email_verified: true })
  return person
}

/** From the authorization request to the path with which the browser returns. */
const through = async (person: Client, url: string): Promise<string> => {
  const { location } = await goOn(person, await person.request(url))
  if (location === null || !location.startsWith(redirectUri)) throw new Error(`the provider sent the browser to ${location}`)
  const back = new URL(location)
  return back.pathname + back.search
}

const start = { provider: 'head-office', callbackURL: '/account' }

test('a user signs in through a discovered OpenID provider with consent, ID token and nonce', async () => {
  const person = await personAt('ann@example.com')
  const client = t.client()
  const { url } = await startAtProvider(client, start)
  const sent = new URL(url).searchParams
  expect(`${new URL(url).origin}${new URL(url).pathname}`).toBe(`${issuer.url}/oauth2/authorize`)
  expect([sent.get('nonce')?.length, sent.get('code_challenge_method'), sent.get('scope')]).toEqual([
    32,
    'S256',
    'openid profile email offline_access',
  ])
  expect((await client.request(await through(person, url))).location).toBe('/account')
  const there = (await person.api.sessions.getSession())?.user
  expect((await client.api.sessions.getSession())?.user).toMatchObject({
    email: 'ann@example.com',
    name: 'Ann Provider',
    emailVerified: true,
  })
  const [account] = await t.app.core.db.knex('account').where({ provider_id: 'head-office' })
  expect(account.account_id).toBe(there?.id)
})

test('tokens of a discovered provider are refreshed, and the profile of the user is loaded', async () => {
  const person = await personAt('bea@example.com')
  const client = t.client()
  const { url } = await startAtProvider(client, start)
  await client.request(await through(person, url))
  const before = await client.post('/get-access-token', { providerId: 'head-office' })
  expect(before.json).toMatchObject({ accessToken: expect.any(String), idToken: expect.any(String) })
  const after = await client.post('/refresh-token', { providerId: 'head-office' })
  expect(after.json['accessToken']).not.toBe(before.json['accessToken'])
  const subject = (await person.api.sessions.getSession())?.user.id ?? ''
  const info = await client.post('/account-info', { accountId: subject })
  expect(info.json).toMatchObject({
    user: { id: subject, email: 'bea@example.com', emailVerified: true },
    data: { sub: subject },
  })
})

test('a user who denies consent at an OpenID provider is sent to the error page', async () => {
  const person = await personAt('cora@example.com')
  const client = t.client()
  const { url } = await startAtProvider(client, start)
  const { location } = await goOn(person, await person.request(url), false)
  const back = new URL(location ?? '')
  expect(errorOf(await client.request(back.pathname + back.search))).toBe('access_denied')
})

test('a code of another authorization request is refused because PKCE and nonce differ', async () => {
  const person = await personAt('dana@example.com')
  const [victim, attacker] = [t.client(), t.client()]
  const stolen = new URL(await through(person, (await startAtProvider(attacker, start)).url), t.url).searchParams
  const { state } = await startAtProvider(victim, start)
  const forged = `/callback/head-office?code=${stolen.get('code')}&state=${state}&iss=${encodeURIComponent(issuer.url)}`
  expect(errorOf(await victim.request(forged))).toBe('invalid_code')
  expect(await victim.api.sessions.getSession()).toBeNull()
})

test('a provider callback with another issuer is refused as a mix-up attack', async () => {
  const person = await personAt('elsa@example.com')
  const client = t.client()
  const { url } = await startAtProvider(client, start)
  const path = (await through(person, url)).replace(/iss=[^&]+/, `iss=${encodeURIComponent('https://evil.example')}`)
  expect(errorOf(await client.request(path))).toBe('unable_to_get_user_info')
})

test('a provider that cannot be discovered is answered with SERVICE_UNAVAILABLE', async () => {
  const answer = await t.client().post('/sign-in/social', { provider: 'away' })
  expect([answer.status, answer.json['code']]).toEqual([503, 'SERVICE_UNAVAILABLE'])
})

const odd = { provider: 'odd', callbackURL: '/account' }
const atOdd = async () => {
  const client = t.client()
  const { url } = await startAtProvider(client, odd)
  const answer = await fetch(url, { redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  return client.request(`/callback/odd${back.search}`)
}

test.each([
  ['another nonce', { claims: { sub: 'odd-1', nonce: 'another' } }],
  ['another issuer', { issuer: 'https://evil.example' }],
  ['another audience', { audience: 'another-client' }],
  ['no subject', { claims: { email: 'odd@example.com' } }],
  ['an invalid signature', { tokens: { id_token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6Im9uZSJ9.e30.AAAA' } }],
  ['a signature by another key', { forges: true }],
])('an ID token with %s gives no user', async (_, change) => {
  fake.state.audience = new URL((await startAtProvider(t.client(), odd)).url).searchParams.get('client_id') ?? ''
  expect((await atOdd()).location).toBe('/account')
  Object.assign(fake.state, { forges: false, ...change })
  expect(errorOf(await atOdd())).toBe('unable_to_get_user_info')
})

test('an OAuth 2.0 provider that is not built in is configured by its endpoints and profile fields', async () => {
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
