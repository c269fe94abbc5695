import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Application, authorizePath, queryOf, register } from './flow.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t)
})
afterAll(() => t.stop())

test('ui_locales reaches the sign-in page as plain text of limited length', async () => {
  const signIn = await t.client().request(authorizePath(shop, { ui_locales: 'fr-CA de' }))
  expect(queryOf(signIn.location)['ui_locales']).toBe('fr-CA de')
  const odd = await t.client().request(authorizePath(shop, { ui_locales: `x&interaction=other#${'y'.repeat(500)}` }))
  expect(queryOf(odd.location)['interaction']).not.toBe('other')
  expect(queryOf(odd.location)['ui_locales']).toHaveLength(100)
})

test('ui_locales reaches the consent page', async () => {
  const ann = await t.signedIn('ann@example.com')
  let answer = await ann.request(authorizePath(shop, { ui_locales: 'tr' }))
  while (answer.location !== null && !answer.location.startsWith('/consent')) answer = await ann.request(answer.location)
  expect(queryOf(answer.location)['ui_locales']).toBe('tr')
})

test('the discovery document names the supported languages', async () => {
  const { json } = await t.client().request('/.well-known/openid-configuration')
  expect(json['ui_locales_supported']).toEqual(['ru', 'uk', 'en', 'es', 'de', 'pl', 'fr', 'tr'])
})
