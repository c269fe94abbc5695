import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Answer } from '../../support/client.ts'
import { type Application, authorizePath, postForm, redeem, redirectUri, register, userinfo } from './flow.ts'

let t: TestApp
let shop: Application
let machine: Application
beforeAll(async () => {
  t = await testApp({ config: { limits: { enabled: 'on' }, oidc: { rsaModulusLength: 2048 } } })
  t.clock.hold()
  shop = await register(t)
  machine = await register(t, { type: 'machine', redirectUris: [], scope: ['profile'] })
})
afterAll(() => t.stop())

// Every test begins with a new window of its own.
beforeEach(() => t.clock.advance({ seconds: 10 }))

const times = async (count: number, work: () => Promise<Answer>): Promise<Answer[]> => {
  const answers = []
  for (let i = 0; i < count; i++) answers.push(await work())
  return answers
}
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)
const twentyThen = (status: number) => [...Array(20).fill(status), 429, 429]
const throttled = { error: 'temporarily_unavailable', error_description: expect.stringContaining('Too many') }

describe('throttling at the token endpoint after 20 failures in 10 seconds', () => {
  const machineToken = () => postForm(t, machine, '/oauth2/token', { grant_type: 'client_credentials' })
  const wrong = (path: string, form: Record<string, string>) => () => postForm(t, { ...machine, secret: 'wrong' }, path, form)

  test.each([
    ['token', { grant_type: 'client_credentials' }],
    ['introspect', { token: 'any' }],
    ['revoke', { token: 'any' }],
  ] as const)(
    'a client with wrong secrets at /oauth2/%s is throttled even with the right secret, and other clients are not throttled',
    async (path, form) => {
      const answers = await times(22, wrong(`/oauth2/${path}`, form))
      expect(statuses(answers)).toEqual(twentyThen(401))
      expect(answers[21]?.json).toEqual(throttled)
      expect(Number(answers[21]?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await machineToken()).status).toBe(429)
      expect((await redeem(t, shop, 'unknown')).status).toBe(400)
      t.clock.advance({ seconds: 10 })
      expect((await machineToken()).status).toBe(200)
    },
  )

  test('a client that sends unknown codes and refresh tokens is throttled', async () => {
    const codes = await times(11, () => redeem(t, shop, 'unknown'))
    const tokens = await times(11, () =>
      postForm(t, shop, '/oauth2/token', { grant_type: 'refresh_token', refresh_token: 'unknown' }),
    )
    expect(statuses([...codes, ...tokens])).toEqual(twentyThen(400))
  })

  test('unknown clients of one network are throttled together', async () => {
    let n = 0
    const guesses = await times(22, () =>
      postForm(t, { clientId: `guess-${n++}`, secret: 'any' }, '/oauth2/token', { grant_type: 'client_credentials' }),
    )
    expect(statuses(guesses)).toEqual(twentyThen(401))
  })
})

test('successful token requests are not throttled, because one back end acts for many people', async () => {
  const before = await t.app.core.db.knex('rate_limit').pluck('key')
  const { json } = await postForm(t, machine, '/oauth2/token', { grant_type: 'client_credentials' })
  const introspect = () => postForm(t, machine, '/oauth2/introspect', { token: String(json['access_token']) })
  expect(new Set(statuses(await times(120, introspect)))).toEqual(new Set([200]))
  expect(new Set(statuses(await times(120, () => t.client().request('/jwks'))))).toEqual(new Set([200]))
  expect(new Set(statuses(await times(120, () => userinfo(t, 'unknown'))))).toEqual(new Set([401]))
  expect(await t.app.core.db.knex('rate_limit').pluck('key')).toEqual(before)
})

test('authorization, pushed requests and end-session share the general rate limit', async () => {
  const answers = [
    ...(await times(34, () => t.client().request(authorizePath(shop)))),
    ...(await times(33, () => postForm(t, shop, '/oauth2/par', { response_type: 'code', redirect_uri: redirectUri }))),
    ...(await times(33, () => t.client().request('/oauth2/end-session'))),
  ]
  expect(statuses(answers)).not.toContain(429)
  for (const over of [
    await t.client().request(authorizePath(shop)),
    await t.client().request('/oauth2/authorize', { method: 'POST' }),
    await t.client().request('/oauth2/authorize/unknown'),
    await postForm(t, shop, '/oauth2/par', {}),
    await t.client().request('/oauth2/end-session'),
    await t.client().post('/oauth2/end-session/confirm', { question: 'none' }),
    await t.client().request('/get-session'),
  ]) {
    expect(over.status).toBe(429)
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(over.headers.get('x-retry-after')).toBe(over.headers.get('retry-after'))
  }
})
