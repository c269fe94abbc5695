import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import {
  type Application,
  authorizePath,
  goOn,
  postForm,
  queryOf,
  redeem,
  redirectUri,
  refresh,
  register,
  uidOf,
} from './flow.ts'
import { activate, claimsOfOwner, introspect, ofIdToken, ownerOf, removeMember, saidNow, tokensFor } from './tenants.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t)
})
afterAll(() => t.stop())

const scope = 'openid organizations'
const outsider = {
  error: 'access_denied',
  error_description: 'the organization does not exist, or the user is not a member of it',
}

describe('an organization that the application names', () => {
  test('an organization named by id or by slug gives the same claims in ID token, userinfo and introspection', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme] = ann.organizations
    for (const organization of [acme?.id, acme?.slug, acme?.slug.toUpperCase()]) {
      const tokens = await tokensFor(t, ann, shop, { organization })
      const claims = claimsOfOwner(acme)
      expect([ofIdToken(tokens), ...(await saidNow(t, shop, tokens))]).toEqual([claims, claims, claims, claims])
    }
  })

  test('an unknown organization and an organization without the user get the same response: access_denied with state and iss', async () => {
    const ann = await ownerOf(t, 'Acme')
    const { organizations } = await ownerOf(t, 'Foreign')
    const [foreign] = organizations
    for (const organization of [foreign?.id, foreign?.slug, 'nobody', '\u0000', 'a b', 'a'.repeat(300)])
      for (const prompt of [undefined, 'none', 'select_organization']) {
        const { location } = await ann.browser.request(authorizePath(shop, { organization, prompt, scope }))
        expect(location?.startsWith(redirectUri)).toBe(true)
        expect(queryOf(location)).toEqual({ ...outsider, state: 'the state', iss: t.url })
      }
  })

  test('the id of one organization cannot be used as the slug of another', async () => {
    const ann = await ownerOf(t, 'Acme')
    const { organizations } = await ownerOf(t, 'Foreign')
    const id = organizations[0]?.id ?? ''
    await t.app.core.db.knex('organization').where({ id: ann.organizations[0]?.id }).update({ slug: id.toLowerCase() })
    const answer = await ann.browser.request(authorizePath(shop, { organization: id, scope }))
    expect(queryOf(answer.location)).toMatchObject(outsider)
  })

  test('a pushed request keeps the named organization', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [, globex] = ann.organizations
    const pushed = async (organization: string | undefined) => {
      const search = new URL(authorizePath(shop, { scope, organization }), t.url).searchParams
      const { json } = await postForm(t, shop, '/oauth2/par', Object.fromEntries(search))
      const path = `/oauth2/authorize?${new URLSearchParams({ client_id: shop.clientId, request_uri: String(json['request_uri']) })}`
      return queryOf((await goOn(ann.browser, await ann.browser.request(path))).location)
    }
    const { code } = await pushed(globex?.slug)
    expect(ofIdToken((await redeem(t, shop, code ?? '')).json)).toEqual(claimsOfOwner(globex))
    expect(await pushed('nobody')).toMatchObject(outsider)
  })

  test('the organization that the application named still applies after a sign-in', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [, globex] = ann.organizations
    const browser = t.client()
    const begun = await browser.request(authorizePath(shop, { scope, organization: globex?.id }))
    expect(begun.location).toMatch(/^\/sign-in\?/)
    await browser.api.accounts.signInEmail({ body: { email: ann.email, password: 'correct horse battery' } })
    const { code } = queryOf((await goOn(browser, await browser.request(`/interaction/${uidOf(begun)}`))).location)
    expect(ofIdToken((await redeem(t, shop, code ?? '')).json)).toEqual(claimsOfOwner(globex))
  })
})

