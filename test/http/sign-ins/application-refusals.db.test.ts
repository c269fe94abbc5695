/** Refusals of applications: each reason is caused by a refusal of the engine itself, and shown with its remedy. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  goOn,
  offline,
  type Params,
  postForm,
  redeem,
  refresh,
  register,
} from '../oidc/flow.ts'

let t: TestApp
let support: Client
let ann: Client
beforeAll(async () => {
  t = await testApp({ config: { signIns: { perPersonHourly: 500 } } })
  support = await signedInAs(t, 'support')
  ann = await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

const ask = (application: Application, params: Params) => ann.request(authorizePath(application, params))
const plain = { code_challenge: undefined, code_challenge_method: undefined }
/** The listed refusals of one application, oldest first. */
const told = async ({ clientId }: Application) => {
  const { failures } = await support.api.signIns.listSignInFailures({ query: { clientId, order: 'asc' } })
  return failures.map(({ what, remedy, detail, text }) => ({ what, remedy, detail, text }))
}

test('every refusal about PKCE has the reason pkce: a missing, plain or broken challenge, and each wrong verifier', async () => {
  const shop = await register(t, { pkce: 'required' })
  const lax = await register(t)
  const pages = [
    plain,
    { code_challenge_method: 'plain' },
    { code_challenge_method: undefined },
    { code_challenge: undefined },
    { code_challenge: 'short' },
  ]
  for (const params of pages) await ask(shop, params)
  await postForm(t, shop, '/oauth2/par', {
    ...{ client_id: shop.clientId, response_type: 'code', redirect_uri: 'https://rp.example/callback', scope: 'openid' },
  })
  for (const code_verifier of [undefined, 'x'.repeat(50), 'short'])
    await redeem(t, shop, await codeFor(ann, shop), { code_verifier })
  await redeem(t, lax, await codeFor(ann, lax, plain))
  const all = await told(shop)
  expect(all.map(({ what, detail }) => (what === 'pkce' ? what : detail))).toEqual(Array(9).fill('pkce'))
  expect((await told(lax)).map(({ what }) => what)).toEqual(['pkce'])
})

test('the explanation of a missing challenge names the command by which an application with a secret needs no challenge', async () => {
  const [shop, spa] = [await register(t, { pkce: 'required' }), await register(t, { type: 'spa' })]
  for (const application of [shop, spa]) await ask(application, plain)
  expect(await told(shop)).toMatchObject([{ remedy: `gatehouse update-client ${shop.clientId} --pkce optional` }])
  expect(await told(spa)).toMatchObject([{ what: 'pkce', remedy: null }])
})

test('the explanation names refused scopes, and not scopes that the application may have', async () => {
  const narrow = await register(t, { scope: ['openid', 'email'] })
  await ask(narrow, { scope: 'openid email api profile' })
  await ask(narrow, { scope: 'openid code_challenge' })
  const [refused, misleading] = await told(narrow)
  expect(misleading).toMatchObject({ what: 'scope', detail: expect.stringContaining('code_challenge') })
  expect(refused).toMatchObject({ what: 'scope', remedy: `gatehouse update-client ${narrow.clientId} --unknown-scopes ignore` })
  expect(refused?.text).toContain('(api profile)')
  expect(refused?.text).not.toContain('email')
  const machine = await register(t, { type: 'machine', redirectUris: [] })
  await postForm(t, machine, '/oauth2/token', { grant_type: 'client_credentials', scope: 'email api' })
  expect((await told(machine))[0]?.text).toContain('(api)')
})

test('a public client that sends a secret is told that it has none, and not advised to rotate a secret', async () => {
  const spa = await register(t, { type: 'spa' })
  await redeem(t, { ...spa, secret: 'a secret that it does not have' }, await codeFor(ann, spa))
  expect(await told(spa)).toMatchObject([
    { what: 'public-client-secret', remedy: null, text: expect.stringMatching(/no secret/) },
  ])
})

test('an unregistered redirect address, a wrong secret, a foreign grant type, a denial and a used token each have their own reason', async () => {
  const shop = await register(t)
  await ask(shop, { redirect_uri: 'https://evil.example/' })
  await redeem(t, { ...shop, secret: 'wrong' }, 'x')
  await postForm(t, shop, '/oauth2/token', { grant_type: 'client_credentials' })
  await goOn(ann, await ask(shop, { prompt: 'consent' }), false)
  await redeem(t, shop, 'unknown')
  const { json } = await redeem(t, shop, await codeFor(ann, shop, offline))
  t.clock.advance({ minutes: 2 })
  await refresh(t, shop, json['refresh_token'])
  t.clock.advance({ minutes: 2 })
  await refresh(t, shop, json['refresh_token'])
  await ask(shop, { response_type: 'token' })
  await ask(shop, { request: 'x.y.z' })
  const reasons = (await told(shop)).map(({ what }) => what)
  const before = ['redirect-uri', 'client-secret', 'grant-type', 'consent-denied', 'grant', 'grant']
  expect(reasons).toEqual([...before, 'authorization', 'authorization'])
})

test('the list of failed sign-ins of one application contains no failed sign-in of another application', async () => {
  const [shop, other] = [await register(t), await register(t)]
  for (const application of [shop, other, other]) await ask(application, { scope: 'openid api' })
  expect([await told(shop), await told(other)].map((list) => list.length)).toEqual([1, 2])
})
