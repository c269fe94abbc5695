import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOneTimeTokens } from '../../../src/accounts/tokens/service.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, depart, errorOf, signInAt } from '../../support/social/journey.ts'
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

const begin = { provider: 'github', callbackURL: '/account' }
let next = 100
/** Nobody that another test knows. */
const somebody = () => {
  next += 1
  github.state.person = githubPerson(next, `person${next}@example.com`)
}
const cookieOf = (lines: readonly string[]) => lines.find((line) => line.startsWith('gatehouse.social=')) ?? ''

test('a state serves once: the second use of a callback address is sent back to the start', async () => {
  somebody()
  const client = t.client()
  const { url } = await depart(client, begin)
  const back = await atProvider(url)
  expect((await client.request(back)).location).toBe('/account')
  expect(errorOf(await client.request(back))).toBe('please_restart_the_process')
})

test('a state belongs to the browser that began: another cannot use it, nor use it up', async () => {
  somebody()
  const [victim, stranger] = [t.client(), t.client()]
  const { url } = await depart(victim, begin)
  await depart(stranger, begin)
  const back = await atProvider(url)
  for (const other of [stranger, t.client()]) {
    expect(errorOf(await other.request(back))).toBe('please_restart_the_process')
    expect(await other.api.sessions.getSession()).toBeNull()
  }
  expect((await victim.request(back)).location).toBe('/account')
})

