import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  postForm,
  queryOf,
  redeem,
  redirectUri,
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
const outsider = {
  error: 'access_denied',
  error_description: 'the organization does not exist, or the user is not a member of it',
}

describe('an organization that the application names', () => {
  test('by id or slug is in ID token, userinfo and introspection, the same in each', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme] = ann.organizations
    for (const organization of [acme?.id, acme?.slug, acme?.slug.toUpperCase()]) {
      const tokens = await tokensFor(t, ann, shop, { organization })
      const claims = claimsOfOwner(acme)
      expect([ofIdToken(tokens), ...(await saidNow(t, shop, tokens))]).toEqual([claims, claims, claims, claims])
    }
  })

  test('is refused alike when the user is no member and when there is none: access_denied, with state and iss', async () => {
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

  test('is not taken for another whose slug is its id', async () => {
    const ann = await ownerOf(t, 'Acme')
    const { organizations } = await ownerOf(t, 'Foreign')
    const id = organizations[0]?.id ?? ''
    await t.app.core.db.knex('organization').where({ id: ann.organizations[0]?.id }).update({ slug: id.toLowerCase() })
    const answer = await ann.browser.request(authorizePath(shop, { organization: id, scope }))
    expect(queryOf(answer.location)).toMatchObject(outsider)
  })

  test('is kept in a pushed request', async () => {
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

  test('survives the sign-in that comes first', async () => {
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
  test('is taken when none is named, and only for a member', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme] = ann.organizations
    await activate(t, ann, acme?.id ?? null)
    expect(ofIdToken(await tokensFor(t, ann, shop))).toEqual(claimsOfOwner(acme))
    await removeMember(t, ann, acme?.id)
    expect(ofIdToken(await tokensFor(t, ann, shop))).toEqual({})
  })

  test('is not needed: without one, or with another tenant’s id, there are no claims', async () => {
    const ann = await ownerOf(t, 'Acme')
    const { organizations } = await ownerOf(t, 'Foreign')
    for (const id of [null, organizations[0]?.id ?? null]) {
      await activate(t, ann, id)
      const tokens = await tokensFor(t, ann, shop)
      expect([ofIdToken(tokens), ...(await saidNow(t, shop, tokens))]).toEqual([{}, {}, {}, {}])
    }
  })

  test('may be another for each application of one session, and changing it changes no token', async () => {
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

describe('at each use', () => {
  test('a member removed since says nothing any more, in userinfo, introspection and refresh', async () => {
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

  test('roles, teams and names are those of now, and the family stays with its organization', async () => {
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
  })
})

describe('the scope', () => {
  test('absent gives nothing, whatever is named or active, and a narrower refresh loses it', async () => {
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

  test('is asked for like every other one: by a person’s consent, and shows for whom the application will act', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = ann.organizations
    await codeFor(ann.browser, shop, { scope: 'openid' })
    await activate(t, ann, acme?.id ?? null)
    const asked = await ann.browser.request(authorizePath(shop, { scope }))
    expect(asked.location).toMatch(/^\/consent\?/)
    const shown = await ann.browser.api.oidc.interaction({ params: { uid: uidOf(asked) } })
    expect(shown).toMatchObject({ newScopes: ['organizations'], organization: shownAs(acme), organizations: [] })
    // What was shown is what is agreed to.
    await activate(t, ann, globex?.id ?? null)
    const { code } = queryOf((await goOn(ann.browser, asked)).location)
    expect(ofIdToken((await redeem(t, shop, code ?? '')).json)).toEqual(claimsOfOwner(acme))
  })

  test('agreed to for an organization that is lost before the code is given is for none', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = ann.organizations
    await activate(t, ann, acme?.id ?? null)
    const asked = await ann.browser.request(authorizePath(shop, { scope }))
    await removeMember(t, ann, acme?.id)
    await activate(t, ann, globex?.id ?? null)
    const { code } = queryOf((await goOn(ann.browser, asked)).location)
    expect(ofIdToken((await redeem(t, shop, code ?? '')).json)).toEqual({})
  })

  test('is not for machines, which act for nobody', async () => {
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

  test('is only for clients that were registered for it, and announced with its claims', async () => {
    const ann = await ownerOf(t, 'Acme')
    const narrow = await register(t, { scope: ['openid', 'email'] })
    expect(queryOf((await ann.browser.request(authorizePath(narrow, { scope }))).location)['error']).toBe('invalid_scope')
    const { json } = await t.client().request('/.well-known/openid-configuration')
    expect(json['scopes_supported']).toContain('organizations')
    expect(json['prompt_values_supported']).toEqual(['none', 'login', 'consent', 'select_organization'])
    for (const claim of ['org_id', 'org_slug', 'org_name', 'org_roles', 'org_teams'])
      expect(json['claims_supported']).toContain(claim)
  })
})

test('is one statement at each use of a token with the scope, and none without', async () => {
  await t.app.jobs.stop()
  const ann = await ownerOf(t, 'Acme')
  await activate(t, ann, ann.organizations[0]?.id ?? null)
  const reads = async (work: () => Promise<unknown>): Promise<number> => {
    let count = 0
    const note = ({ sql }: { sql: string }) => {
      if (/^select/i.test(sql)) count += 1
    }
    t.app.core.db.knex.on('query', note)
    await work()
    t.app.core.db.knex.off('query', note)
    return count
  }
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
