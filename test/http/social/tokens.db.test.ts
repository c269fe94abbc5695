import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'

let github: FakeGitHub
let fake: FakeProvider
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  fake = await startProvider()
  const section = { ...fake.endpoints, clientId: 'client-1', clientSecret: 'secret-1' }
  t = await testApp({ config: { outbound, social: { github: github.section, facebook: section, spotify: section } } })
})
beforeEach(() => {
  Object.assign(github.state, { expiring: true, rateLimited: false, slowTokenMs: 0 })
  Object.assign(fake.state, { tokens: {}, tokenStatus: 200, profileStatus: 200, delayMs: 0 })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
  await fake.stop()
})

let next = 5000
/** A browser in which a new user signed in through GitHub. */
const newUser = async (): Promise<Client> => {
  next += 1
  github.state.person = githubPerson(next, `tokens${next}@example.com`)
  const client = t.client()
  await signInAt(client, { provider: 'github', callbackURL: '/account' })
  return client
}
const choice = { providerId: 'github' }
const rowOf = (id = next) =>
  t.app.core.db
    .knex('account')
    .where({ provider_id: 'github', account_id: String(id) })
    .first()

test('a valid access token of a provider is returned without a refresh', async () => {
  const client = await newUser()
  const refreshes = github.counts.refreshes
  const answer = await client.post('/get-access-token', choice)
  expect(answer.json).toEqual({
    accessToken: expect.stringMatching(/^ghu_/),
    accessTokenExpiresAt: expect.stringMatching(/Z$/),
    scopes: ['read:user', 'user:email'],
  })
  expect(github.counts.refreshes).toBe(refreshes)
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test('stored provider tokens are sealed and cannot be opened from another row', async () => {
  const client = await newUser()
  const { json } = await client.post('/refresh-token', choice)
  const dump = JSON.stringify(await t.app.core.db.knex('account'))
  expect(dump).not.toMatch(/gh[uor]_/)
  expect(dump).not.toContain(String(json['accessToken']))
  const { access_token: sealed } = await rowOf()
  expect(sealed).toMatch(/^01[0-9a-f]{80,}$/)
  const victim = await newUser()
  await t.app.core.db
    .knex('account')
    .where({ account_id: String(next) })
    .update({ access_token: sealed })
  expect((await victim.post('/get-access-token', choice)).status).toBe(500)
})

test('an access token is refreshed in the last five seconds of its life and not earlier', async () => {
  const client = await newUser()
  const first = await client.post('/get-access-token', choice)
  t.clock.advance({ seconds: 28_800 - 8 })
  expect((await client.post('/get-access-token', choice)).json['accessToken']).toBe(first.json['accessToken'])
  t.clock.advance({ seconds: 4 })
  const second = await client.post('/get-access-token', choice)
  expect(second.json['accessToken']).not.toBe(first.json['accessToken'])
  expect((await client.post('/get-access-token', choice)).json['accessToken']).toBe(second.json['accessToken'])
})

testOnBoth(
  'of twenty simultaneous callers on two nodes one refreshes the access token, and all receive the new token',
  async () => {
    const client = await newUser()
    const other = await t.node()
    t.clock.advance({ hours: 9 })
    github.state.slowTokenMs = 200
    const refreshes = github.counts.refreshes
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const copy = i % 2 === 0 ? t.client() : other.client()
        for (const [name, value] of client.cookies) copy.cookies.set(name, value)
        return copy.post('/get-access-token', choice, { origin: t.url })
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(answers.map(({ json }) => json['accessToken'])).size).toBe(1)
    expect(github.counts.refreshes - refreshes).toBe(1)
    await other.stop()
  },
)

testOnBoth('ten simultaneous calls of refresh-token make one refresh', async () => {
  const client = await newUser()
  github.state.slowTokenMs = 150
  const refreshes = github.counts.refreshes
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.post('/refresh-token', choice)))
  expect(new Set(answers.map(({ json }) => json['refreshToken'])).size).toBe(1)
  expect(github.counts.refreshes - refreshes).toBe(1)
  expect(answers[0]?.json).toMatchObject({
    accessToken: expect.stringMatching(/^ghu_/),
    refreshToken: expect.stringMatching(/^ghr_/),
    accessTokenExpiresAt: expect.any(String),
    refreshTokenExpiresAt: expect.any(String),
    scopes: ['read:user', 'user:email'],
  })
})

testOnBoth(
  'all callers receive an error when the user has withdrawn the grant at the provider, and the next call tries again',
  async () => {
    const client = await newUser()
    github.revokeAll()
    t.clock.advance({ hours: 9 })
    github.state.slowTokenMs = 100
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.post('/get-access-token', choice)))
    for (const answer of answers)
      expect([answer.status, answer.json]).toEqual([
        400,
        { code: 'FAILED_TO_GET_A_VALID_ACCESS_TOKEN', message: 'Failed to get a valid access token' },
      ])
    expect((await rowOf()).refresh_claimed_until).toBeNull()
    const refused = await client.post('/refresh-token', choice)
    expect([refused.status, refused.json]).toEqual([
      400,
      { code: 'FAILED_TO_REFRESH_ACCESS_TOKEN', message: 'Failed to refresh access token' },
    ])
  },
)

test('a node that dies during a refresh blocks other callers at most as long as its claim lasts', async () => {
  const client = await newUser()
  await t.app.core.db
    .knex('account')
    .where({ account_id: String(next) })
    .update({ refresh_claimed_until: new Date(Date.now() + 15_000) })
  t.clock.advance({ seconds: 16 })
  expect((await client.post('/refresh-token', choice)).status).toBe(200)
})

