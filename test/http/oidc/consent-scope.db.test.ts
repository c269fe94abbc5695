/** The extent of a consent: for which organizations and scopes, and for how long. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { type Application, authorizePath, codeFor, goOn, queryOf, redeem, register, uidOf } from './flow.ts'

let t: TestApp
let ann: Client
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { consentTtlDays: 4 } } })
  ann = await t.signedIn('ann@example.com')
  shop = await register(t, { clientId: 'shop' })
  for (const slug of ['acme', 'globex']) await ann.api.organizations.createOrganization({ body: { name: slug, slug } })
})
afterAll(() => t.stop())

const ask = (scope: string, more: Record<string, string> = {}) => ann.request(authorizePath(shop, { scope, ...more }))
const isAsked = async (scope: string, more: Record<string, string> = {}) =>
  (await ask(scope, more)).location?.startsWith('/consent') === true

test('a person consents once for each organization', async () => {
  await codeFor(ann, shop, { scope: 'openid organizations', organization: 'acme' })
  expect(await isAsked('openid organizations', { organization: 'acme' })).toBe(false)
  expect(await isAsked('openid', { organization: 'globex' })).toBe(false)
  const asked = await ask('openid organizations', { organization: 'globex' })
  expect(asked.location).toMatch(/^\/consent/)
  const { newScopes, organization } = await ann.api.oidc.interaction({ params: { uid: uidOf(asked) } })
  expect([newScopes, organization?.slug]).toEqual([['organizations'], 'globex'])
  const silent = await ask('openid organizations', { organization: 'globex', prompt: 'none' })
  expect(queryOf(silent.location)['error']).toBe('consent_required')
  await goOn(ann, asked)
  expect(await isAsked('openid organizations', { organization: 'globex' })).toBe(false)
  expect(await isAsked('openid organizations', { organization: 'acme' })).toBe(false)
})

test('the consent page asks only for scopes that the person has not consented to', async () => {
  const asked = await ask('openid organizations email', { organization: 'acme' })
  const { newScopes } = await ann.api.oidc.interaction({ params: { uid: uidOf(asked) } })
  expect(newScopes).toEqual(['email'])
})

test('consent to a scope for one organization does not cover another organization', async () => {
  const bob = await t.signedIn('bob@example.com')
  const [one, two] = ['one', 'two']
  for (const slug of [one, two]) await bob.api.organizations.createOrganization({ body: { name: slug, slug } })
  const request = (scope: string, organization: string, more = {}) =>
    bob.request(authorizePath(shop, { scope, organization, ...more }))
  const silently = async (scope: string, organization: string) =>
    queryOf((await request(scope, organization, { prompt: 'none' })).location)['error']
  for (const slug of [one, two]) await goOn(bob, await request('openid organizations', slug))
  expect(await silently('openid organizations', one)).toBeUndefined()
  // The second organization gets one scope more.
  await goOn(bob, await request('openid organizations billing', two))
  expect(await silently('openid organizations billing', two)).toBeUndefined()
  expect(await silently('openid organizations billing', one)).toBe('consent_required')

  // A third organization gets a consent without organization scopes, and then one with fewer scopes than the second.
  await bob.api.organizations.createOrganization({ body: { name: 'three', slug: 'three' } })
  await goOn(bob, await request('openid email', 'three'))
  expect(await silently('openid organizations', 'three')).toBe('consent_required')
  await goOn(bob, await request('openid organizations', 'three'))
  expect(await silently('openid organizations', 'three')).toBeUndefined()
  expect(await silently('openid organizations billing', 'three')).toBe('consent_required')
})

test('a consent from before consents were per organization applies to all organizations', async () => {
  await t.app.core.transact((tx) => tx.knex('oauth_consent').update({ organizations: null }))
  await ann.api.organizations.createOrganization({ body: { name: 'initech', slug: 'initech' } })
  expect(await isAsked('openid organizations', { organization: 'initech' })).toBe(false)
})

test('a consent expires after the configured time, and then the person is asked again', async () => {
  expect(
    (
      await t.app.oidc.grants.listOf(systemPrincipal('test'), 'ann@example.com', {
        sort: 'updatedAt',
        order: 'desc',
        limit: 10,
        after: undefined,
      })
    ).consents,
  ).toMatchObject([{ clientId: 'shop', organizationIds: null, expiresAt: expect.any(Date) }])
  t.clock.advance({ days: 3 })
  expect(await isAsked('openid organizations', { organization: 'acme' })).toBe(false)
  t.clock.advance({ days: 2 })
  const asked = await ask('openid organizations', { organization: 'acme' })
  expect(asked.location).toMatch(/^\/consent/)
  const { newScopes } = await ann.api.oidc.interaction({ params: { uid: uidOf(asked) } })
  expect(newScopes).toEqual(['openid', 'organizations'])
  const done = await goOn(ann, asked)
  const redeemed = await redeem(t, shop, queryOf(done.location)['code'] ?? '')
  expect(redeemed.json).toMatchObject({ scope: 'openid organizations' })
  expect(await isAsked('openid organizations', { organization: 'acme' })).toBe(false)
  // Nothing of the expired consent is left.
  expect(await isAsked('openid email')).toBe(true)
})
