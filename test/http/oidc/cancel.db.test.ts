/** Leaving a sign-in and returning to the application without one. */
import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { withAuthenticator } from '../../support/totp.ts'
import { type Application, authorizePath, queryOf, redirectUri, register, uidOf } from './flow.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t, { skipConsent: true })
  await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

const notFound = { status: 404, code: 'INTERACTION_NOT_FOUND' }
const started = async (browser = t.client()) => {
  const asked = await browser.request(authorizePath(shop))
  return { browser, interaction: uidOf(asked) }
}

test('a person who cancels a sign-in returns to the application with access_denied and the state of the request', async () => {
  const { browser, interaction } = await started()
  const { redirectURI } = await browser.api.oidc.cancelSignIn({ body: { interaction } })
  const { location } = await browser.request(redirectURI)
  expect(location).toContain(redirectUri)
  expect(queryOf(location)).toMatchObject({ error: 'access_denied', state: 'the state' })
  expect(queryOf(location)).not.toHaveProperty('code')
})

test('a person can also cancel a sign-in that waits for its second step', async () => {
  await withAuthenticator(t, 'cem@example.com')
  const { browser, interaction } = await started()
  const half = await browser.post('/sign-in/email', { email: 'cem@example.com', password })
  expect(half.json).toMatchObject({ twoFactorRedirect: true })
  const { redirectURI } = await browser.api.oidc.cancelSignIn({ body: { interaction } })
  const { location } = await browser.request(redirectURI)
  expect(queryOf(location)).toMatchObject({ error: 'access_denied', state: 'the state' })
})

test('completing a sign-in after it was cancelled gives the application no code', async () => {
  const { browser, interaction } = await started()
  await browser.api.oidc.cancelSignIn({ body: { interaction } })
  await browser.post('/sign-in/email', { email: 'ann@example.com', password })
  const resumed = await browser.request(`/interaction/${interaction}`)
  const { location } = await browser.request(resumed.location ?? '')
  expect(queryOf(location)).toMatchObject({ error: 'access_denied' })
})

testOnBoth('an application gets access_denied and no code when a sign-in is cancelled as it completes', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { browser, interaction } = await started()
    await browser.post('/sign-in/email', { email: 'ann@example.com', password })
    await Promise.all([browser.api.oidc.cancelSignIn({ body: { interaction } }), browser.request(`/interaction/${interaction}`)])
    const { location } = await browser.request(`/oauth2/authorize/${interaction}`)
    expect(queryOf(location)).toMatchObject({ error: 'access_denied' })
    await browser.api.sessions.signOut()
  }
})

test('a sign-in cannot be cancelled from another browser, or at the consent page', async () => {
  const { interaction } = await started()
  await expect(t.client().api.oidc.cancelSignIn({ body: { interaction } })).rejects.toMatchObject(notFound)
  const asking = await register(t)
  const ann = await t.signedIn('bob@example.com')
  const asked = await ann.request(authorizePath(asking))
  await expect(ann.api.oidc.cancelSignIn({ body: { interaction: uidOf(asked) } })).rejects.toMatchObject(notFound)
})
