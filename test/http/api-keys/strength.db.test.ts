/** API keys have the strength of the session that created them, and are mailed like a sign-in method. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { outcome, passkeySteps } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator } from '../../support/totp.ts'
import { operator } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  t.clock.hold()
})
afterAll(() => t.stop())

const { personWithPasskey, signIn } = passkeySteps(() => t)
const idOf = async (email: string) => (await t.app.users.require(t.app.core.db, email)).id
const read = (key: string, path: string) => t.client().request(path, { headers: { authorization: `Bearer ${key}` } })
const makeKey = async (client: Client, body: object) => {
  const made = await client.post('/api-key/create', { name: 'Export', ...body })
  expect(outcome(made)).toEqual([200, null])
  return made.json as { key: string; id: string }
}

test('an API key acts for an organization that requires two factors only if the key was created in a session of two factors', async () => {
  const email = 'weak@example.com'
  const member = await t.signedIn(email)
  const strict = await t.app.organizations.createFor(operator, { name: 'Strict', slug: 'strict' }, await idOf(email), true)
  const weak = await makeKey(member, { permissions: ['organization:read', 'member:read'] })
  const members = (key: string) => read(key, `/organization/list-members?organizationId=${strict.id}`)
  expect((await members(weak.key)).status).toBe(200)
  await t.app.core.transact((tx) => tx.knex('organization').where({ id: strict.id }).update({ requires_second_factor: true }))
  expect(outcome(await members(weak.key))).toEqual([403, 'SECOND_FACTOR_REQUIRED'])

  const { browser } = await withAuthenticator(t, 'strong@example.com')
  await t.app.members.add(operator, {
    organization: strict.id,
    user: 'strong@example.com',
    role: 'admin',
    allowsUnverified: true,
  })
  const strong = await makeKey(browser, { permissions: ['organization:read', 'member:read'] })
  expect((await members(strong.key)).status).toBe(200)
})

test('after a rotation in a session of one factor, an API key counts as created with one factor', async () => {
  const email = 'rotating@example.com'
  const { client, authenticator } = await personWithPasskey(email)
  const strict = await t.app.organizations.createFor(operator, { name: 'Strict', slug: 'strict-2' }, await idOf(email), true)
  await signIn(client, authenticator)
  const { id, key } = await makeKey(client, { permissions: ['organization:read', 'member:read'] })
  await t.app.core.transact((tx) => tx.knex('organization').where({ id: strict.id }).update({ requires_second_factor: true }))
  const members = (text: string) => read(text, `/organization/list-members?organizationId=${strict.id}`)
  expect((await members(key)).status).toBe(200)

  const stronger = await client.post('/api-key/rotate', { keyId: id, overlapSeconds: 0 })
  expect((await members(String(stronger.json['key']))).status).toBe(200)
  const browser = t.client()
  await browser.post('/sign-in/email', { email, password })
  const weaker = await browser.post('/api-key/rotate', { keyId: id, overlapSeconds: 0 })
  expect(outcome(await members(String(weaker.json['key'])))).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
  const row = await t.app.core.db.knex('api_key').where({ id }).first()
  expect([row.factors, row.acr]).toEqual([1, 'urn:gatehouse:acr:1fa'])
})

test('an API key does not act if two factors are required and its person has removed the second factor', async () => {
  const email = 'removing@example.com'
  const { browser } = await withAuthenticator(t, email)
  const strict = await t.app.organizations.createFor(operator, { name: 'Strict', slug: 'strict-3' }, await idOf(email), true)
  const { key } = await makeKey(browser, { permissions: ['organization:read', 'member:read'] })
  await t.app.core.transact((tx) => tx.knex('organization').where({ id: strict.id }).update({ requires_second_factor: true }))
  const members = () => read(key, `/organization/list-members?organizationId=${strict.id}`)
  expect((await members()).status).toBe(200)
  expect(outcome(await browser.post('/two-factor/disable', { password }))).toEqual([200, null])
  expect(outcome(await members())).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
  const given = await makeKey(browser, { permissions: ['organization:read', 'member:read'] })
  const weak = t.client()
  await weak.post('/sign-in/email', { email, password })
  const rotated = await weak.post('/api-key/rotate', { keyId: given.id, overlapSeconds: 0 })
  // A new telephone: the key was created with two factors, so it acts again.
  const { json } = await browser.post('/two-factor/enable', { password })
  t.clock.advance({ seconds: 30 })
  expect((await browser.post('/two-factor/verify-totp', { code: codeOf(String(json['totpURI'])) })).status).toBe(200)
  expect((await members()).status).toBe(200)
  // A secret issued in a session of one factor does not count as two.
  expect(outcome(await read(String(rotated.json['key']), '/organization/list'))).toEqual([401, 'INVALID_API_KEY'])
})

test('switching two-step verification on ends API keys created with one factor, and keys created later stay', async () => {
  const client = await t.signedIn('later@example.com')
  const { key } = await makeKey(client, { permissions: ['account:read'] })
  const { totpURI } = await client.api.twoFactor.enable({ body: { password } })
  expect((await read(key, '/organization/list')).status).not.toBe(401)
  await client.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  expect(outcome(await read(key, '/organization/list'))).toEqual([401, 'INVALID_API_KEY'])
  const { id } = await makeKey(client, { permissions: ['account:read'] })
  const row = await t.app.core.db.knex('api_key').where({ id }).first()
  expect([row.factors, row.acr]).toEqual([2, 'urn:gatehouse:acr:2fa'])
})

test('an API key created with one factor loses instance permissions once its person has to use two factors', async () => {
  const email = 'support@example.com'
  const client = await t.signedIn(email)
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role: 'support' }))
  const { key } = await makeKey(client, { permissions: ['users:read'] })
  expect((await read(key, '/admin/users')).status).toBe(200)
  const now = t.app.core.clock.now()
  const required = { second_factor_since: now, second_factor_due: now }
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update(required))
  expect((await read(key, '/admin/users')).status).toBe(403)
})

test('a new API key is mailed to its owner like a new sign-in method, and reporting the mail ends the key', async () => {
  const email = 'told@example.com'
  const client = await t.signedIn(email)
  await t.verify(email)
  const { key } = await makeKey(client, { permissions: ['account:read'] })
  await t.mails()
  const { link, raw } = await t.mailTo(email, 'api-key-created')
  expect(raw).toContain('An API key was created')
  expect(raw).not.toContain('administrator')
  const token = new URL(link).searchParams.get('token')
  expect((await t.client().post('/not-me', { token })).status).toBe(200)
  expect(outcome(await read(key, '/organization/list'))).toEqual([401, 'INVALID_API_KEY'])
})

test("reporting a mail ends an organization API key that somebody else created in the person's name, and keeps older keys", async () => {
  const email = 'org-owner@example.com'
  const client = await t.signedIn(email)
  await t.verify(email)
  const { id: organizationId } = await t.app.organizations.createFor(
    operator,
    { name: 'Own', slug: 'own-one' },
    await idOf(email),
    true,
  )
  const older = await makeKey(client, { organizationId, permissions: ['member:read'] })
  t.clock.advance({ minutes: 1 })
  const newer = await makeKey(client, { organizationId, permissions: ['member:read'] })
  await t.mails()
  const token = new URL((await t.mailTo(email, 'api-key-created')).link).searchParams.get('token')
  expect((await t.client().post('/not-me', { token })).status).toBe(200)
  const rows = await t.app.core.db.knex('api_key').where({ organization_id: organizationId }).pluck('id')
  expect([rows.includes(older.id), rows.includes(newer.id)]).toEqual([true, false])
})

test('a new secret of an API key is mailed, and reporting the mail ends the key, whoever created the key', async () => {
  const email = 'rotated@example.com'
  const client = await t.signedIn(email)
  await t.verify(email)
  const owner = { kind: 'organization', organization: '' } as const
  const { id: organization } = await t.app.organizations.createFor(
    operator,
    { name: 'Own', slug: 'own-two' },
    await idOf(email),
    true,
  )
  const make = () => t.app.apiKeys.create(operator, { ...owner, organization }, { name: 'Import', permissions: ['member:read'] })
  const [rotated, other] = [await make(), await make()]
  t.clock.advance({ minutes: 1 })
  const { json } = await client.post('/api-key/rotate', { keyId: rotated.id })
  const members = (key: string) => read(key, `/organization/list-members?organizationId=${organization}`)
  expect((await members(String(json['key']))).status).toBe(200)
  await t.mails()
  const { link, raw } = await t.mailTo(email, 'api-key-rotated')
  expect(raw).toContain('An API key got a new secret')
  const token = new URL(link).searchParams.get('token')
  expect((await t.client().post('/not-me', { token })).status).toBe(200)
  for (const key of [String(json['key']), rotated.key]) expect(outcome(await members(key))).toEqual([401, 'INVALID_API_KEY'])
  expect((await members(other.key)).status).toBe(200)
})

test('an organization API key requires a creator with a verified email address, and invites only if an owner has one', async () => {
  const email = 'unverified@example.com'
  const founder = await t.signedIn(email)
  const { id: organizationId } = await t.app.organizations.createFor(
    operator,
    { name: 'New', slug: 'new-one' },
    await idOf(email),
    true,
  )
  const body = { name: 'Import', organizationId, permissions: ['invitation:create'] }
  const refused = await founder.post('/api-key/create', body)
  expect(outcome(refused)).toEqual([403, 'API_KEY_NEEDS_A_MAKER_WITH_A_VERIFIED_ADDRESS'])

  const { key } = await t.app.apiKeys.create(
    operator,
    { kind: 'organization', organization: organizationId },
    { name: 'Import', permissions: ['invitation:create'] },
  )
  const invite = () =>
    t
      .client()
      .post('/organization/invite-member', { email: 'stranger@example.com', role: 'member' }, { authorization: `Bearer ${key}` })
  expect(outcome(await invite())).toEqual([403, 'EMAIL_VERIFICATION_REQUIRED_BEFORE_INVITING'])
  expect(await t.mailKinds('stranger@example.com')).toEqual([])
  await t.verify(email)
  expect((await invite()).status).toBe(200)
})
