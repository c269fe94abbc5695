import { afterAll, beforeAll, expect } from 'vitest'
import { tokenRetention } from '../../../src/authentication/verification/one-time-tokens.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, errorOf, signInAt, startAtProvider } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'

let github: FakeGitHub
let t: TestApp
beforeAll(async () => {
  github = await startGitHub()
  t = await testApp({ config: { outbound, trustedOrigins: ['https://app.example.com'], social: { github: github.section } } })
})
afterAll(async () => {
  await t.stop()
  await github.stop()
})

const start = { provider: 'github', callbackURL: '/account' }
let next = 100
/** Signs a new person in at GitHub. */
const newPerson = () => {
  next += 1
  github.state.person = githubPerson(next, `person${next}@example.com`)
}
const cookieOf = (lines: readonly string[]) => lines.find((line) => line.startsWith('gatehouse.social=')) ?? ''

test('a state is accepted once, and a second callback with the state is please_restart_the_process', async () => {
  newPerson()
  const client = t.client()
  const { url } = await startAtProvider(client, start)
  const back = await atProvider(url)
  expect((await client.request(back)).location).toBe('/account')
  expect(errorOf(await client.request(back))).toBe('please_restart_the_process')
})

testOnBoth(
  'a state is bound to the browser that started the sign-in, and another browser can neither use it nor use it up',
  async () => {
    newPerson()
    const [victim, attacker] = [t.client(), t.client()]
    const { url } = await startAtProvider(victim, start)
    await startAtProvider(attacker, start)
    const back = await atProvider(url)
    for (const other of [attacker, t.client()]) {
      expect(errorOf(await other.request(back))).toBe('please_restart_the_process')
      expect(await other.api.sessions.getSession()).toBeNull()
    }
    expect((await victim.request(back)).location).toBe('/account')
  },
)

test('the cookie that binds a state is signed, HttpOnly and lives as long as the state', async () => {
  newPerson()
  const client = t.client()
  const answer = await client.post('/sign-in/social', start)
  expect(cookieOf(answer.headers.getSetCookie())).toMatch(
    /^gatehouse\.social=[A-Za-z0-9]{32}\.[^;]{44,}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const back = await atProvider(String(answer.json['url']))
  const forged = t.client()
  const value = client.cookies.get('gatehouse.social') ?? ''
  forged.cookies.set('gatehouse.social', `${value.split('.')[0]}.${'A'.repeat(43)}=`)
  expect(errorOf(await forged.request(back))).toBe('please_restart_the_process')
})

test('a session cookie is not accepted as the cookie that binds a state', async () => {
  newPerson()
  const client = await t.signedIn(`person${next}-signed@example.com`)
  const session = client.cookies.get('gatehouse.session') ?? ''
  const odd = t.client()
  odd.cookies.set('gatehouse.social', session)
  await startAtProvider(odd, start)
  expect(odd.cookies.get('gatehouse.social')).not.toBe(session)
})

test('one browser can sign in at a provider in two tabs at the same time', async () => {
  newPerson()
  const client = t.client()
  const [first, second] = [
    await startAtProvider(client, start),
    await startAtProvider(client, { ...start, callbackURL: '/account/sessions' }),
  ]
  expect((await client.request(await atProvider(second.url))).location).toBe('/account/sessions')
  expect((await client.request(await atProvider(first.url))).location).toBe('/account')
})

test('a state expires after ten minutes and is then deleted', async () => {
  newPerson()
  const client = t.client()
  const { url } = await startAtProvider(client, start)
  const back = await atProvider(url)
  const count = async () => Number((await t.app.core.db.knex('verification').count({ n: '*' }).first())?.['n'])
  const before = await count()
  expect(before).toBeGreaterThan(0)
  t.clock.advance({ minutes: 10, seconds: 1 })
  expect(errorOf(await client.request(back))).toBe('please_restart_the_process')
  await tokenRetention(t.app.core).sweep()
  expect(await count()).toBe(0)
})

test('the stored row of a state contains neither the state nor the code verifier in plain text', async () => {
  newPerson()
  const client = t.client()
  const { url, state } = await startAtProvider(client, start)
  const rows = JSON.stringify(await t.app.core.db.knex('verification'))
  expect(rows).not.toContain(state)
  expect(rows).not.toContain('/account')
  await client.request(await atProvider(url))
  expect(rows).not.toContain(github.last.token.get('code_verifier'))
})

testOnBoth('of twenty simultaneous callbacks with one state one signs in', async () => {
  newPerson()
  const client = t.client()
  const { url } = await startAtProvider(client, start)
  const back = await atProvider(url)
  const redeemed = github.counts.tokens
  const other = await t.node()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => {
      const copy = i % 2 === 0 ? t.client() : other.client()
      for (const [name, value] of client.cookies) copy.cookies.set(name, value)
      return copy.request(new URL(back).pathname + new URL(back).search)
    }),
  )
  expect(answers.filter(({ location }) => location === '/account')).toHaveLength(1)
  expect(answers.filter((answer) => errorOf(answer) === 'please_restart_the_process')).toHaveLength(19)
  expect(github.counts.tokens - redeemed).toBe(1)
  await other.stop()
})

testOnBoth('ten simultaneous sign-ins of one new person create one user', async () => {
  newPerson()
  const clients = Array.from({ length: 10 }, () => t.client())
  const answers = await Promise.all(clients.map((client) => signInAt(client, start)))
  expect(answers.map(({ location }) => location)).toEqual(Array(10).fill('/account'))
  const sessions = await Promise.all(clients.map((client) => client.api.sessions.getSession()))
  expect(new Set(sessions.map((session) => session?.user.id)).size).toBe(1)
})

