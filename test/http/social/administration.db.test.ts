import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { type FakeProvider, startProvider } from '../../support/social/fake-provider.ts'
import { signInAt } from '../../support/social/flow.ts'
import { outbound } from '../../support/social/listen.ts'

let t: TestApp
let admin: Client
let fake: FakeProvider
const secret = 'a-secret-of-the-provider'
beforeAll(async () => {
  fake = await startProvider()
  t = await testApp({
    config: {
      outbound,
      social: {
        works: { clientId: 'client-1', clientSecret: secret, issuer: fake.url },
        plain: { clientId: 'client-1', clientSecret: secret, ...fake.endpoints, pkce: false },
        found: { clientId: 'client-1', clientSecret: secret, discoveryUrl: fake.url },
        away: { clientId: 'client-1', clientSecret: secret, issuer: 'http://127.0.0.1:9' },
        implicitSignUp: false,
        google: { clientId: 'google-id', clientSecret: secret },
        microsoft: { clientId: 'microsoft-id', clientSecret: secret, tenantId: 'acme', scopes: ['openid'] },
        acme: {
          clientId: 'acme-id',
          clientSecret: secret,
          issuer: 'https://id.acme.example',
          name: 'Acme',
          signUpEnabled: false,
        },
        forum: {
          ...{ clientId: 'forum-id', authorizationUrl: 'https://forum.example/authorize', pkce: false, trustsEmail: true },
          ...{ tokenUrl: 'https://forum.example/token', userinfoUrl: 'https://forum.example/me' },
        },
        // This provider is not enabled, because it has no client id.
        github: { scopes: ['repo'] },
      },
    },
  })
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
})
afterAll(async () => {
  await t.stop()
  await fake.stop()
})

const steps = async (id: string) => {
  const { hasPassed, steps } = await admin.api.providers.adminTestProvider({ params: { id } })
  return { hasPassed, ...Object.fromEntries(steps.map(({ step, outcome }) => [step, outcome])) }
}
const stepOf = async (id: string, name: string) =>
  (await admin.api.providers.adminTestProvider({ params: { id } })).steps.find(({ step }) => step === name)

test('the enabled providers are listed with their present settings, without secrets', async () => {
  const providers = (await admin.api.providers.adminListProviders()).providers.filter(
    ({ id }) => !['works', 'plain', 'found', 'away'].includes(id),
  )
  expect(providers.map(({ id, name, type, clientId }) => ({ id, name, type, clientId }))).toEqual([
    { id: 'google', name: 'Google', type: 'built-in', clientId: 'google-id' },
    { id: 'microsoft', name: 'Microsoft', type: 'built-in', clientId: 'microsoft-id' },
    { id: 'acme', name: 'Acme', type: 'openid', clientId: 'acme-id' },
    { id: 'forum', name: 'forum', type: 'oauth2', clientId: 'forum-id' },
  ])
  const [google, microsoft, acme, forum] = providers
  expect(google).toMatchObject({
    ...{ hasClientSecret: true, redirectUri: `${t.url}/callback/google`, trustsEmail: true, configured: [] },
    ...{ signUpEnabled: true, implicitSignUp: false },
    addresses: { authorization: expect.stringContaining('https://accounts.google.com/'), discovery: null },
  })
  expect(microsoft).toMatchObject({ scopes: ['openid'], configured: ['scopes'] })
  expect(microsoft?.addresses.token).toContain('/acme/')
  expect(acme).toMatchObject({
    ...{ scopes: ['openid', 'profile', 'email'], pkce: true, trustsEmail: false, signUpEnabled: false },
    ...{ configured: ['name', 'issuer'], addresses: { issuer: 'https://id.acme.example', authorization: null, token: null } },
  })
  expect(forum).toMatchObject({
    ...{ hasClientSecret: false, pkce: false, trustsEmail: true },
    addresses: { token: 'https://forum.example/token', userinfo: 'https://forum.example/me', issuer: null },
  })
  expect((await admin.request('/admin/providers')).text).not.toContain(secret)
})

test('a working provider passes every step of the test, and the test creates no account', async () => {
  const all = { callback: 'passed', discovery: 'passed', issuer: 'passed', keys: 'passed', authorization: 'passed' }
  fake.state.tokenStatus = 400
  expect(await steps('works')).toEqual({ hasPassed: true, ...all, token: 'passed' })
  expect(await steps('found')).toEqual({ hasPassed: true, ...all, token: 'passed' })
  expect(await steps('plain')).toEqual({ hasPassed: true, callback: 'passed', authorization: 'passed', token: 'passed' })
  fake.state.tokenStatus = 200
  expect(fake.seen.profiles).toEqual([])
  expect((await admin.api.providers.adminProviderUse({ params: { id: 'works' } })).accounts).toBe(0)
})

