import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { errorOf, signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'

let fake: FakeProvider
let t: TestApp
beforeAll(async () => {
  fake = await startProvider()
  fake.state.issuer = fake.url
  fake.state.hasUserinfo = true
  const client = { clientId: 'client-1', clientSecret: 'secret-1', placeholderEmailDomain: 'people.example.com' }
  t = await testApp({
    config: {
      outbound,
      social: {
        numbers: { ...client, ...fake.endpoints, claims: { id: 'data.0.id' } },
        subjects: { ...client, issuer: fake.url, claims: { id: 'person_number' } },
        gitlab: { ...client, ...fake.endpoints },
        google: { ...client, ...fake.endpoints, userinfoUrl: undefined, jwksUrl: fake.jwksUrl, issuer: fake.url },
      },
    },
  })
})
afterAll(async () => {
  await t.stop()
  await fake.stop()
})
beforeEach(async () => {
  await t.app.core.db.knex('user').delete()
  Object.assign(fake.state, { profile: {}, claims: undefined, rawClaims: '' })
})

/** Signs in as the person that the fake provider names now, and returns the user's id. */
const signIn = async (provider: string): Promise<string> => {
  const client = t.client()
  const answer = await signInAt(client, { provider, callbackURL: '/account' })
  expect(errorOf(answer)).toBe(null)
  return (await client.api.sessions.getSession())?.user.id ?? ''
}
const accountIds = (provider: string): Promise<string[]> =>
  t.app.core.db.knex('account').where({ provider_id: provider }).pluck('account_id')

/** Numbers that `JSON.parse` reads as equal. */
const neighbours = [
  ['above 53 bits', '9007199254740992', '9007199254740993'],
  ['of 64 bits', '1234567890123456789', '1234567890123456790'],
  ['below zero', '-9223372036854775807', '-9223372036854775808'],
  ['of 128 bits', '340282366920938463463374607431768211455', '340282366920938463463374607431768211454'],
  ['with a fraction', '1.00000000000000001', '1.00000000000000002'],
  ['with an exponent', '9.007199254740994e15', '9.0071992547409941e15'],
] as const

describe.each(neighbours)('two people with adjacent numeric ids %s', (_, one, other) => {
  test.each([
    [
      'in the profile of an OAuth 2.0 provider',
      'numbers',
      (id: string) => ({ profile: `{"data":[{"id":0,"id":${id}},{"id":7}]}` }),
    ],
    ['in the profile of a built-in provider', 'gitlab', (id: string) => ({ profile: `{"id":${id},"name":"Ann"}` })],
    [
      'in a claim of an ID token',
      'subjects',
      (id: string) => ({
        ...{ claims: { sub: 'always the same' }, rawClaims: `"person_number":${id}`, profile: '{"sub":"always the same"}' },
      }),
    ],
    [
      'at the userinfo endpoint',
      'subjects',
      (id: string) => ({
        ...{ claims: { sub: 'always the same' }, rawClaims: '"person_number":1' },
        profile: `{"sub":"always the same","person_number":${id}}`,
      }),
    ],
    ['in the subject of an ID token', 'google', (id: string) => ({ claims: {}, rawClaims: `"sub":${id}` })],
  ] as const)('two people with adjacent numeric ids at a provider stay two people, %s', async (_where, provider, answers) => {
    const ids: string[] = []
    for (const id of [one, other, one]) {
      Object.assign(fake.state, answers(id))
      ids.push(await signIn(provider))
    }
    expect(new Set(ids).size).toBe(2)
    expect(ids[2]).toBe(ids[0])
    expect((await accountIds(provider)).sort()).toEqual([one, other].sort())
  })
})

test('a small numeric id and the same digits as text are the same person', async () => {
  fake.state.profile = '{"data":[{"id":4711}]}'
  const first = await signIn('numbers')
  for (const profile of ['{"data":[{"id":"4711"}]}', '{"data":[{"id":4711.0}]}', '{"data":[{"id":4.711e3}]}']) {
    fake.state.profile = profile
    expect(await signIn('numbers')).toBe(first)
  }
})

test('an application that sends an ID token signs in the person with exactly that numeric id', async () => {
  const ids: string[] = []
  for (const id of ['9007199254740992', '9007199254740993']) {
    const client = t.client()
    const token = await fake.signRaw({ aud: 'client-1' }, `"sub":"one","person_number":${id}`)
    const answer = await client.post('/sign-in/social', { provider: 'subjects', idToken: { token } })
    expect(answer.status, answer.text).toBe(200)
    ids.push((await client.api.sessions.getSession())?.user.id ?? '')
  }
  expect(new Set(ids).size).toBe(2)
})

test('doctor names exactly the links that were stored with a rounded number', async () => {
  const admin = await t.signedIn('admin@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' }))
  const check = async () => (await admin.api.healthAdmin.diagnose({})).checks.filter(({ check }) => check === 'identities')
  for (const id of ['4711', '1234567890123456789', '-9223372036854775807', '340282366920938463463374607431768211455']) {
    fake.state.profile = `{"data":[{"id":${id}}]}`
    await signIn('numbers')
  }
  fake.state.profile = '{"data":[{"id":"00009007199254740992"}]}'
  await signIn('numbers')
  expect(await check()).toMatchObject([{ severity: 'ok' }])
  // Links as earlier versions stored them.
  for (const [from, to] of [
    ['1234567890123456789', String(Number('1234567890123456789'))],
    ['340282366920938463463374607431768211455', String(2 ** 128)],
  ])
    await t.app.core.db.knex('account').where({ account_id: from }).update({ account_id: to })
  expect(await check()).toMatchObject([
    {
      severity: 'warning',
      values: { provider: 'numbers', count: 2 },
      message: expect.stringContaining('1234567890123456800 of '),
    },
  ])
})
