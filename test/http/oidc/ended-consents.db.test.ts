/** An ended consent stays ended: codes and tokens that were being issued at the same moment are invalid. */
import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { withAuthenticator } from '../../support/totp.ts'
import { operator } from '../organizations/people.ts'
import { type Application, authorizePath, codeFor, offline, queryOf, redeem, refresh, register, userinfo } from './flow.ts'

let t: TestApp
let other: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  other = await t.node()
  shop = await register(t)
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const endAccess = (browser: Browser) => browser.post('/connected-applications/remove', { clientId: shop.clientId })
const idOf = async (email: string) => (await t.app.users.require(t.app.core.db, email)).id

describeOnBoth('a consent that is being ended', () => {
  testOnBoth('ending a consent invalidates its codes, even codes issued at the same moment', async () => {
    const worth: number[] = []
    for (let round = 0; round < 12; round += 1) {
      const browser = await t.signedIn(`round${round}@example.com`)
      await codeFor(browser, shop)
      // The person has consented, so the following codes are issued without a question.
      const ask = () => browser.request(authorizePath(shop))
      const [ended, ...answers] = await Promise.all([endAccess(browser), ...Array.from({ length: 8 }, ask)])
      expect(ended.status).toBe(200)
      const codes = answers.flatMap(({ location }) => queryOf(location)['code'] ?? [])
      for (const code of codes) {
        const { status, json } = await redeem(other, shop, code)
        if (status === 200) worth.push((await userinfo(t, json['access_token'])).status)
      }
    }
    expect(worth).toEqual([])
  })

  test('a code from an ended consent stays invalid after the person consents again, and a new code is valid', async () => {
    const email = 'again@example.com'
    const browser = await t.signedIn(email)
    const code = await codeFor(browser, shop)
    const row = await t.app.core.db
      .knex('oidc_artifact')
      .where({ kind: 'AuthorizationCode', account_id: await idOf(email) })
      .first()
    t.clock.advance({ seconds: 2 })
    expect((await endAccess(browser)).status).toBe(200)
    // As if the code had been written a moment after the end of the consent.
    await t.app.core.transact((tx) => tx.knex('oidc_artifact').insert(row))
    t.clock.advance({ seconds: 2 })
    const next = await codeFor(browser, shop)
    const answer = await redeem(t, shop, code)
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_grant'])
    expect((await redeem(t, shop, next)).status).toBe(200)
  })
})

test('a refresh token for an organization that requires two factors ends when its person removes the second factor', async () => {
  const email = 'strict@example.com'
  const { browser } = await withAuthenticator(t, email)
  const strict = await t.app.organizations.createFor(operator, { name: 'Strict', slug: 'strict' }, await idOf(email), true)
  await t.app.core.transact((tx) => tx.knex('organization').where({ id: strict.id }).update({ requires_second_factor: true }))
  expect((await browser.post('/organization/set-active', { organizationId: strict.id })).status).toBe(200)
  const held = (await redeem(t, shop, await codeFor(browser, shop, { ...offline, scope: 'openid offline_access organizations' })))
    .json
  const plain = await t.app.core.db.knex('oidc_artifact').where({ kind: 'RefreshToken', account_id: await idOf(email) })
  expect(JSON.parse(plain[0].payload).organizationId).toBe(strict.id)
  expect((await browser.post('/two-factor/disable', { password })).status).toBe(200)
  expect((await refresh(t, shop, held['refresh_token'])).status).toBe(400)
})

test('a password reset by mail and a reported security mail end consents to more scopes than name and email address', async () => {
  const scopesOf = async (email: string) =>
    t.app.core.db
      .knex('oauth_consent')
      .where({ user_id: await idOf(email), consent_given: true })
      .pluck('scopes')
  const profile = await register(t)
  const agreed = async (email: string) => {
    const browser = await t.signedIn(email)
    await t.verify(email)
    await codeFor(browser, shop, offline)
    await codeFor(browser, profile, { scope: 'openid profile email' })
    expect(await scopesOf(email)).toHaveLength(2)
  }
  await agreed('reset@example.com')
  await t.client().post('/request-password-reset', { email: 'reset@example.com' })
  const token = /reset-password\/(\w+)/.exec((await t.mailTo('reset@example.com', 'reset-password')).link)?.[1]
  expect((await t.client().post('/reset-password', { token, newPassword: 'another battery staple' })).status).toBe(200)
  expect(await scopesOf('reset@example.com')).toEqual(['openid profile email'])

  await agreed('notice@example.com')
  await t.client().post('/sign-in/email', { email: 'notice@example.com', password }, { 'user-agent': 'curl/8.0' })
  await t.mails()
  const report = new URL((await t.mailTo('notice@example.com', 'new-device')).link).searchParams.get('token')
  expect((await t.client().post('/not-me', { token: report })).status).toBe(200)
  expect(await scopesOf('notice@example.com')).toEqual(['openid profile email'])
})