test('a client secret refused by the provider is distinguished from a refused code, and the remedy names the key', async () => {
  fake.state.tokenStatus = 401
  fake.state.tokenError = 'invalid_client'
  expect(await steps('works')).toMatchObject({ hasPassed: false, token: 'failed' })
  const step = await stepOf('works', 'token')
  expect(step?.remedy).toContain('social.works.clientSecret')
  expect(JSON.stringify(step)).not.toContain(secret)
  fake.state.tokenStatus = 400
  fake.state.tokenError = 'invalid_request'
  expect(await steps('works')).toMatchObject({ hasPassed: true, token: 'doubtful' })
  fake.state.tokenError = 'redirect_uri_mismatch'
  expect((await stepOf('works', 'token'))?.remedy).toContain(`${t.url}/callback/works`)
  Object.assign(fake.state, { tokenStatus: 200, tokenError: 'invalid_grant' })
})

const notTried = { keys: 'skipped', authorization: 'skipped', token: 'skipped' }

test('the client secret is not sent to a provider that names another issuer than the configured one or its own address', async () => {
  const before = fake.seen.tokens.length
  fake.state.discoveredIssuer = 'https://other.example'
  for (const id of ['works', 'found'])
    expect(await steps(id)).toEqual({
      ...{ hasPassed: false, callback: 'passed', discovery: 'passed', issuer: 'failed' },
      ...notTried,
    })
  expect((await stepOf('found', 'issuer'))?.remedy).toContain('social.found.discoveryUrl to https://other.example')
  fake.state.discoveredIssuer = undefined
  expect(fake.seen.tokens).toHaveLength(before)
})

test('in the test of a provider another issuer, missing keys and an unreachable address each fail their own step', async () => {
  fake.state.discoveredIssuer = 'https://other.example'
  const issuer = await stepOf('works', 'issuer')
  expect(issuer).toMatchObject({ outcome: 'failed', remedy: 'Set social.works.issuer to https://other.example' })
  fake.state.discoveredIssuer = undefined
  Object.assign(fake.state, { keyAway: true, tokenStatus: 400 })
  expect(await steps('works')).toMatchObject({ hasPassed: false, keys: 'failed', token: 'passed' })
  Object.assign(fake.state, { keyAway: false, tokenStatus: 200 })
  expect(await steps('away')).toEqual({
    hasPassed: false,
    callback: 'passed',
    discovery: 'failed',
    issuer: 'skipped',
    ...notTried,
  })
})

test('a test of a provider is recorded with the failed steps, and an unknown provider is not found', async () => {
  await admin.api.providers.adminTestProvider({ params: { id: 'away' } })
  const [event] = await t.app.audit.list({ subject: 'away' }, 1)
  expect(event).toMatchObject({ type: 'provider.tested', data: { hasPassed: false, failedSteps: ['discovery'] } })
  for (const call of [admin.api.providers.adminTestProvider, admin.api.providers.adminProviderUse])
    await expect(call({ params: { id: 'github' } })).rejects.toMatchObject({ status: 404, code: 'PROVIDER_NOT_FOUND' })
})

test('the page of a provider shows its accounts, last sign-in and last failure', async () => {
  const useOf = () => admin.api.providers.adminProviderUse({ params: { id: 'plain' } })
  expect(await useOf()).toEqual({ accounts: 0, lastSignInAt: null, lastFailure: null })
  fake.state.profile = { sub: 'ann-1', name: 'Ann', email: 'ann@plain.example' }
  await signInAt(t.client(), { provider: 'plain', callbackURL: '/account', requestSignUp: true })
  fake.state.tokenStatus = 401
  await signInAt(t.client(), { provider: 'plain', callbackURL: '/account' })
  fake.state.tokenStatus = 200
  await t.app.signInFailures.settled()
  const use = await useOf()
  expect(use).toMatchObject({ accounts: 1, lastFailure: { reason: 'provider-code', code: 'INVALID_CODE' } })
  const { providers } = await admin.api.providers.adminListProviders()
  expect(Object.fromEntries(providers.map(({ id, accounts }) => [id, accounts]))).toMatchObject({ plain: 1, works: 0 })
  expect(use.lastFailure?.answer).toContain('401')
  expect(use.lastSignInAt).not.toBeNull()
  expect((await admin.api.providers.adminProviderUse({ params: { id: 'works' } })).lastSignInAt).toBeNull()
})