describe('the active organization of the session', () => {
  test("the session's active organization is used if the application names none, and only for a member", async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme] = ann.organizations
    await activate(t, ann, acme?.id ?? null)
    expect(ofIdToken(await tokensFor(t, ann, shop))).toEqual(claimsOfOwner(acme))
    await removeMember(t, ann, acme?.id)
    expect(ofIdToken(await tokensFor(t, ann, shop))).toEqual({})
  })

  test('tokens have no organization claims without an active organization, or with the organization id of another instance', async () => {
    const ann = await ownerOf(t, 'Acme')
    const { organizations } = await ownerOf(t, 'Foreign')
    for (const id of [null, organizations[0]?.id ?? null]) {
      await activate(t, ann, id)
      const tokens = await tokensFor(t, ann, shop)
      expect([ofIdToken(tokens), ...(await saidNow(t, shop, tokens))]).toEqual([{}, {}, {}, {}])
    }
  })

  test('each application in a session may have another organization, and changing the active organization changes no token', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = ann.organizations
    const blog = await register(t, { name: 'Blog' })
    await activate(t, ann, acme?.id ?? null)
    const first = await tokensFor(t, ann, shop)
    await activate(t, ann, globex?.id ?? null)
    const second = await tokensFor(t, ann, blog)
    expect(await saidNow(t, shop, first)).toEqual(Array(3).fill(claimsOfOwner(acme)))
    expect(await saidNow(t, blog, second)).toEqual(Array(3).fill(claimsOfOwner(globex)))
    expect(ofIdToken((await refresh(t, shop, first['refresh_token'])).json)).toEqual(claimsOfOwner(acme))
    expect(ofIdToken((await refresh(t, blog, second['refresh_token'])).json)).toEqual(claimsOfOwner(globex))
  })
})

describe('claims about the organization of a token', () => {
  test('after a member is removed from the organization, userinfo, introspection and refresh have no claims about it', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = ann.organizations
    await activate(t, ann, globex?.id ?? null)
    const tokens = await tokensFor(t, ann, shop, { organization: acme?.id })
    await removeMember(t, ann, acme?.id)
    expect(await saidNow(t, shop, tokens)).toEqual([{}, {}, {}])
    expect(await introspect(t, shop, tokens['access_token'])).toMatchObject({ active: true, sub: ann.userId })
    const renewed = await refresh(t, shop, tokens['refresh_token'])
    expect(renewed.status).toBe(200)
    expect([ofIdToken(renewed.json), ...(await saidNow(t, shop, renewed.json))]).toEqual([{}, {}, {}, {}])
  })

  test('claims show the current roles, teams and names of the organization, and a refresh keeps the organization', async () => {
    const ann = await ownerOf(t, 'Acme')
    const [acme] = ann.organizations
    const organizationId = acme?.id ?? ''
    let tokens = await tokensFor(t, ann, shop, { organization: organizationId })
    const { knex } = t.app.core.db
    const at = new Date()
    await knex('member').where({ organization_id: organizationId }).update({ role: 'member,admin' })
    await knex('organization').where({ id: organizationId }).update({ name: 'Acme & Sons' })
    const [blue, red] = [`blue-${organizationId}`.slice(0, 32), `red-${organizationId}`.slice(0, 32)]
    for (const id of [blue, red]) await knex('team').insert({ id, organization_id: organizationId, name: id, created_at: at })
    const joined = { team_id: blue, user_id: ann.userId, created_at: at }
    await knex('team_member').insert({ id: blue, organization_id: organizationId, ...joined })
    const claims = {
      ...claimsOfOwner(acme),
      org_name: 'Acme & Sons',
      org_roles: ['member', 'admin'],
      org_teams: [...(acme?.teams ?? []), blue],
    }
    expect(await saidNow(t, shop, tokens)).toEqual([claims, claims, claims])
    for (let i = 0; i < 2; i += 1) {
      tokens = (await refresh(t, shop, tokens['refresh_token'])).json
      expect(ofIdToken(tokens)).toEqual(claims)
    }
    await knex('organization').where({ id: organizationId }).delete()
    expect(await saidNow(t, shop, tokens)).toEqual([{}, {}, {}])
    // Another organization of the user must not replace the one that they left, either.
    const other = await ann.browser.api.organizations.createOrganization({ body: { name: 'Heir', slug: organizationId } })
    expect(other.slug).toBe(organizationId.toLowerCase())
    expect(await saidNow(t, shop, tokens)).toEqual([{}, {}, {}])
  })
})
