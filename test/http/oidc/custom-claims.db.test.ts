/** Claims added by the configuration. */
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configSchema } from '../../../src/composition.ts'
import { readConfig } from '../../../src/core/config.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { testSecret } from '../../support/secret.ts'
import { type Application, authorizePath, codeFor, postForm, queryOf, redeem, register, userinfo } from './flow.ts'

let t: TestApp
let admin: Client
let ann: Client
let shop: Application
let other: Application
let acme: string
beforeAll(async () => {
  t = await testApp({
    config: {
      users: { fields: { department: { type: 'string' } } },
      claims: {
        mappings: [
          { claim: 'department', from: 'user.fields.department' },
          { claim: 'https://acme.example/region', from: 'organization.metadata.region', scope: 'organizations' },
          { preset: 'roles', organization: 'acme' },
          { claim: 'my_company', from: 'organization.slug' },
          { preset: 'groups', organization: 'acme', clients: ['shop'] },
          { claim: 'is_premium', from: 'entitlement.premium', scope: 'billing' },
          { claim: 'login', from: 'user.email', clients: ['shop'] },
          { claim: 'instance_roles', from: 'user.roles', clients: ['shop'] },
        ],
      },
    },
  })
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin', email_verified: true }))
  ann = await t.signedIn('ann@example.com')
  shop = await register(t, { clientId: 'shop' })
  other = await register(t, { clientId: 'other' })
  const { id } = await ann.api.organizations.createOrganization({
    body: { name: 'Acme', slug: 'acme', metadata: { region: 'north' } },
  })
  acme = id
  await t.app.core.transact((tx) =>
    tx
      .knex('user')
      .where({ email: 'ann@example.com' })
      .update({ fields: JSON.stringify({ department: 'Sales' }) }),
  )
})
afterAll(() => t.stop())

const scope = 'openid profile organizations groups billing'
const claimsFor = async (application: Application, params: Record<string, string> = { organization: 'acme' }) => {
  const { json } = await redeem(t, application, await codeFor(ann, application, { scope, ...params }))
  return { tokens: json, info: (await userinfo(t, json['access_token'])).json }
}

describe('custom claims of the configuration', () => {
  test("a mapping adds fields, metadata, roles and entitlements to userinfo and introspection under claim names of the operator's choice", async () => {
    const { tokens, info } = await claimsFor(shop)
    expect(info).toMatchObject({
      department: 'Sales',
      'https://acme.example/region': 'north',
      roles: ['owner'],
      groups: ['owner', 'team:Acme'],
      is_premium: false,
      login: 'ann@example.com',
      instance_roles: ['user'],
    })
    expect(decodeJwt(String(tokens['id_token']))).toMatchObject({ groups: ['owner', 'team:Acme'], is_premium: false })
    const seen = await postForm(t, shop, '/oauth2/introspect', { token: String(tokens['access_token']) })
    expect(seen.json).toMatchObject({ 'https://acme.example/region': 'north', groups: ['owner', 'team:Acme'] })
  })

  test('a JWT access token contains the same mapped claims as introspection, even claims that only some clients get', async () => {
    const root = admin.api.apis
    await root.createApi({
      body: { identifier: 'urn:files', name: 'Files', clients: ['shop', 'other'].map((clientId) => ({ clientId })) },
    })
    const groupsOf = async (application: Application) => {
      const { tokens } = await claimsFor(application, { organization: 'acme', resource: 'urn:files' })
      return decodeJwt(String(tokens['access_token']))['groups']
    }
    expect(await groupsOf(shop)).toEqual((await claimsFor(shop)).info['groups'])
    expect(await groupsOf(other)).toEqual((await claimsFor(other)).info['groups'])
    expect(await groupsOf(shop)).not.toEqual(await groupsOf(other))
  })

  test('if a claim about an organization is mapped to the scope profile, consent for one organization does not count for another', async () => {
    const bob = await t.signedIn('bob@example.com')
    for (const slug of ['north', 'south']) await bob.api.organizations.createOrganization({ body: { name: slug, slug } })
    const request = (organization: string) => authorizePath(other, { scope: 'openid profile', organization, prompt: 'none' })
    const silently = async (organization: string) => queryOf((await bob.request(request(organization))).location)
    await codeFor(bob, other, { scope: 'openid profile', organization: 'north' })
    expect(await silently('north')).toMatchObject({ code: expect.any(String) })
    expect(await silently('south')).toMatchObject({ error: 'consent_required' })
  })

  test('a mapped claim is given only to its listed clients, and only with its scope', async () => {
    const { info } = await claimsFor(other)
    expect(info).toMatchObject({ department: 'Sales', roles: ['owner'], groups: ['acme:owner', 'acme:team:Acme'] })
    expect(info).not.toHaveProperty('login')
    const { json } = await redeem(t, shop, await codeFor(ann, shop, { scope: 'openid email' }))
    expect((await userinfo(t, json['access_token'])).json).not.toHaveProperty('department')
  })

  test('a mapping limited to one organization shows no data of another organization, whoever founded it', async () => {
    await ann.api.organizations.createOrganization({ body: { name: 'Mallory', slug: 'mallory' } })
    const { info } = await claimsFor(shop, { organization: 'mallory' })
    expect(info).toMatchObject({ org_slug: 'mallory', groups: [] })
    expect(info).not.toHaveProperty('roles')
  })

  test("discovery lists mapped claims, and the console and the explain command show a real person's mapped claims with their source", async () => {
    const { json } = await t.client().request('/.well-known/openid-configuration')
    expect(json['claims_supported']).toEqual(expect.arrayContaining(['department', 'roles', 'is_premium', 'login']))
    const { claims } = await admin.api.applications.previewClaims({
      params: { clientId: 'shop' },
      query: { user: 'ann@example.com', organization: acme },
    })
    expect(claims.find(({ name }) => name === 'roles')).toMatchObject({
      value: ['owner'],
      feature: 'claims',
      scope: 'profile',
      origins: [{ rule: 'claims.mappings.2', row: 'organization.roles' }, { rule: 'member.role' }],
    })
  })
})

describe('the configuration of custom claims', () => {
  const problemOf = (mapping: object, more: object = {}) => {
    try {
      readConfig(configSchema, { env: {}, flags: { claims: { mappings: [mapping] }, secret: [testSecret], ...more } })
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  test.each(['sub', 'iss', 'aud', 'acr', 'act', 'cnf', 'scope', 'client_id', 'email', 'name', 'org_roles', 'entitlements'])(
    'the configuration refuses a mapping to the claim name %s, because the name already has a meaning',
    (claim) => {
      expect(problemOf({ claim, from: 'user.id' })).toMatch(/claims\.mappings\.0\.claim.*choose another name/)
    },
  )

  test('the configuration refuses unknown sources, incomplete mappings, and roles without a named organization if anybody may create organizations', () => {
    expect(problemOf({ claim: 'x', from: 'user.password' })).toContain('claims.mappings.0.from')
    expect(problemOf({ claim: 'x' })).toContain('is missing')
    expect(problemOf({ claim: 'x y', from: 'user.id' })).toContain('must begin with a letter')
    expect(problemOf({ claim: 'groups', from: 'user.roles' })).toContain('scope: groups')
    expect(problemOf({ preset: 'roles' })).toContain('needs organization')
    expect(problemOf({ preset: 'roles' }, { organizations: { creation: 'admins' } })).toBe('')
    expect(problemOf({ preset: 'groups', organization: 'acme' })).toBe('')
  })
})
