/** Organizations that require a second factor of everybody who acts for them. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client, Json } from '../../support/client.ts'
import { codeOf, withAuthenticator } from '../../support/totp.ts'
import { createKey, program } from '../api-keys/keys.ts'
import { authorizePath, register } from '../oidc/flow.ts'
import { introspect, tokensFor } from '../oidc/tenants.ts'
import { activeOf, add, create, joined, to } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  t.clock.hold()
})
beforeEach(() => t.clock.advance({ seconds: 90 }))
afterAll(() => t.stop())

const refused = [403, 'SECOND_FACTOR_REQUIRED']
const outcome = async (answer: Promise<{ readonly status: number; readonly json: Record<string, unknown> }>) => {
  const { status, json } = await answer
  return status === 200 ? 200 : [status, json['code']]
}
const requireIt = (client: Client, organizationId: string, requiresSecondFactor = true) =>
  client.post('/organization/update', { organizationId, data: { requiresSecondFactor } })

/** An owner with a second factor, in an organization that does not require one yet. */
const strictOwner = async (slug: string) => {
  const { browser } = await withAuthenticator(t, `${slug}@example.com`)
  await t.verify(`${slug}@example.com`)
  return { browser, organizationId: await create(browser, slug) }
}

test('an update with requireSecondFactor in place of requiresSecondFactor is refused and changes nothing', async () => {
  const { browser, organizationId } = await strictOwner('renamed')
  const answer = await browser.post('/organization/update', { organizationId, data: { requireSecondFactor: true } })
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('requiresSecondFactor')])
  expect((await browser.request(to('get-organization', { organizationId }))).json).toMatchObject({ requiresSecondFactor: false })
})

test('an owner can require a second factor only in a session of two factors, and every member sees the requirement', async () => {
  const client = await t.signedIn('weak-owner@example.com')
  const organizationId = await create(client, 'weak')
  expect(await outcome(requireIt(client, organizationId))).toEqual(refused)
  expect((await client.request(to('get-organization', { organizationId }))).json).toMatchObject({ requiresSecondFactor: false })
  const { browser, organizationId: own } = await strictOwner('strict')
  expect((await requireIt(browser, own)).json).toMatchObject({ id: own, requiresSecondFactor: true })
  expect((await requireIt(browser, own, false)).json).toMatchObject({ requiresSecondFactor: false })
  const changes = await t.app.core.db.knex('event').where({ type: 'organization.updated', organization_id: own }).pluck('data')
  expect(changes.map((data) => (typeof data === 'string' ? JSON.parse(data) : data).after)).toEqual(
    expect.arrayContaining([{ requiresSecondFactor: true }, { requiresSecondFactor: false }]),
  )
})

test('an administrator can require a second factor of an organization by the API only in a session of two factors', async () => {
  const { browser, organizationId } = await strictOwner('by-admin')
  const admin = await signedInAs(t, 'admin', 'weak-admin@example.com')
  const patch = (client: Client) =>
    client.request(`/admin/organizations/${organizationId}`, {
      ...{ method: 'PATCH', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ requiresSecondFactor: true }),
    })
  expect(await outcome(patch(admin))).toEqual(refused)
  await t.app.core.db.knex('user').where({ email: 'by-admin@example.com' }).update({ role: 'admin' })
  expect((await patch(browser)).json).toMatchObject({ requiresSecondFactor: true })
})

test('a session of one factor cannot act for an organization that requires two, but can leave it or decline its invitations', async () => {
  const { browser, organizationId } = await strictOwner('acting')
  const { client } = await joined(t, organizationId, 'one-factor@example.com', 'admin')
  await client.post('/organization/set-active', { organizationId })
  const other = await create(client, 'one-factor-own')
  await client.post('/organization/set-active', { organizationId })
  expect(await activeOf(client)).toBe(organizationId)
  await requireIt(browser, organizationId)
  expect(await activeOf(client)).toBeNull()
  expect(await activeOf(browser)).toBe(organizationId)
  const named = { organizationId }
  for (const call of [
    client.post('/organization/set-active', named),
    client.post('/organization/set-active', { organizationSlug: 'ACTING' }),
    client.request(to('get-organization', named)),
    client.request(to('get-full-organization', named)),
    client.request(to('list-members', named)),
    client.request(to('list-invitations', named)),
    client.request(to('list-teams', named)),
    client.request(to('get-active-member', named)),
    client.post('/organization/has-permission', { permissions: { member: ['create'] }, ...named }),
    client.post('/organization/invite-member', { email: 'x@example.com', role: 'member', ...named }),
    client.post('/organization/update', { data: { name: 'Mine' }, ...named }),
    client.request(`/hosted/organization?organizationSlug=acting`),
    client.request(to('list-members', {}), { headers: { 'gatehouse-organization': 'acting' } }),
  ])
    expect(await outcome(call)).toEqual(refused)
  expect(await outcome(client.request(to('get-organization', { organizationId: other })))).toBe(200)
  expect(await outcome(browser.request(to('list-members', named)))).toBe(200)
  expect(await outcome(client.post('/organization/leave', named))).toBe(200)
  const invited = await t.signedIn('declines@example.com')
  await t.verify('declines@example.com')
  const invitation = await browser.post('/organization/invite-member', {
    email: 'declines@example.com',
    role: 'member',
    ...named,
  })
  expect(await outcome(invited.post('/organization/reject-invitation', { invitationId: invitation.json['id'] }))).toBe(200)
})

