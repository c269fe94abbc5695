import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Answer, Client as Browser } from '../../support/client.ts'
import { type Application, authorizePath, codeFor, goOn, queryOf, redeem, register, uidOf } from './flow.ts'
import { activate, claimsOfOwner, type Owner, ofIdToken, ownerOf, removeMember, shownAs, tokensFor } from './tenants.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t, { skipConsent: true })
})
afterAll(() => t.stop())

const scope = 'openid organizations'
const asking = { scope, prompt: 'select_organization' } as const
const chooser = /^\/choose-organization\?interaction=/

const begin = ({ browser }: Owner, params = {}, application = shop): Promise<Answer> =>
  browser.request(authorizePath(application, { ...asking, ...params }))
const choose = (browser: Browser, from: Answer, organizationId: string | null) =>
  browser.api.oidc.chooseOrganization({ body: { organizationId, interaction: uidOf(from) } })
/** Returns the claims of the ID token after a choice. */
const chosen = async (owner: Owner, from: Answer, organizationId: string | null, application = shop) => {
  const { redirectURI } = await choose(owner.browser, from, organizationId)
  const { code } = queryOf((await goOn(owner.browser, await owner.browser.request(redirectURI))).location)
  return ofIdToken((await redeem(t, application, code ?? '')).json)
}

describe('prompt=select_organization', () => {
  test('prompt=select_organization lists the person’s own organizations, and the tokens are for the chosen organization or for none', async () => {
    const ann = await ownerOf(t, 'Globex', 'acme')
    await ownerOf(t, 'Foreign')
    const [globex, acme] = ann.organizations
    await activate(t, ann, globex?.id ?? null)
    for (const [id, claims] of [
      [acme?.id ?? '', claimsOfOwner(acme)],
      [globex?.id ?? '', claimsOfOwner(globex)],
      [globex?.slug ?? '', claimsOfOwner(globex)],
      [null, {}],
    ] as const) {
      const asked = await begin(ann)
      expect(asked.location).toMatch(chooser)
      const shown = await ann.browser.api.oidc.interaction({ params: { uid: uidOf(asked) } })
      expect(shown).toMatchObject({
        prompt: 'select_organization',
        organization: null,
        organizations: [globex, acme].map(shownAs),
      })
      expect(await chosen(ann, asked, id)).toEqual(claims)
    }
  })

  test('a chosen organization does not become active in the session and does not apply to the next application', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [acme, globex] = ann.organizations
    const blog = await register(t, { skipConsent: true })
    expect(await chosen(ann, await begin(ann), globex?.id ?? '')).toEqual(claimsOfOwner(globex))
    expect((await begin(ann, {}, blog)).location).toMatch(chooser)
    expect(ofIdToken(await tokensFor(t, ann, blog, { scope, prompt: undefined }))).toEqual({})
    expect(await chosen(ann, await begin(ann, {}, blog), acme?.id ?? '', blog)).toEqual(claimsOfOwner(acme))
    expect((await ann.browser.api.sessions.getSession())?.session.activeOrganizationId).toBeNull()
  })

  test('a person in one organization or in none is not asked to choose', async () => {
    const one = await ownerOf(t, 'Acme')
    const none = await ownerOf(t)
    expect(ofIdToken(await tokensFor(t, one, shop, asking))).toEqual(claimsOfOwner(one.organizations[0]))
    expect(ofIdToken(await tokensFor(t, none, shop, asking))).toEqual({})
  })

  test('a person is not asked to choose when the application names the organization', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const [, globex] = ann.organizations
    const tokens = await tokensFor(t, ann, shop, { ...asking, organization: globex?.slug })
    expect(ofIdToken(tokens)).toEqual(claimsOfOwner(globex))
  })

  test("the operator's own consent page opens after the choice of the organization and shows the chosen organization", async () => {
    const own = await testApp({ config: { oidc: { rsaModulusLength: 2048, consentPage: '/my-consent' } } })
    const ann = await ownerOf(own, 'Acme', 'Globex')
    const [, globex] = ann.organizations
    const application = await register(own)
    const asked = await begin(ann, { prompt: 'login select_organization consent' }, application)
    expect(asked.location).toMatch(/^\/sign-in\?/)
    t.clock.advance({ seconds: 1 })
    await ann.browser.api.accounts.signInEmail({ body: { email: ann.email, password: 'correct horse battery' } })
    const second = await goOn(ann.browser, await ann.browser.request(`/interaction/${uidOf(asked)}`))
    expect(second.location).toMatch(chooser)
    expect((await ann.browser.request(`/interaction/${uidOf(second)}`)).location).toBe(second.location)
    const { redirectURI } = await choose(ann.browser, second, globex?.id ?? '')
    const third = await ann.browser.request(redirectURI)
    expect(third.location).toMatch(/^\/my-consent\?/)
    const shown = await ann.browser.api.oidc.interaction({ params: { uid: uidOf(third) } })
    expect(shown).toMatchObject({ prompt: 'consent', organization: shownAs(globex), needsOrganizationChoice: false })
    const agreed = await ann.browser.api.oidc.consent({ body: { accept: true, interaction: uidOf(third) } })
    const { code } = queryOf((await ann.browser.request(agreed.redirectURI)).location)
    expect(ofIdToken((await redeem(own, application, code ?? '')).json)).toEqual(claimsOfOwner(globex))
    await own.stop()
  })

  test('prompt=select_organization with prompt=none is an error, and no page asks for an organization unless the prompt requests the choice', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const both = await begin(ann, { prompt: 'none select_organization' })
    expect(queryOf(both.location)['error']).toBe('invalid_request')
    for (const prompt of ['none', undefined]) expect(await codeFor(ann.browser, shop, { scope, prompt })).toBeTruthy()
  })
})