test('the cookie that binds is signed, hidden from scripts, and lives as long as the state', async () => {
  somebody()
  const client = t.client()
  const answer = await client.post('/sign-in/social', begin)
  expect(cookieOf(answer.headers.getSetCookie())).toMatch(
    /^gatehouse\.social=[A-Za-z0-9]{32}\.[^;]{44,}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const back = await atProvider(String(answer.json['url']))
  const forged = t.client()
  const value = client.cookies.get('gatehouse.social') ?? ''
  forged.cookies.set('gatehouse.social', `${value.split('.')[0]}.${'A'.repeat(43)}=`)
  expect(errorOf(await forged.request(back))).toBe('please_restart_the_process')
})

test('a session cookie is no binding, though the same key signs it', async () => {
  somebody()
  const client = await t.signedIn(`person${next}-signed@example.com`)
  const session = client.cookies.get('gatehouse.session') ?? ''
  const odd = t.client()
  odd.cookies.set('gatehouse.social', session)
  await depart(odd, begin)
  expect(odd.cookies.get('gatehouse.social')).not.toBe(session)
})

test('one browser may be at a provider in two tabs at once', async () => {
  somebody()
  const client = t.client()
  const [first, second] = [await depart(client, begin), await depart(client, { ...begin, callbackURL: '/account/sessions' })]
  expect((await client.request(await atProvider(second.url))).location).toBe('/account/sessions')
  expect((await client.request(await atProvider(first.url))).location).toBe('/account')
})

test('a state ends after ten minutes, and the sweeper removes it', async () => {
  somebody()
  const client = t.client()
  const { url } = await depart(client, begin)
  const back = await atProvider(url)
  const count = async () => Number((await t.app.core.db.knex('verification').count({ n: '*' }).first())?.['n'])
  const before = await count()
  expect(before).toBeGreaterThan(0)
  t.clock.advance({ minutes: 10, seconds: 1 })
  expect(errorOf(await client.request(back))).toBe('please_restart_the_process')
  await createOneTimeTokens({ ...t.app.core, users: t.app.users }).sweep()
  expect(await count()).toBe(0)
})

test('what is kept of a state shows neither it nor the code verifier', async () => {
  somebody()
  const client = t.client()
  const { url, state } = await depart(client, begin)
  const rows = JSON.stringify(await t.app.core.db.knex('verification'))
  expect(rows).not.toContain(state)
  expect(rows).not.toContain('/account')
  await client.request(await atProvider(url))
  expect(rows).not.toContain(github.last.token.get('code_verifier'))
})

test('of twenty simultaneous callbacks with one state one signs in', async () => {
  somebody()
  const client = t.client()
  const { url } = await depart(client, begin)
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

test('ten browsers of one new person at once make one user', async () => {
  somebody()
  const clients = Array.from({ length: 10 }, () => t.client())
  const answers = await Promise.all(clients.map((client) => signInAt(client, begin)))
  expect(answers.map(({ location }) => location)).toEqual(Array(10).fill('/account'))
  const sessions = await Promise.all(clients.map((client) => client.api.sessions.getSession()))
  expect(new Set(sessions.map((session) => session?.user.id)).size).toBe(1)
})

test('the order of refusals: provider error, no state, unknown state, no code', async () => {
  const client = t.client()
  const at = async (query: string, id = 'github') => errorOf(await client.request(`/callback/${id}?${query}`))
  expect(await at('error=server_error&state=x')).toBe('server_error')
  expect(await at('code=x')).toBe('state_not_found')
  expect(await at('')).toBe('state_not_found')
  expect(await at('code=x&state=unknown')).toBe('please_restart_the_process')
  const { state } = await depart(client, begin)
  expect(await at(`state=${state}`)).toBe('no_code')
})

test('a provider error without words adds none, and uses the state up', async () => {
  const client = t.client()
  const { state } = await depart(client, begin)
  const answer = await client.request(`/callback/github?error=access_denied&state=${state}`)
  expect(answer.location).toBe(`${t.url}/error?error=access_denied`)
  expect(errorOf(await client.request(`/callback/github?code=x&state=${state}`))).toBe('please_restart_the_process')
})

test('a provider that is not configured is oauth_provider_not_found, on the page the application named', async () => {
  const client = t.client()
  const { state } = await depart(client, { ...begin, errorCallbackURL: 'https://app.example.com/failed?x=1' })
  const answer = await client.request(`/callback/google?code=x&state=${state}`)
  expect(answer.location).toBe('https://app.example.com/failed?x=1&error=oauth_provider_not_found')
})

test('what fails on our side is an error page, not an answer in JSON, and the reason stays in the log', async () => {
  const client = t.client()
  const { state } = await depart(client, begin)
  await t.app.core.db.knex('verification').update({ value: '00' })
  const answer = await client.request(`/callback/github?code=x&state=${state}`)
  expect(answer.location).toBe(`${t.url}/error?error=internal_server_error`)
})

test('repeated parameters are refused, unreadable ones are an invalid_callback_request', async () => {
  const client = t.client()
  const twice = await client.request('/callback/github?code=x&code=y&state=z')
  expect([twice.status, twice.json['code']]).toEqual([400, 'VALIDATION_ERROR'])
  for (const query of [`state=${'x'.repeat(600)}`, 'state=x&user=%7B', 'state=x&code=%00', `state=x&code=${'y'.repeat(5000)}`])
    expect(errorOf(await client.request(`/callback/github?${query}`))).toBe('invalid_callback_request')
})

test('a form works too: with cookies at once, from another site by way of a GET that carries them', async () => {
  somebody()
  const client = t.client()
  const { url } = await depart(client, begin)
  const query = new URL(await atProvider(url)).search.slice(1)
  const form = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://appleid.apple.com' },
  }
  const stranger = await t.client().request('/callback/github', { ...form, body: query })
  expect(stranger.status).toBe(302)
  expect(Object.fromEntries(new URL(stranger.location ?? '', t.url).searchParams)).toEqual(
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

test('addresses to return to are trusted when the journey begins', async () => {
  for (const [field, code] of [
    ['callbackURL', 'INVALID_CALLBACKURL'],
    ['errorCallbackURL', 'INVALID_ERRORCALLBACKURL'],
    ['newUserCallbackURL', 'INVALID_NEWUSERCALLBACKURL'],
  ] as const) {
    const answer = await t.client().post('/sign-in/social', { ...begin, [field]: 'https://evil.example' })
    expect([answer.status, answer.json['code']]).toEqual([403, code])
  }
})

test('and once more when it ends: an origin that is trusted no longer is not returned to', async () => {
  somebody()
  const client = t.client()
  const { url } = await depart(client, {
    ...begin,
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

test('a sign-in at a provider begins from a trusted origin only', async () => {
  const answer = await t.client().post('/sign-in/social', begin, { origin: 'https://evil.example' })
  expect([answer.status, answer.json['code']]).toEqual([403, 'INVALID_ORIGIN'])
})

test('an unknown provider is refused', async () => {
  const answer = await t.client().post('/sign-in/social', { provider: 'nobody' })
  expect([answer.status, answer.json]).toEqual([404, { code: 'PROVIDER_NOT_FOUND', message: 'Provider not found' }])
})

test('the hosted pages learn which providers are on', async () => {
  expect((await t.client().api.health.settings()).socialProviders).toEqual([{ id: 'github', name: 'GitHub' }])
})

test('nothing of a journey is in the log', async () => {
  const lines: string[] = []
  const logged = await testApp({ config: { outbound, social: { github: github.section } }, onLog: (line) => lines.push(line) })
  somebody()
  const client = logged.client()
  const { url, state } = await depart(client, begin)
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