test('a person with one factor can accept an invitation to an organization that requires two, and can act for it only with two', async () => {
  const { browser, organizationId } = await strictOwner('accepting')
  await requireIt(browser, organizationId)
  const client = await t.signedIn('accepts@example.com')
  await t.verify('accepts@example.com')
  const { json } = await browser.post('/organization/invite-member', { email: 'accepts@example.com', role: 'member' })
  expect(await outcome(client.post('/organization/accept-invitation', { invitationId: json['id'] }))).toBe(200)
  expect(await activeOf(client)).toBeNull()
  expect(await outcome(client.post('/organization/set-active', { organizationId }))).toEqual(refused)
  const { totpURI } = await client.api.twoFactor.enable({ body: { password } })
  await client.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  expect(await outcome(client.post('/organization/set-active', { organizationId }))).toBe(200)
})

test("an organization's API key needs no second factor, and a person's API key works for a strict organization only if the person has one", async () => {
  const { browser, organizationId } = await strictOwner('keys')
  const { client } = await joined(t, organizationId, 'key-holder@example.com', 'admin')
  const permissions = ['member:read'] as const
  const weak = await createKey(client, { permissions })
  const strong = await createKey(browser, { permissions })
  const own = await createKey(browser, { permissions, organizationId })
  await requireIt(browser, organizationId)
  const list = ({ key }: { readonly key: string }) => program(t, key).get(to('list-members', { organizationId }))
  expect(await outcome(list(weak))).toEqual(refused)
  expect(await outcome(list(strong))).toBe(200)
  expect(await outcome(list(own))).toBe(200)
})

testOnBoth(
  'requiring a second factor ends only the codes and tokens for the organization that were obtained with one factor',
  async () => {
    const { browser, organizationId } = await strictOwner('tokens')
    const { client } = await joined(t, organizationId, 'token-holder@example.com')
    const shop = await register(t)
    const holder = { email: '', userId: '', organizations: [] }
    const of = (one: Client, organization?: string) => tokensFor(t, { ...holder, browser: one }, shop, { organization })
    const [weak, other, strong] = [await of(client, organizationId), await of(client), await of(browser, organizationId)]
    const active = async (tokens: Json) =>
      (await Promise.all([tokens['access_token'], tokens['refresh_token']].map((token) => introspect(t, shop, token)))).map(
        (answer) => answer['active'],
      )
    expect(await active(weak)).toEqual([true, true])
    await requireIt(browser, organizationId)
    expect(await active(weak)).toEqual([false, false])
    expect(await active(other)).toEqual([true, true])
    expect(await active(strong)).toEqual([true, true])
  },
)

testOnBoth(
  'a member who is removed and added again does not regain tokens for the organization that were obtained with one factor',
  async () => {
    const { browser, organizationId } = await strictOwner('rejoined')
    const { client } = await joined(t, organizationId, 'rejoining@example.com')
    const shop = await register(t)
    const holder = { browser: client, email: '', userId: '', organizations: [] }
    const tokens = await tokensFor(t, holder, shop, { organization: organizationId })
    const others = await tokensFor(t, holder, shop, {})
    const email = 'rejoining@example.com'
    await browser.post('/organization/remove-member', { memberIdOrEmail: email, organizationId })
    await requireIt(browser, organizationId)
    expect(await introspect(t, shop, tokens['access_token'])).not.toHaveProperty('org_id')
    await add(t, organizationId, client)
    const answers = [tokens['access_token'], tokens['refresh_token'], others['access_token']].map((one) =>
      introspect(t, shop, one),
    )
    expect((await Promise.all(answers)).map(({ active }) => active)).toEqual([false, false, true])
  },
)

test('an application gets a code for an organization that requires two factors only after two, and a code without an organization after one', async () => {
  const { browser, organizationId } = await strictOwner('asked')
  const { client: ann } = await joined(t, organizationId, 'asked-member@example.com')
  await requireIt(browser, organizationId)
  const application = await register(t, { skipConsent: true })
  const ask = (client: Client) => client.request(authorizePath(application, { organization: 'asked' }))
  expect((await ask(ann)).location).toMatch(/^\/two-factor\?interaction=/)
  expect((await ann.request(authorizePath(application))).location).toMatch(/[?&]code=/)
  expect((await ask(browser)).location).toMatch(/[?&]code=/)
})
