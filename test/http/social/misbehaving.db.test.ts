/** Providers whose answers no specification allows. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { errorOf, signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'

let fake: FakeProvider
let t: TestApp
const lines: string[] = []
beforeAll(async () => {
  fake = await startProvider()
  const section = { clientId: 'client-1', clientSecret: 'secret-1', trustsEmail: true }
  const discovered = { ...section, discoveryUrl: `${fake.url}/.well-known/openid-configuration` }
  const social = { office: discovered, fresh: discovered, plain: { ...section, ...fake.endpoints } }
  t = await testApp({ config: { outbound, social }, onLog: (line) => lines.push(line) })
})
afterAll(async () => {
  await t.stop()
  await fake.stop()
})

const usual = { sub: 'person-1', email: 'person@provider.example', email_verified: true }
beforeEach(() => {
  const profile = { ...usual }
  Object.assign(fake.state, { claims: usual, profile, tokens: {}, tokenStatus: 200, tokenError: 'invalid_grant' })
  Object.assign(fake.state, { discovery: {}, hasUserinfo: true, issuer: fake.url })
  lines.splice(0)
})

const signIn = async (provider: string) => {
  const client = t.client()
  const answer = await signInAt(client, { provider, callbackURL: '/account' })
  return { client, answer, user: (await client.api.sessions.getSession())?.user }
}

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['no authorization endpoint', { authorization_endpoint: undefined }],
  ['a relative authorization endpoint', { authorization_endpoint: '/authorize' }],
  ['a script as the authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
  ['an authorization endpoint that is not text', { authorization_endpoint: 7 }],
  ['no token endpoint', { token_endpoint: undefined }],
  ['a token endpoint that is not a web address', { token_endpoint: 'ftp://provider.example/token' }],
  ['keys that are not text', { jwks_uri: 5 }],
])(
  'a discovery document with %s makes the provider unavailable, is logged with the reason, and is fetched again',
  async (_, discovery) => {
    fake.state.discovery = discovery
    const answer = await t.client().post('/sign-in/social', { provider: 'fresh' })
    expect([answer.status, answer.json['code']]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(lines.join()).toContain('OpenID provider not discovered')
  },
)

test('a provider works at once after its discovery document was corrected', async () => {
  expect((await signIn('fresh')).answer.location).toBe('/account')
})

test('an ID token with an empty subject signs nobody in, whatever the profile endpoint says', async () => {
  fake.state.claims = { ...usual, sub: '' }
  fake.state.profile = { ...usual, sub: 'somebody-else' }
  expect(errorOf((await signIn('office')).answer)).toBe('unable_to_get_user_info')
  expect(await t.app.core.db.knex('account').where({ account_id: 'somebody-else' })).toEqual([])
})

describe('the source of a verified address', () => {
  const own = { sub: 'mixed', email: 'mixed-own@provider.example', email_verified: true }

  test('a profile with another email address that it does not call verified cannot take over an account', async () => {
    await t.signedIn('victim@provider.example')
    await t.app.core.db.knex('user').where({ email: 'victim@provider.example' }).update({ email_verified: true })
    Object.assign(fake.state, { claims: own, profile: { sub: 'mixed', email: 'victim@provider.example' } })
    const { answer, user } = await signIn('office')
    expect([errorOf(answer), user]).toEqual(['account_not_linked', undefined])
  })

  test('a new user whose email address is only in the profile is unverified unless the profile says otherwise', async () => {
    Object.assign(fake.state, { claims: own, profile: { sub: 'mixed', email: 'mixed-new@provider.example' } })
    expect((await signIn('office')).user).toMatchObject({ email: 'mixed-new@provider.example', emailVerified: false })
  })

  test('a profile without an email address keeps the email address of the ID token', async () => {
    const claims = { ...own, sub: 'kept', email: 'kept@provider.example' }
    Object.assign(fake.state, { claims, profile: { sub: 'kept', name: 'Kept', email_verified: false } })
    expect((await signIn('office')).user).toMatchObject({ email: 'kept@provider.example', name: 'Kept', emailVerified: true })
  })

  test('an email address verified in the ID token stays verified if the profile has the same address, unless the profile denies it', async () => {
    for (const [word, expected] of [
      [undefined, true],
      [false, false],
    ] as const) {
      const person = { sub: `same-${word}`, email: `same-${word}@provider.example` }
      const profile = { ...person, email_verified: word }
      Object.assign(fake.state, { claims: { ...person, email_verified: true }, profile })
      expect((await signIn('office')).user).toMatchObject({ email: person.email, emailVerified: expected })
    }
  })

  test('a profile that says verified without an email address verifies nothing', async () => {
    const claims = { ...own, sub: 'unsaid', email: 'unsaid@provider.example', email_verified: false }
    Object.assign(fake.state, { claims, profile: { sub: 'unsaid', email_verified: true } })
    expect((await signIn('office')).user).toMatchObject({ email: 'unsaid@provider.example', emailVerified: false })
  })
})

test.each(['office', 'plain'])(
  'tokens of %s with an endless lifetime or without a lifetime are stored and can be read',
  async (provider) => {
    for (const [i, seconds] of [1e12, '1e12', 1e308, 253_402_300_800, 0].entries()) {
      const person = { sub: `life-${i}`, email: `life-${provider}-${i}@provider.example`, email_verified: true }
      Object.assign(fake.state, { claims: person, profile: person, tokens: { expires_in: seconds } })
      const { client, answer } = await signIn(provider)
      expect([seconds, answer.location]).toEqual([seconds, '/account'])
      const tokens = await client.post('/get-access-token', { providerId: provider })
      expect([seconds, tokens.status]).toEqual([seconds, 200])
    }
  },
)

test.each(['office', 'plain'])('null members in the token answer of %s are treated as missing', async (provider) => {
  const person = { sub: 'null', email: `null-${provider}@provider.example`, email_verified: true }
  const tokens = { expires_in: null, refresh_token: null, scope: null, error: null }
  Object.assign(fake.state, { claims: person, profile: person, tokens })
  const { client, answer } = await signIn(provider)
  expect(answer.location).toBe('/account')
  expect((await client.post('/get-access-token', { providerId: provider })).status).toBe(200)
})

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['a scope that is not text', { scope: ['openid'] }, 'scope'],
  ['no token type', { token_type: undefined }, 'token_type'],
  ['an expiry that is not a number', { expires_in: 'soon' }, 'expires_in'],
])('the log says why a token answer with %s is refused', async (_, tokens, name) => {
  fake.state.tokens = tokens
  expect(errorOf((await signIn('office')).answer)).toBe('unable_to_get_user_info')
  expect(lines.find((line) => line.includes('social sign-in failed'))).toContain(name)
})

test.each(['office', 'plain'])(
  'the error text with which %s refuses a code is logged on one line of limited length',
  async (provider) => {
    Object.assign(fake.state, { tokenStatus: 400, tokenError: `bad\u0000\u001b[31m\n${'x'.repeat(100_000)}` })
    expect(errorOf((await signIn(provider)).answer)).toBe('invalid_code')
    const line = lines.find((line) => line.includes('social sign-in failed')) ?? ''
    const { reason } = JSON.parse(line) as { reason: string }
    expect(reason).toContain('bad')
    expect([reason.length <= 500, /\p{Cc}/u.test(reason)]).toEqual([true, false])
  },
)