test('the old refresh token stays when a refresh returns no new refresh token', async () => {
  fake.state.profile = { id: 'keeper', display_name: 'Keeper', email: 'keeper@example.com' }
  const client = t.client()
  await signInAt(client, { provider: 'spotify' })
  const first = await client.post('/refresh-token', { providerId: 'spotify' })
  fake.state.tokens = { refresh_token: undefined, scope: undefined }
  const second = await client.post('/refresh-token', { providerId: 'spotify' })
  expect(second.json['refreshToken']).toBe(first.json['refreshToken'])
  expect(second.json['scopes']).toEqual(['user-read-email'])
})

test('access tokens without expiry are returned and cannot be refreshed', async () => {
  github.state.expiring = false
  const client = await newUser()
  const answer = await client.post('/get-access-token', choice)
  expect(answer.json).toEqual({ accessToken: expect.stringMatching(/^gho_/), scopes: ['read:user', 'user:email'] })
  expect((await client.post('/refresh-token', choice)).json['code']).toBe('FAILED_TO_REFRESH_ACCESS_TOKEN')
})

test('an expired access token without a refresh token is not returned', async () => {
  fake.state.profile = { id: 'fb-1', name: 'Face', email: 'face@example.com' }
  const client = t.client()
  await signInAt(client, { provider: 'facebook' })
  expect((await client.post('/get-access-token', { providerId: 'facebook' })).status).toBe(200)
  t.clock.advance({ hours: 2 })
  expect((await client.post('/get-access-token', { providerId: 'facebook' })).json['code']).toBe(
    'FAILED_TO_GET_A_VALID_ACCESS_TOKEN',
  )
})

test.each(['/get-access-token', '/refresh-token'])(
  '%s checks the provider first, then the account, then whether the account can be refreshed',
  async (path) => {
    const client = await t.signedIn(`order${path.length}@example.com`)
    const at = async (body: Record<string, unknown>) => (await client.post(path, body)).json
    expect(await at({ providerId: 'zzz' })).toEqual({
      code: 'PROVIDER_ZZZ_IS_NOT_SUPPORTED',
      message: 'Provider zzz is not supported.',
    })
    expect(await at({ providerId: 'credential' })).toMatchObject({ message: 'Provider credential is not supported.' })
    for (const providerId of ['github', 'facebook'])
      expect(await at({ providerId })).toEqual({ code: 'ACCOUNT_NOT_FOUND', message: 'Account not found' })
    expect((await t.client().post(path, { providerId: 'github', userId: 'somebody' })).status).toBe(401)
  },
)

test('a provider account is found by its provider id or its row id, and only for its owner', async () => {
  const client = await newUser()
  const { id } = await rowOf()
  for (const accountId of [id, String(next)])
    expect((await client.post('/get-access-token', { ...choice, accountId })).status).toBe(200)
  const owner = (await client.api.sessions.getSession())?.user.id
  const otherUser = await newUser()
  const mine = await otherUser.post('/get-access-token', choice)
  expect((await otherUser.post('/get-access-token', { ...choice, userId: owner })).json).toEqual(mine.json)
  for (const accountId of [id, String(next - 1)]) {
    expect((await otherUser.post('/get-access-token', { ...choice, accountId })).json['code']).toBe('ACCOUNT_NOT_FOUND')
    expect((await otherUser.post('/account-info', { accountId })).json['code']).toBe('ACCOUNT_NOT_FOUND')
  }
})

test("an operator's call for provider tokens without a user id is refused", async () => {
  const client = await newUser()
  const userId = (await client.api.sessions.getSession())?.user.id ?? ''
  const { tokens } = t.app.social
  expect(await tokens.accessToken(systemPrincipal('test'), { ...choice, userId })).toMatchObject({
    accessToken: expect.any(String),
  })
  await expect(tokens.accessToken(systemPrincipal('test'), choice)).rejects.toMatchObject({
    code: 'EITHER_USERID_OR_SESSION_IS_REQUIRED',
    message: 'Either userId or session is required',
  })
})

test('account-info returns the current profile of the provider', async () => {
  const client = await newUser()
  github.state.person = undefined
  const info = await client.post('/account-info', { accountId: String(next) })
  expect(info.json).toEqual({
    user: {
      id: String(next),
      name: `Person ${next}`,
      email: `tokens${next}@example.com`,
      emailVerified: true,
      image: `https://avatars.githubusercontent.com/u/${next}?v=4`,
    },
    data: expect.objectContaining({ login: `person-${next}` }),
    account: { id: (await rowOf()).id, providerId: 'github', accountId: String(next) },
  })
  for (const accountId of [String(next), (await rowOf()).id])
    expect((await client.request(`/account-info?accountId=${accountId}`)).json).toEqual(info.json)
  github.state.rateLimited = true
  const limited = await client.post('/account-info', { accountId: String(next) })
  expect([limited.status, limited.json['code']]).toEqual([400, 'FAILED_TO_GET_USER_INFO'])
})

test('account-info refuses a profile of another account', async () => {
  fake.state.profile = { id: 'me', display_name: 'Me', email: 'me@example.com' }
  const client = t.client()
  await signInAt(client, { provider: 'spotify' })
  fake.state.profile = { id: 'somebody-else', display_name: 'Else', email: 'else@example.com' }
  expect((await client.post('/account-info', { accountId: 'me' })).json['code']).toBe('FAILED_TO_GET_USER_INFO')
})
