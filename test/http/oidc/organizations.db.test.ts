import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser, Json } from '../../support/client.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  type Params,
  postForm,
  queryOf,
  redeem,
  redirectUri,
  refresh,
  register,
  uidOf,
  userinfo,
  verifier,
} from './flow.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  shop = await register(t)
})
afterAll(() => t.stop())

const scope = 'openid organizations'
const lasting = { scope: `${scope} offline_access`, prompt: 'consent' } as const
const outsider = {
  error: 'access_denied',
  error_description: 'the organization does not exist, or the user is not a member of it',
}

const { system } = { system: { kind: 'system', address: '', userAgent: '', requestId: 'test' } as const }
const create = (name: string, owner?: string) => t.app.organizations.create(system, { name, slug: name.toLowerCase() }, owner)
const userIdOf = async (browser: Browser) => (await browser.api.sessions.getSession())?.user.id ?? ''
const activate = async (browser: Browser, organizationId: string | null) => {
  const userId = await userIdOf(browser)
  await t.app.core.db.knex('session').where({ user_id: userId }).update({ active_organization_id: organizationId })
}
const remove = (organizationId: string, userId: string) =>
  t.app.core.db.knex('member').where({ organization_id: organizationId, user_id: userId }).delete()

/** Claims of organizations alone. */
const about = (claims: Json): Json => Object.fromEntries(Object.entries(claims).filter(([name]) => name.startsWith('org_')))
const ofIdToken = (tokens: Json) => about(decodeJwt(String(tokens['id_token'])))
const introspect = (token: unknown, application = shop) =>
  postForm(t, application, '/oauth2/introspect', { token: String(token) })
/** What ID token, userinfo and introspection of both tokens say. */
const said = async (tokens: Json, application = shop): Promise<Json[]> => [
  ofIdToken(tokens),
  about((await userinfo(t, tokens['access_token'])).json),
  about((await introspect(tokens['access_token'], application)).json),
  about((await introspect(tokens['refresh_token'], application)).json),
]
const four = (claims: Json) => [claims, claims, claims, claims]
const signIn = async (browser: Browser, params: Params = {}, application = shop): Promise<Json> =>
  (await redeem(t, application, await codeFor(browser, application, { ...lasting, ...params }))).json

let n = 0
/** Somebody new who owns these organizations, none of them active. */
const owner = async (...names: readonly string[]) => {
  n += 1
  const email = `owner${n}@example.com`
  const browser = await t.signedIn(email)
  const organizations = []
  for (const name of names) organizations.push(await create(`${name}${n}`, email))
  const ids = organizations.map(({ id }) => id)
  return { email, browser, userId: await userIdOf(browser), first: ids[0] ?? '', second: ids[1] ?? '', suffix: n }
}

describe('the organization of the parameter', () => {
  test('by id or slug is in ID token, userinfo and introspection, the same in each', async () => {
    const { browser, first, suffix } = await owner('Acme', 'Globex')
    const claims = { org_id: first, org_slug: `acme${suffix}`, org_name: `Acme${suffix}`, org_roles: ['owner'], org_teams: [] }
    for (const organization of [first, `acme${suffix}`, `ACME${suffix}`])
      expect(await said(await signIn(browser, { organization }))).toEqual(four(claims))
  })
})