describe('the choice of an organization', () => {
  test('only an organization of the person can be chosen, and foreign and unknown organizations get the same response', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const { organizations } = await ownerOf(t, 'Foreign')
    const asked = await begin(ann)
    for (const id of [organizations[0]?.id ?? '', organizations[0]?.slug ?? '', 'nobody'])
      await expect(choose(ann.browser, asked, id)).rejects.toMatchObject({ status: 400, code: 'ORGANIZATION_CANNOT_BE_CHOSEN' })
    expect(await chosen(ann, asked, ann.organizations[0]?.id ?? '')).toEqual(claimsOfOwner(ann.organizations[0]))
  })

  test('an organization can be chosen only in the browser that started the interaction, by its user, and if the request asked for a choice', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const bob = await ownerOf(t, 'Bobs', 'Second')
    const [acme] = ann.organizations
    const refused = { status: 404, code: 'INTERACTION_NOT_FOUND' }
    const asked = await begin(ann)
    await expect(choose(bob.browser, asked, bob.organizations[0]?.id ?? '')).rejects.toMatchObject(refused)
    await expect(ann.browser.api.oidc.consent({ body: { accept: true, interaction: uidOf(asked) } })).rejects.toMatchObject({
      status: 401,
      code: 'invalid_request',
    })
    await expect(choose(t.client(), asked, acme?.id ?? '')).rejects.toMatchObject({ status: 401 })

    // Another person signs in in the same browser, and is asked about their own organizations.
    await ann.browser.api.sessions.signOut()
    await ann.browser.api.accounts.signInEmail({ body: { email: bob.email, password: 'correct horse battery' } })
    await expect(choose(ann.browser, asked, acme?.id ?? '')).rejects.toMatchObject(refused)
    const anew = await goOn(ann.browser, await ann.browser.request(`/interaction/${uidOf(asked)}`))
    const shown = await ann.browser.api.oidc.interaction({ params: { uid: uidOf(anew) } })
    expect(shown.organizations.map(({ id }) => id)).toEqual(bob.organizations.map(({ id }) => id))

    const consent = await ann.browser.request(authorizePath(await register(t), { scope }))
    await expect(choose(ann.browser, consent, bob.organizations[0]?.id ?? '')).rejects.toMatchObject(refused)
  })

  test('a page of another origin cannot choose an organization', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex')
    const asked = await begin(ann)
    const body = { organizationId: null, interaction: uidOf(asked) }
    const answer = await ann.browser.post('/oauth2/choose-organization', body, { origin: 'https://evil.example' })
    expect([answer.status, answer.json['code']]).toEqual([403, 'INVALID_ORIGIN'])
  })

  test('after the person leaves the chosen organization before the code is issued, another choice is required, or the tokens have no organization', async () => {
    const ann = await ownerOf(t, 'Acme', 'Globex', 'Initech')
    const [acme, globex, initech] = ann.organizations
    const asked = await begin(ann)
    const { redirectURI } = await choose(ann.browser, asked, acme?.id ?? '')
    await removeMember(t, ann, acme?.id)
    const again = await ann.browser.request(redirectURI)
    expect(again.location).toMatch(chooser)
    const second = await choose(ann.browser, again, globex?.id ?? '')
    await removeMember(t, ann, globex?.id)
    const { code } = queryOf((await goOn(ann.browser, await ann.browser.request(second.redirectURI))).location)
    expect(ofIdToken((await redeem(t, shop, code ?? '')).json)).toEqual({})
    expect(ofIdToken(await tokensFor(t, ann, shop, asking))).toEqual(claimsOfOwner(initech))
  })
})
