/** Exchanged tokens (RFC 8693) in the audit log: an exchange is an event, and a refused one is a failed attempt. */
import { afterAll, beforeAll, expect } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { type Application, codeFor, type Params, postForm, redeem, register } from './flow.ts'

const accessToken = 'urn:ietf:params:oauth:token-type:access_token'
const [front, back] = ['https://front.example', 'https://back.example']

let t: TestApp
let node: TestApp
let admin: Browser
let ann: Browser
let annId: string
let shop: Application
let own: Application
let cart: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  node = await t.node()
  admin = await signedInAs(t, 'admin')
  ann = await t.signedIn('ann@example.com')
  annId = (await ann.api.sessions.getSession())?.user.id ?? ''
  shop = await register(t)
  own = await register(t, { name: 'Own', skipConsent: true, understandsAct: true })
  cart = await register(t, { name: 'Cart', type: 'machine', redirectUris: [], clientId: 'cart' })
  const scopes = [{ name: 'read', description: 'Read' }]
  await admin.api.apis.createApi({
    body: { identifier: front, name: 'Front', scopes, clients: [shop, own].map(({ clientId }) => ({ clientId })) },
  })
  await admin.api.apis.createApi({
    body: {
      ...{ identifier: back, name: 'Back', scopes },
      clients: [
        { clientId: cart.clientId, exchangeFrom: [front] },
        { clientId: shop.clientId, mayImpersonate: true },
      ],
    },
  })
})
afterAll(async () => {
  await node.stop()
  await t.stop()
})

const subjectFor = async (browser = ann, application = shop) => {
  const code = await codeFor(browser, application, { scope: 'openid read', resource: front })
  return (await redeem(t, application, code)).json['access_token']
}
const exchange = async (by: Application, subject: unknown, form: Params = {}, at = t) =>
  (
    await postForm(at, by, '/oauth2/token', {
      ...{ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', subject_token: String(subject) },
      ...{ subject_token_type: accessToken, resource: back, scope: 'read', ...form },
    })
  ).json
const recorded = async () => {
  const rows = await t.app.core.db.knex('event').where({ type: 'token.exchanged' }).orderBy('occurred_at')
  return rows.map(({ actor_kind, actor_id, subject_id, impersonator_id, data }) => ({
    ...{ actor: `${actor_kind} ${actor_id}`, subject: subject_id, impersonator: impersonator_id, ...JSON.parse(data) },
  }))
}

test('an exchange is recorded with client, person, API and first application, once a day for each sign-in', async () => {
  const subject = await subjectFor()
  await exchange(cart, subject)
  const first = {
    ...{ actor: 'application cart', subject: annId, impersonator: null, clientId: 'cart', audience: back, scopes: ['read'] },
    ...{ through: shop.clientId, isBound: false },
  }
  expect(await recorded()).toEqual([first])
  await exchange(cart, subject)
  expect(await recorded()).toHaveLength(1)
  await exchange(cart, await subjectFor())
  expect(await recorded()).toEqual([first, first])
})

testOnBoth('simultaneous exchanges at two nodes are recorded as one event', async () => {
  for (let round = 0; round < 5; round++) {
    const before = (await recorded()).length
    const subject = await subjectFor()
    const made = await Promise.all([t, node, t, node].map((at) => exchange(cart, subject, {}, at)))
    expect(made.map(({ token_type }) => token_type)).toEqual(Array(4).fill('Bearer'))
    expect(await recorded()).toHaveLength(before + 1)
  }
})

test('the explanation of a person names applications that act for the person and administrators who impersonate the person', async () => {
  const kim = await t.signedIn('kim@example.com')
  const kimId = (await kim.api.sessions.getSession())?.user.id ?? ''
  await exchange(cart, await subjectFor(kim))
  const staff = await signedInAs(t, 'admin', 'staff@staff.example')
  const staffId = (await staff.api.sessions.getSession())?.user.id
  const actor = (await redeem(t, shop, await codeFor(staff, shop, { prompt: 'consent' }))).json['access_token']
  const form = { subject_token_type: 'urn:gatehouse:params:oauth:token-type:user-id', actor_token_type: accessToken }
  await exchange(shop, kimId, { ...form, actor_token: String(actor) })
  expect((await recorded()).at(-1)).toMatchObject({
    actor: `user ${staffId}`,
    subject: kimId,
    clientId: shop.clientId,
    through: null,
  })
  const { entries } = await admin.api.signIns.explainSignIn({ query: { user: kimId } })
  expect(entries.filter(({ what }) => what === 'token.exchanged').map(({ text, said }) => [said?.code, text])).toEqual([
    ['token.exchanged', `The application cart began to act for the user at ${back}.`],
    ['token.exchanged-impersonation', expect.stringContaining(`began to act as the user at ${back}`)],
  ])
})

test('the record of an exchange during an impersonation names the administrator', async () => {
  const joe = await t.signedIn('joe@example.com')
  const userId = (await joe.api.sessions.getSession())?.user.id ?? ''
  const staff = await signedInAs(t, 'admin', 'other@staff.example')
  const staffId = (await staff.api.sessions.getSession())?.user.id
  expect((await staff.post('/admin/impersonate-user', { userId })).status).toBe(200)
  await exchange(cart, await subjectFor(staff, own))
  expect((await recorded()).at(-1)).toMatchObject({ actor: 'application cart', subject: userId, impersonator: staffId })
})

test('a refused exchange counts as a failed attempt of the application, and is not recorded as an exchange', async () => {
  const before = (await recorded()).length
  const desk = await register(t, { name: 'Desk' })
  await exchange(desk, await subjectFor())
  await exchange(cart, 'nonsense')
  const actor = (await redeem(t, shop, await codeFor(ann, shop, { prompt: 'consent' }))).json['access_token']
  await exchange(shop, annId, {
    ...{ subject_token_type: 'urn:gatehouse:params:oauth:token-type:user-id', actor_token: String(actor) },
    actor_token_type: accessToken,
  })
  const told = async (clientId: string) => {
    const { failures } = await admin.api.signIns.listSignInFailures({ query: { clientId } })
    return failures.map(({ what, code }) => [what, code])
  }
  expect(await told(desk.clientId)).toEqual([['authorization', 'invalid_target']])
  expect(await told('cart')).toEqual([['authorization', 'invalid_request']])
  expect(await told(shop.clientId)).toEqual([['authorization', 'access_denied']])
  expect(await recorded()).toHaveLength(before)
})
