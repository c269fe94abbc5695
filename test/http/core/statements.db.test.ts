/** How many statements each operation of a hot path sends to the database, begin and commit left out: none of them may get more. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { bodyOf, secret, send } from '../billing/sender.ts'
import { type Application, codeFor, offline, postForm, redeem, refresh, register } from '../oidc/flow.ts'
import { answer, invite } from '../organizations/inviting.ts'
import { countStatements, owner } from '../organizations/people.ts'

let t: TestApp
let shop: Application
let ann: Client
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret] } } })
  shop = await register(t)
  ann = await t.signedIn('ann@example.com')
  // Jobs ask the database too; only the requests shall be counted.
  await t.app.jobs.stop()
})
afterAll(() => t.stop())

/** Number of statements of the second call: the first one may prepare what later ones reuse. */
const second = async (work: (round: number) => Promise<unknown>): Promise<number> => {
  await work(1)
  return (await countStatements(t, () => work(2))).length
}

test('a session check sends one statement', async () => {
  expect(await second(() => ann.request('/get-session'))).toBeLessThanOrEqual(1)
})

test('a sign-in sends at most 12 statements, and two locks more on PostgreSQL', async () => {
  const signIn = () => ann.post('/sign-in/email', { email: 'ann@example.com', password })
  expect(await second(signIn)).toBeLessThanOrEqual(dialect === 'sqlite' ? 12 : 14)
})

test('a sign-up sends at most 7 statements', async () => {
  expect(
    await second((round) => t.client().post('/sign-up/email', { email: `new${round}@example.com`, name: 'New', password })),
  ).toBeLessThanOrEqual(7)
})

test('an authorization with a consent given and its token request send at most 6 statements', async () => {
  expect(await second(async () => redeem(t, shop, await codeFor(ann, shop)))).toBeLessThanOrEqual(6)
})

test('a refresh sends at most 3 statements', async () => {
  const tokens = await redeem(t, shop, await codeFor(ann, shop, offline))
  let token = tokens.json['refresh_token']
  expect(
    await second(async () => {
      token = (await refresh(t, shop, token)).json['refresh_token']
    }),
  ).toBeLessThanOrEqual(3)
})

test('an introspection sends one statement', async () => {
  const { json } = await redeem(t, shop, await codeFor(ann, shop))
  const ask = () => postForm(t, shop, '/oauth2/introspect', { token: String(json['access_token']) })
  expect(await second(ask)).toBeLessThanOrEqual(1)
})

test('a delivery of a new customer of the billing platform sends at most 8 statements, and two locks more on PostgreSQL', async () => {
  const deliver = () => send(t.url, bodyOf('subscription.active', { customerId: randomUUID(), productId: randomUUID() }))
  expect(await second(deliver)).toBeLessThanOrEqual(dialect === 'sqlite' ? 8 : 10)
})

test('accepting an invitation sends at most 14 statements, one of them for whether two factors are required', async () => {
  const { client } = await owner(t, 'owner@example.com', 'acme')
  const guests = await Promise.all(
    [1, 2].map(async (round) => {
      const guest = await t.signedIn(`guest${round}@example.com`)
      await t.verify(`guest${round}@example.com`)
      return { guest, id: (await invite(client, `guest${round}@example.com`)).id }
    }),
  )
  expect(
    await second((round) => {
      const { guest, id } = guests[round - 1] ?? { guest: client, id: '' }
      return answer(guest, 'accept', id)
    }),
  ).toBeLessThanOrEqual(14)
})
