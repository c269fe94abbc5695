import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { statementsOf } from '../../support/statements.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  postForm,
  queryOf,
  redeem,
  refresh,
  register,
  uidOf,
  userinfo,
} from './flow.ts'
import {
  about,
  activate,
  claimsOfOwner,
  introspect,
  lasting,
  ofIdToken,
  ownerOf,
  removeMember,
  saidNow,
  shownAs,
  tokensFor,
} from './tenants.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t)
})
afterAll(() => t.stop())

const scope = 'openid organizations'

describe('the scope organizations', () => {
  test('claims about an organization require the scope organizations, and a refresh without this scope gives none', async () => {
    const ann = await ownerOf(t, 'Acme')
    const [acme] = ann.organizations
    await activate(t, ann, acme?.id ?? null)
    for (const organization of [undefined, acme?.id]) {
      const tokens = await tokensFor(t, ann, shop, { scope: 'openid profile offline_access', organization })
      expect([ofIdToken(tokens), ...(await saidNow(t, shop, tokens))]).toEqual([{}, {}, {}, {}])
    }
    const tokens = await tokensFor(t, ann, shop)
    const narrow = await refresh(t, shop, tokens['refresh_token'], { scope: 'openid' })
    expect(ofIdToken(narrow.json)).toEqual({})
    expect(about((await userinfo(t, narrow.json['access_token'])).json)).toEqual({})
    expect(ofIdToken((await refresh(t, shop, narrow.json['refresh_token'])).json)).toEqual(claimsOfOwner(acme))
  })

  test('the scope organizations needs consent, and the consent page names the organization', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = ann.organizations
    await codeFor(ann.browser, shop, { scope: 'openid' })
    await activate(t, ann, acme?.id ?? null)
    const asked = await ann.browser.request(authorizePath(shop, { scope }))
    expect(asked.location).toMatch(/^\/consent\?/)
    const shown = await ann.browser.api.oidc.interaction({ params: { uid: uidOf(asked) } })
    expect(shown).toMatchObject({ newScopes: ['organizations'], organization: shownAs(acme) })
    // The consent is for the organization that the page showed.
    await activate(t, ann, globex?.id ?? null)
    const { code } = queryOf((await goOn(ann.browser, asked)).location)
    expect(ofIdToken((await redeem(t, shop, code ?? '')).json)).toEqual(claimsOfOwner(acme))
  })

  test('after the person leaves the organization of a consent before the code is issued, the tokens have no organization', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = ann.organizations
    await activate(t, ann, acme?.id ?? null)
    const asked = await ann.browser.request(authorizePath(shop, { scope }))
    await removeMember(t, ann, acme?.id)
    await activate(t, ann, globex?.id ?? null)
    const { code } = queryOf((await goOn(ann.browser, asked)).location)
    expect(ofIdToken((await redeem(t, shop, code ?? '')).json)).toEqual({})
  })

  test('a consent for an organization does not apply to another organization that has taken its slug', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = ann.organizations
    const asked = await ann.browser.request(authorizePath(shop, { scope, organization: acme?.slug }))
    const shown = await ann.browser.api.oidc.interaction({ params: { uid: uidOf(asked) } })
    expect(shown.organization).toEqual(shownAs(acme))
    const rename = (organizationId = '', slug = '') =>
      ann.browser.api.organizations.updateOrganization({ body: { organizationId, data: { slug } } })
    await rename(acme?.id, `${acme?.slug}-old`)
    await rename(globex?.id, acme?.slug)
    expect(queryOf((await goOn(ann.browser, asked)).location)).toMatchObject({ error: 'access_denied' })
  })

  test('a machine client cannot have the scope organizations', async () => {
    const machine = await register(t, { type: 'machine', redirectUris: [] })
    const form = { grant_type: 'client_credentials', organization: (await ownerOf(t, 'Acme')).organizations[0]?.id }
    const refused = await postForm(t, machine, '/oauth2/token', { ...form, scope: 'organizations' })
    expect([refused.status, refused.json['error']]).toEqual([400, 'invalid_scope'])
    const { json } = await postForm(t, machine, '/oauth2/token', { ...form, scope: 'email' })
    expect(about(await introspect(t, machine, json['access_token']))).toEqual({})
    await expect(register(t, { type: 'machine', redirectUris: [], scope: ['organizations'] })).rejects.toMatchObject({
      code: 'INVALID_SCOPE',
    })
  })

  test('only clients registered for the scope organizations can use it, and discovery announces the scope with its claims', async () => {
    const ann = await ownerOf(t, 'Acme')
    const narrow = await register(t, { scope: ['openid', 'email'] })
    expect(queryOf((await ann.browser.request(authorizePath(narrow, { scope }))).location)['error']).toBe('invalid_scope')
    const { json } = await t.client().request('/.well-known/openid-configuration')
    expect(json['scopes_supported']).toContain('organizations')
    expect(json['prompt_values_supported']).toEqual(['none', 'login', 'consent', 'select_account', 'create'])
    for (const claim of ['org_id', 'org_slug', 'org_name', 'org_roles', 'org_teams'])
      expect(json['claims_supported']).toContain(claim)
  })
})