test('callback errors are checked in the order provider error, missing state, unknown state, missing code', async () => {
  const client = t.client()
  const at = async (query: string, id = 'github') => errorOf(await client.request(`/callback/${id}?${query}`))
  expect(await at('error=server_error&state=x')).toBe('server_error')
  expect(await at('code=x')).toBe('state_not_found')
  expect(await at('')).toBe('state_not_found')
  expect(await at('code=x&state=unknown')).toBe('please_restart_the_process')
  const { state } = await startAtProvider(client, start)
  expect(await at(`state=${state}`)).toBe('no_code')
})

test('a provider error without a description is passed on without one, and uses up the state', async () => {
  const client = t.client()
  const { state } = await startAtProvider(client, start)
  const answer = await client.request(`/callback/github?error=access_denied&state=${state}`)
  expect(answer.location).toBe(`${t.url}/error?error=access_denied`)
  expect(errorOf(await client.request(`/callback/github?code=x&state=${state}`))).toBe('please_restart_the_process')
})

test('a callback of a provider that is not configured sends oauth_provider_not_found to the errorCallbackURL', async () => {
  const client = t.client()
  const { state } = await startAtProvider(client, { ...start, errorCallbackURL: 'https://app.example.com/failed?x=1' })
  const answer = await client.request(`/callback/google?code=x&state=${state}`)
  expect(answer.location).toBe('https://app.example.com/failed?x=1&error=oauth_provider_not_found')
})

test('an internal error in the callback redirects to the error page', async () => {
  const client = t.client()
  const { state } = await startAtProvider(client, start)
  await t.app.core.db.knex('verification').update({ value: '00' })
  const answer = await client.request(`/callback/github?code=x&state=${state}`)
  expect(answer.location).toBe(`${t.url}/error?error=internal_server_error`)
})

test('repeated callback parameters are refused, and an impossible code is reported as invalid_callback_request', async () => {
  const client = t.client()
  const twice = await client.request('/callback/github?code=x&code=y&state=z')
  expect([twice.status, twice.json['code']]).toEqual([400, 'VALIDATION_ERROR'])
  expect(errorOf(await client.request('/callback/github?state=x&code=%00'))).toBe('invalid_callback_request')
})

test('a callback by form post with cookies is handled at once, and without cookies it is redirected to a GET', async () => {
  newPerson()
  const client = t.client()
  const { url } = await startAtProvider(client, start)
  const query = new URL(await atProvider(url)).search.slice(1)
  const form = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://appleid.apple.com' },
  }
  const attacker = await t.client().request('/callback/github', { ...form, body: query })
  expect(attacker.status).toBe(302)
  expect(Object.fromEntries(new URL(attacker.location ?? '', t.url).searchParams)).toEqual(
    Object.fromEntries(new URLSearchParams(query)),
  )
  const direct = await client.request('/callback/github', { ...form, body: query })
  expect([direct.status, direct.location]).toEqual([302, '/account'])
  const again = await client.request('/callback/github', { ...form, body: 'state=a&state=b' })
  expect([again.status, again.json['code']]).toEqual([400, 'VALIDATION_ERROR'])
  const json = await client.request('/callback/github', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(json.json).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'content-type' }] })
})

test('untrusted callback addresses are refused at the start of a sign-in through a provider', async () => {
  for (const [field, code] of [
    ['callbackURL', 'INVALID_CALLBACKURL'],
    ['errorCallbackURL', 'INVALID_ERRORCALLBACKURL'],
    ['newUserCallbackURL', 'INVALID_NEWUSERCALLBACKURL'],
  ] as const) {
    const answer = await t.client().post('/sign-in/social', { ...start, [field]: 'https://evil.example' })
    expect([answer.status, answer.json['code']]).toEqual([403, code])
  }
})

test('a callbackURL whose origin is no longer trusted at the callback is not followed', async () => {
  newPerson()
  const client = t.client()
  const { url } = await startAtProvider(client, {
    ...start,
    callbackURL: 'https://app.example.com/in',
    errorCallbackURL: 'https://app.example.com/out',
  })
  const back = await atProvider(url)
  const strict = await t.node({ trustedOrigins: [] })
  const there = strict.client()
  for (const [name, value] of client.cookies) there.cookies.set(name, value)
  const answer = await there.request(new URL(back).pathname + new URL(back).search)
  expect(answer.location).toBe(`${t.url}/error?error=no_callback_url`)
  await strict.stop()
})

test('a sign-in through a provider from an untrusted origin is refused', async () => {
  const answer = await t.client().post('/sign-in/social', start, { origin: 'https://evil.example' })
  expect([answer.status, answer.json['code']]).toEqual([403, 'INVALID_ORIGIN'])
})

test('a sign-in through an unknown provider is refused', async () => {
  const answer = await t.client().post('/sign-in/social', { provider: 'nobody' })
  expect([answer.status, answer.json]).toEqual([404, { code: 'PROVIDER_NOT_FOUND', message: 'Provider not found' }])
})

test('the public settings list the enabled providers', async () => {
  expect((await t.client().api.health.settings()).socialProviders).toEqual([{ id: 'github', name: 'GitHub' }])
})

test('the log contains no secret of a sign-in through a provider', async () => {
  const lines: string[] = []
  const logged = await testApp({ config: { outbound, social: { github: github.section } }, onLog: (line) => lines.push(line) })
  newPerson()
  const client = logged.client()
  const { url, state } = await startAtProvider(client, start)
  const back = await atProvider(url)
  await client.request(back)
  await client.request(back.replace(/code=[^&]+/, 'code=refused'))
  const log = lines.join('')
  for (const secret of [
    state,
    new URL(back).searchParams.get('code') ?? 'x',
    github.section.clientSecret,
    github.last.token.get('code_verifier') ?? 'x',
  ])
    expect(log).not.toContain(secret)
  await logged.stop()
})
