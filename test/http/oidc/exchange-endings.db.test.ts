/** Exchanged tokens and other features: profiles, reserved actors, and applications that are disabled between two exchanges. */
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, codeFor, postForm, redeem, register } from './flow.ts'
import { postStrictly, registerStrict, type Strict } from './profiles.ts'
import { clientKey, proofFor } from './proofs.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
const accessToken = 'urn:ietf:params:oauth:token-type:access_token'
const [front, back, deep] = ['https://front.example', 'https://back.example', 'https://deep.example']

let t: TestApp
let admin: Browser
let ann: Browser
let shop: Application
let agent: Application
let second: Application
let strict: Strict
const readers: Record<string, Application> = {}
const ids: Record<string, string> = {}

beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  admin = await signedInAs(t, 'admin')
  shop = await register(t)
  agent = await register(t, { name: 'Agent', type: 'machine', redirectUris: [], clientId: 'agent' })
  second = await register(t, { name: 'Second', type: 'machine', redirectUris: [], clientId: 'second' })
  strict = await registerStrict(t, await clientKey(), { type: 'machine', redirectUris: [] })
  const scopes = [{ name: 'read', description: 'Read' }]
  const make = async (identifier: string, clients: readonly object[], more: object = {}) => {
    const api = await admin.api.apis.createApi({ body: { identifier, name: identifier, scopes, clients, ...more } as never })
    const { secret } = await admin.api.apis.rotateApiSecret({ params: { apiId: api.id }, body: {} })
    readers[identifier] = { clientId: api.id, secret }
    ids[identifier] = api.id
  }
  await make(front, [{ clientId: shop.clientId }])
  const fromFront = [agent, strict].map(({ clientId }) => ({ clientId, exchangeFrom: [front] }))
  await make(back, [...fromFront, { clientId: second.clientId }])
  await make(deep, [{ clientId: second.clientId, exchangeFrom: [back] }], { tokenFormat: 'opaque' })
  ann = await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

const subjectToken = async () =>
  (await redeem(t, shop, await codeFor(ann, shop, { scope: 'openid read', prompt: 'consent', resource: front }))).json[
    'access_token'
  ]
const formOf = (subject: unknown, resource: string) => ({
  ...{ grant_type: grantType, subject_token: String(subject), subject_token_type: accessToken, resource },
})
const exchange = async (by: Application, subject: unknown, resource = back) =>
  (await postForm(t, by, '/oauth2/token', formOf(subject, resource))).json as Readonly<Record<string, unknown>>
const isActive = async (api: string, token: unknown) =>
  (await postForm(t, readers[api] ?? agent, '/oauth2/introspect', { token: String(token) })).json['active']
const update = (application: Application, body: object) =>
  admin.api.applications.updateApplication({ params: { clientId: application.clientId }, body })

test('a fapi2 application exchanges tokens only with a DPoP proof, and the new token is bound to the key of the proof', async () => {
  const form = formOf(await subjectToken(), back)
  const without = await postStrictly(t, strict, '/oauth2/token', form, { proof: Promise.resolve(undefined) })
  expect([without.status, without.json['error']]).toEqual([400, 'invalid_grant'])
  const { json } = await postStrictly(t, strict, '/oauth2/token', form, { proof: proofFor(t, strict.key, '/oauth2/token') })
  expect(json).toMatchObject({ token_type: 'DPoP' })
  expect(decodeJwt(String(json['access_token']))).toHaveProperty('cnf.jkt')
})

test('only the client registered to act on an exchanged token can exchange it again', async () => {
  await update(agent, { mayAct: 'somebody' })
  const { access_token: reserved } = await exchange(agent, await subjectToken())
  expect(decodeJwt(String(reserved))).toMatchObject({ may_act: { sub: 'somebody' }, act: { sub: 'agent' } })
  expect(await exchange(second, reserved, deep)).toMatchObject({ error: 'invalid_request' })
  await update(agent, { mayAct: 'second' })
  const { access_token: allowed } = await exchange(agent, await subjectToken())
  const { access_token: further } = await exchange(second, allowed, deep)
  expect(await isActive(deep, further)).toBe(true)
  await update(agent, { mayAct: null })
})

describe("exchanged tokens while the person's own application is disabled", () => {
  test('tokens exchanged for a disabled application are invalid and cannot be exchanged, until the application is enabled', async () => {
    const { access_token: token } = await exchange(agent, await subjectToken())
    const { access_token: further } = await exchange(second, token, deep)
    expect([await isActive(back, token), await isActive(deep, further)]).toEqual([true, true])
    await update(shop, { disabled: true })
    expect([await isActive(back, token), await isActive(deep, further)]).toEqual([false, false])
    expect(await exchange(second, token, deep)).toMatchObject({ error: 'invalid_request' })
    await update(shop, { disabled: false })
    expect([await isActive(back, token), await isActive(deep, further)]).toEqual([true, true])
  })

  test('disabling an application in the middle of a chain of exchanges invalidates the tokens that it exchanged', async () => {
    const { access_token: token } = await exchange(agent, await subjectToken())
    const { access_token: further } = await exchange(second, token, deep)
    await update(agent, { disabled: true })
    expect([await isActive(back, token), await isActive(deep, further)]).toEqual([false, false])
    await update(agent, { disabled: false })
  })
})

test('exchanged tokens are invalid while an earlier application of the chain may not request its own token', async () => {
  const { access_token: token } = await exchange(agent, await subjectToken())
  const { access_token: further } = await exchange(second, token, deep)
  const allow = (api: string, clients: readonly object[]) =>
    admin.api.apis.updateApi({ params: { apiId: ids[api] ?? '' }, body: { clients } as never })
  const fromFront = [agent, strict].map(({ clientId }) => ({ clientId, exchangeFrom: [front] }))
  for (const [end, undo] of [
    [() => update(shop, { review: 'restricted' }), () => update(shop, { review: null })],
    [() => allow(front, []), () => allow(front, [{ clientId: shop.clientId }])],
    [() => allow(back, [{ clientId: second.clientId }]), () => allow(back, [...fromFront, { clientId: second.clientId }])],
  ] as const) {
    await end()
    expect([await isActive(back, token), await isActive(deep, further)]).toEqual([false, false])
    await undo()
    expect([await isActive(back, token), await isActive(deep, further)]).toEqual([true, true])
  }
})

test('tokens exchanged for an application’s token end when the person removes the application or signs out', async () => {
  for (const end of [
    () => ann.post('/connected-applications/remove', { clientId: shop.clientId }),
    () => ann.api.sessions.signOut({}),
  ]) {
    ann = await t.signedIn(`ann${t.app.core.random.id().slice(0, 6).toLowerCase()}@example.com`)
    const { access_token: token } = await exchange(agent, await subjectToken())
    const { access_token: further } = await exchange(second, token, deep)
    expect([await isActive(back, token), await isActive(deep, further)]).toEqual([true, true])
    await end()
    expect([await isActive(back, token), await isActive(deep, further)]).toEqual([false, false])
  }
})