describe('an instance without organizations', () => {
  test('without organizations, discovery has neither the scope nor the prompt, and clients registered for the scope still work', async () => {
    const ann = await ownerOf(t, 'Acme')
    const before = await tokensFor(t, ann, shop)
    const off = await t.node({ organizations: { enabled: false } })
    const { json } = await off.client().request('/.well-known/openid-configuration')
    expect(json['scopes_supported']).not.toContain('organizations')
    expect(json['claims_supported']).not.toContain('org_id')
    const browser = off.client()
    for (const [name, value] of ann.browser.cookies) browser.cookies.set(name, value)
    const errorOf = async (params: Record<string, string>) =>
      queryOf((await browser.request(authorizePath(shop, params))).location)['error']
    expect(await errorOf({ scope })).toBe('invalid_scope')
    expect(await errorOf({ prompt: 'select_organization' })).toBe('invalid_request')
    expect(await codeFor(browser, shop, { scope: 'openid' })).toBeTruthy()
    expect(await saidNow(off, shop, before)).toEqual([{}, {}, {}])
    expect((await refresh(off, shop, before['refresh_token'])).status).toBe(200)
    await expect(register(off, { scope: ['openid', 'organizations'] })).rejects.toMatchObject({ code: 'INVALID_SCOPE' })
    await off.stop()
  })
})

test('claims about an organization cost one statement per use of a token with the scope organizations, and no statement without the scope', async () => {
  await t.app.jobs.stop()
  const ann = await ownerOf(t, 'Acme')
  await activate(t, ann, ann.organizations[0]?.id ?? null)
  const reads = async (work: () => Promise<unknown>): Promise<number> =>
    (await statementsOf(t, work)).filter(({ sql }) => /^select/i.test(sql)).length
  const counts = async (asked: string) => {
    const tokens = await tokensFor(t, ann, shop, { scope: asked })
    let [code, newest] = ['', tokens]
    return {
      authorize: await reads(async () => {
        code = await codeFor(ann.browser, shop, { scope: asked })
      }),
      redeem: await reads(() => redeem(t, shop, code)),
      userinfo: await reads(() => userinfo(t, tokens['access_token'])),
      introspect: await reads(() => introspect(t, shop, tokens['access_token'])),
      refresh: await reads(async () => {
        newest = (await refresh(t, shop, tokens['refresh_token'])).json
      }),
      hasIdToken: decodeJwt(String(newest['id_token'])).sub === ann.userId,
    }
  }
  const plain = { authorize: 2, redeem: 1, userinfo: 1, introspect: 1, refresh: 1, hasIdToken: true }
  expect(await counts('openid offline_access')).toEqual({ ...plain })
  expect(await counts(lasting.scope)).toEqual({
    authorize: 3,
    redeem: 2,
    userinfo: 2,
    introspect: 2,
    refresh: 2,
    hasIdToken: true,
  })
})
