/** Parameters that providers add to a callback (RFC 6749, 4.1.2 and 4.1.2.1): unknown, long and malformed ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type FakeGitHub, githubPerson, startGitHub } from '../../support/social/fake-github.ts'
import { atProvider, startAtProvider } from '../../support/social/flow.ts'
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

const errorCallbackURL = 'https://app.example.com/failed'
const start = { provider: 'github', callbackURL: '/account', errorCallbackURL }
let next = 4000

const form = {
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://appleid.apple.com' },
}

/** The callback of a new person, with further parameters beside those of the provider. */
const comeBack = async (more: string) => {
  next += 1
  github.state.person = githubPerson(next, `person${next}@callback.example`)
  const client = t.client()
  const { url } = await startAtProvider(client, start)
  return client.request(`${await atProvider(url)}${more}`)
}

describe('successful callbacks with surplus parameters', () => {
  test.each([
    ['unknown parameters', '&scope=read%3Auser&authuser=0&prompt=consent&hd=example.com&session_state=a..b&client_info=x'],
    ['an unknown parameter twice', '&authuser=0&authuser=1&scope=a&scope=b'],
    ['an unknown malformed parameter', '&x=%00&y=%FF'],
    ['a user that is not JSON', '&user=%7B'],
    ['a user that is a word', '&user=octocat'],
    ['a user of 8,000 characters', `&user=${encodeURIComponent(JSON.stringify({ name: 'x'.repeat(8_000) }))}`],
    ['a long description without an error', `&error_description=${'x'.repeat(6_000)}`],
    ['an empty error', '&error='],
    ['a long device', `&device_id=${'d'.repeat(2_000)}`],
  ])('a sign-in through a provider succeeds when the provider also sends %s', async (_, more) =>
    expect((await comeBack(more)).location).toBe('/account'),
  )

  test('a code of 8,000 characters is passed on to the provider', async () => {
    const client = t.client()
    const { state } = await startAtProvider(client, start)
    // The provider does not know the code. It only has to receive it.
    const answer = await client.request(`/callback/github?code=${'c'.repeat(8_000)}&state=${state}`)
    expect(answer.location).toBe(`${errorCallbackURL}?error=invalid_code`)
    expect(github.last.token.get('code')).toHaveLength(8_000)
  })
})

describe('failed callbacks with odd parameters', () => {
  const failing = async (query: string, init?: RequestInit) => {
    const client = t.client()
    const { state } = await startAtProvider(client, start)
    const answer =
      init === undefined
        ? await client.request(`/callback/github?state=${state}&${query}`)
        : await client.request('/callback/github', { ...init, body: `state=${state}&${query}` })
    const { origin, pathname, searchParams } = new URL(answer.location ?? '', t.url)
    return [`${origin}${pathname}`, searchParams.get('error'), searchParams.get('error_description')]
  }

  test.each([
    [
      'a description of 6,000 characters',
      `error=access_denied&error_description=${'x'.repeat(6_000)}`,
      'access_denied',
      'x'.repeat(1_000),
    ],
    [
      'a description that ends in half a surrogate pair',
      `error=access_denied&error_description=${'x'.repeat(999)}%F0%9F%98%80`,
      'access_denied',
      'x'.repeat(999),
    ],
    ['a description with U+0000', 'error=access_denied&error_description=a%00b', 'access_denied', 'ab'],
    [
      'an unknown parameter',
      'error=access_denied&error_uri=https%3A%2F%2Fx.example&error_subcode=7&error_reason=user_denied',
      'access_denied',
      null,
    ],
    ['a user beside the error', 'error=user_cancelled_authorize&user=%7B', 'user_cancelled_authorize', null],
    ['a long error', `error=${'e'.repeat(2_000)}`, 'e'.repeat(200), null],
    ['a code with U+0000', 'code=a%00b', 'invalid_callback_request', null],
    ['no code', '', 'no_code', null],
  ])(
    'a failed sign-in through a provider returns to its error address and keeps its reason with %s',
    async (_, query, error, description) => {
      expect(await failing(query)).toEqual([errorCallbackURL, error, description])
      if (query !== '') expect(await failing(query, form)).toEqual([errorCallbackURL, error, description])
    },
  )

  test('a posted callback whose error description is longer than an address may be keeps its reason', async () => {
    const client = t.client()
    const { state } = await startAtProvider(client, start)
    const body = `state=${state}&error=access_denied&error_description=${'x'.repeat(20_000)}&user=${'y'.repeat(9_000)}&id_token=z`
    // Browsers send no Lax cookies with this form.
    const first = await t.client().request('/callback/github', { ...form, body })
    expect(first.status).toBe(302)
    const answer = await client.request(first.location ?? '')
    expect(answer.location).toBe(`${errorCallbackURL}?error=access_denied&error_description=${'x'.repeat(1_000)}`)
  })
})

test('a state that this server did not issue restarts the sign-in, whatever the form of the state', async () => {
  for (const state of ['x'.repeat(3_000), 'a%00b', '%FF', '%F0%9F%98%80']) {
    const client = t.client()
    await startAtProvider(client, start)
    const answer = await client.request(`/callback/github?code=x&state=${state}`)
    expect(answer.location, state).toBe(`${t.url}/error?error=please_restart_the_process`)
  }
})

test('a repeated callback parameter that matters is refused', async () => {
  for (const query of ['code=x&code=y&state=z', 'code=x&state=y&state=z', 'error=a&error=b&state=z']) {
    const answer = await t.client().request(`/callback/github?${query}`)
    expect([answer.status, answer.json['code']], query).toEqual([400, 'VALIDATION_ERROR'])
  }
})
