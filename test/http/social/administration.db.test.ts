import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let admin: Client
const secret = 'a-secret-of-the-provider'
beforeAll(async () => {
  t = await testApp({
    config: {
      social: {
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
        // Not switched on: it has no client id.
        github: { scopes: ['repo'] },
      },
    },
  })
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
})
afterAll(() => t.stop())

test('the providers that are switched on are listed as they are in effect, without their secrets', async () => {
  const { providers } = await admin.api.providers.adminListProviders()
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
