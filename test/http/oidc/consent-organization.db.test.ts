import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Answer } from '../../support/client.ts'
import { type Application, authorizePath, goOn, queryOf, redeem, register, uidOf } from './flow.ts'
import { activate, claimsOfOwner, type Owner, ofIdToken, ownerOf, removeMember, shownAs } from './tenants.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
})
afterAll(() => t.stop())

const scope = 'openid organizations'

/** Starts an authorization that leads to the consent page, by default for a new application. */
const ask = async ({ browser }: Owner, application: Application, params = {}): Promise<Answer> => {
  const asked = await browser.request(authorizePath(application, { scope, ...params }))
  expect(asked.location).toMatch(/^\/consent\?/)
  return asked
}
const details = ({ browser }: Owner, asked: Answer) => browser.api.oidc.interaction({ params: { uid: uidOf(asked) } })
const agree = async ({ browser }: Owner, asked: Answer, organizationId?: string | null): Promise<Answer> => {
  const choice = organizationId === undefined ? {} : { organizationId }
  const { redirectURI } = await browser.api.oidc.consent({ body: { accept: true, interaction: uidOf(asked), ...choice } })
  return browser.request(redirectURI)
}
const claimsAfter = async (application: Application, { location }: Answer) =>
  ofIdToken((await redeem(t, application, queryOf(location)['code'] ?? '')).json)

test('the consent page lists the organizations of the person, and the tokens are for the chosen organization or for none', async () => {
  const ann = await ownerOf(t, 'Acme', 'Globex')
  await ownerOf(t, 'Foreign')
  const [acme, globex] = ann.organizations
  await activate(t, ann, acme?.id ?? null)
  for (const [chosen, claims] of [
    [undefined, claimsOfOwner(acme)],
    [globex?.id, claimsOfOwner(globex)],
    [globex?.slug, claimsOfOwner(globex)],
    [null, {}],
  ] as const) {
    const shop = await register(t)
    const asked = await ask(ann, shop)
    expect(await details(ann, asked)).toMatchObject({
      organization: shownAs(acme),
      organizations: [acme, globex].map(shownAs),
      needsOrganizationChoice: false,
    })
    expect(await claimsAfter(shop, await agree(ann, asked, chosen))).toEqual(claims)
  }
})

test('with prompt=select_organization the consent page itself offers the choice if consent is needed', async () => {
  const ann = await ownerOf(t, 'Acme', 'Globex')
  const [, globex] = ann.organizations
  const shop = await register(t)
  const asked = await ask(ann, shop, { prompt: 'select_organization' })
  expect(await details(ann, asked)).toMatchObject({ organization: null, needsOrganizationChoice: true })
  expect(await claimsAfter(shop, await agree(ann, asked, globex?.id))).toEqual(claimsOfOwner(globex))

  const again = await ask(ann, shop, { prompt: 'select_organization consent' })
  expect(await claimsAfter(shop, await agree(ann, again, null))).toEqual({})
})

test('a consent without the required choice of an organization leads to the page for choosing an organization', async () => {
  const ann = await ownerOf(t, 'Acme', 'Globex')
  const [acme] = ann.organizations
  const shop = await register(t)
  const answer = await agree(ann, await ask(ann, shop, { prompt: 'select_organization consent' }))
  expect(answer.location).toMatch(/^\/choose-organization\?/)
  const body = { organizationId: acme?.id ?? '', interaction: uidOf(answer) }
  const { redirectURI } = await ann.browser.api.oidc.chooseOrganization({ body })
  expect(await claimsAfter(shop, await goOn(ann.browser, await ann.browser.request(redirectURI)))).toEqual(claimsOfOwner(acme))
})

test('the consent page offers no choice to a person without an organization', async () => {
  const ann = await ownerOf(t)
  const shop = await register(t)
  const asked = await ask(ann, shop, { prompt: 'select_organization' })
  expect(await details(ann, asked)).toMatchObject({ organizations: [], needsOrganizationChoice: false })
  expect(await claimsAfter(shop, await agree(ann, asked))).toEqual({})
})

test('a consent cannot choose a foreign organization, or any organization if the application named one or asks for none', async () => {
  const ann = await ownerOf(t, 'Acme', 'Globex')
  const foreign = (await ownerOf(t, 'Foreign')).organizations[0]
  const [acme, globex] = ann.organizations
  const shop = await register(t)
  const refused = { status: 400, code: 'ORGANIZATION_CANNOT_BE_CHOSEN' }
  const asked = await ask(ann, shop)
  for (const id of [foreign?.id, foreign?.slug, 'nobody']) await expect(agree(ann, asked, id)).rejects.toMatchObject(refused)
  const named = await ask(ann, shop, { organization: acme?.slug })
  expect(await details(ann, named)).toMatchObject({ organization: shownAs(acme), organizations: [] })
  await expect(agree(ann, named, globex?.id)).rejects.toMatchObject(refused)
  await expect(agree(ann, named, null)).rejects.toMatchObject(refused)
  const plain = await ask(ann, shop, { scope: 'openid email' })
  expect((await details(ann, plain)).organizations).toEqual([])
  await expect(agree(ann, plain, acme?.id)).rejects.toMatchObject(refused)
  // The refused calls stored no consent.
  expect((await details(ann, await ask(ann, shop))).newScopes).toEqual(['openid', 'organizations'])
  const again = await ask(ann, shop, { organization: acme?.slug })
  expect(await claimsAfter(shop, await agree(ann, again))).toEqual(claimsOfOwner(acme))
})

test('an organization that the person leaves after choosing it at consent has to be chosen again', async () => {
  const ann = await ownerOf(t, 'Acme', 'Globex', 'Initech')
  const [acme] = ann.organizations
  const shop = await register(t)
  const asked = await ask(ann, shop, { prompt: 'select_organization consent' })
  const body = { accept: true, interaction: uidOf(asked), organizationId: acme?.id ?? '' }
  const { redirectURI } = await ann.browser.api.oidc.consent({ body })
  await removeMember(t, ann, acme?.id)
  expect((await ann.browser.request(redirectURI)).location).toMatch(/^\/choose-organization\?/)
})

test('an organization that requires two factors can be chosen at consent, and then the missing factor is requested', async () => {
  const ann = await ownerOf(t, 'Acme')
  const [acme] = ann.organizations
  const shop = await register(t)
  await t.app.core.db
    .knex('organization')
    .where({ id: acme?.id ?? '' })
    .update({ requires_second_factor: true })
  const answer = await agree(ann, await ask(ann, shop), acme?.id)
  expect(answer.location).toMatch(/^\/two-factor\?/)
  const { organization } = await details(ann, answer)
  expect(organization).toEqual(shownAs(acme))
  // Without the proof no code is issued, and the choice of the organization stays.
  expect((await ann.browser.request(`/interaction/${uidOf(answer)}`)).location).toMatch(/^\/two-factor\?/)
})
