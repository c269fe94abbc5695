/** The scope groups: roles and teams of the organization of the sign-in, in the form that proxies and Kubernetes read. */
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { authorizePath, codeFor, type Params, postForm, queryOf, redeem, register, uidOf, userinfo } from './flow.ts'
import { activate, introspect, type Owner, ownerOf, removeMember } from './tenants.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const scope = 'openid groups'
/** Groups in the ID token, at userinfo and at introspection. */
const groupsOf = async (owner: Owner, params: Params = {}, app = t) => {
  const narrow = await register(app, { scope: ['openid', 'email'] })
  const { json } = await redeem(app, narrow, await codeFor(owner.browser, narrow, { scope, ...params }))
  const said = await introspect(app, narrow, json['access_token'])
  const infos = [decodeJwt(String(json['id_token'])), (await userinfo(app, json['access_token'])).json, said]
  return { token: json['access_token'], groups: infos.map(({ groups }) => groups), narrow }
}

test('roles and teams of the active organization are groups, each prefixed with the slug of the organization', async () => {
  const ann = await ownerOf(t, 'Acme')
  const [acme] = ann.organizations
  await activate(t, ann, acme?.id ?? null)
  await t.app.core.db
    .knex('team')
    .where({ organization_id: acme?.id ?? '' })
    .update({ name: 'Design' })
  const expected = [`${acme?.slug}:owner`, `${acme?.slug}:team:Design`]
  expect((await groupsOf(ann)).groups).toEqual([expected, expected, expected])
})

test('a person without an organization and a former member have an empty list of groups', async () => {
  const ann = await ownerOf(t, 'Acme')
  expect((await groupsOf(ann)).groups).toEqual([[], [], []])
  const [acme] = ann.organizations
  const { token, narrow } = await groupsOf(ann, { organization: acme?.id })
  await removeMember(t, ann, acme?.id)
  expect((await introspect(t, narrow, token))['groups']).toEqual([])
})

test('the name of a team cannot look like a role or another organization in the claim groups', async () => {
  const ann = await ownerOf(t, 'Acme')
  const [acme] = ann.organizations
  await t.app.core.db
    .knex('team')
    .where({ organization_id: acme?.id ?? '' })
    .update({ name: 'other:admin' })
  const { groups } = await groupsOf(ann, { organization: acme?.id })
  expect(groups[0]).toEqual([`${acme?.slug}:owner`, `${acme?.slug}:team:other:admin`])
})

test('the name of a team is one group, even if a proxy joins groups by commas', async () => {
  const ann = await ownerOf(t, 'Acme')
  const [acme] = ann.organizations
  await t.app.core.db
    .knex('team')
    .where({ organization_id: acme?.id ?? '' })
    .update({ name: 'x,other:admin;other:owner|100%' })
  const { groups } = await groupsOf(ann, { organization: acme?.id })
  expect(groups[0]).toEqual([`${acme?.slug}:owner`, `${acme?.slug}:team:x%2Cother:admin%3Bother:owner%7C100%25`])
})

test('the scope groups needs consent, even for an application registered only for openid', async () => {
  const ann = await ownerOf(t, 'Acme')
  const narrow = await register(t, { scope: ['openid'] })
  const asked = await ann.browser.request(authorizePath(narrow, { scope }))
  expect(await ann.browser.api.oidc.interaction({ params: { uid: uidOf(asked) } })).toMatchObject({
    newScopes: ['openid', 'groups'],
    organizations: [{ slug: ann.organizations[0]?.slug }],
  })
  const { json } = await t.client().request('/.well-known/openid-configuration')
  expect(json['scopes_supported']).toContain('groups')
  expect(json['claims_supported']).toContain('groups')
})

test('a machine cannot have the scope groups, because a machine acts for no person', async () => {
  const machine = await register(t, { type: 'machine', redirectUris: [] })
  const { json } = await postForm(t, machine, '/oauth2/token', { grant_type: 'client_credentials', scope: 'groups' })
  expect(json['error']).toBe('invalid_scope')
})

test('on an instance without organizations the scope groups exists and gives an empty list', async () => {
  const off = await testApp({ config: { organizations: { enabled: false } } })
  const browser = await off.signedIn('ann@example.com')
  const shop = await register(off)
  const { json } = await redeem(off, shop, await codeFor(browser, shop, { scope }))
  expect(decodeJwt(String(json['id_token']))['groups']).toEqual([])
  expect(queryOf((await browser.request(authorizePath(shop, { scope: 'openid organizations' }))).location)['error']).toBe(
    'invalid_scope',
  )
  await off.stop()
})
