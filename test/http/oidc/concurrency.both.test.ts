import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockRow } from '../../../src/core/db/database.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Answer, Client as Browser } from '../../support/client.ts'
import { dialect } from '../../support/database.ts'
import { type Application, authorizePath, codeFor, offline, queryOf, redeem, refresh, register, uidOf, userinfo } from './flow.ts'

let t: TestApp
let other: TestApp
let shop: Application
let ann: Browser
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  other = await t.node()
  shop = await register(t)
  ann = await t.signedIn('ann@example.com')
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort()
const oneOfEight = [200, 400, 400, 400, 400, 400, 400, 400]
/** Eight simultaneous requests, on both nodes alternately. */
const eight = (work: (node: TestApp) => Promise<Answer>) =>
  Promise.all(Array.from({ length: 8 }, (_, i) => work(i % 2 === 0 ? t : other)))

describe('simultaneous requests on two nodes', () => {
  test('one code is redeemed once, however often it is sent to two nodes at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const code = await codeFor(ann, shop, offline)
      const answers = await eight((node) => redeem(node, shop, code))
      expect(statuses(answers)).toEqual(oneOfEight)
      for (const { status, json } of answers) if (status === 400) expect(json['error']).toBe('invalid_grant')
      // A second sender had the code too, so its tokens are revoked (RFC 9700, section 4.14).
      const winner = answers.find(({ status }) => status === 200)
      expect((await userinfo(t, winner?.json['access_token'])).status).toBe(401)
      expect((await refresh(t, shop, winner?.json['refresh_token'])).status).toBe(400)
    }
  })

  test('many different codes can be redeemed at the same time on two nodes', async () => {
    const codes = []
    for (let i = 0; i < 20; i++) codes.push(await codeFor(ann, shop))
    const answers = await Promise.all(
      [...codes, 'unknown', codes[0] ?? ''].map((code, i) => redeem(i % 2 === 0 ? t : other, shop, code)),
    )
    expect(answers.slice(1, 20).map(({ status }) => status)).toEqual(Array(19).fill(200))
    expect([answers[0]?.status, answers[21]?.status].sort()).toEqual([200, 400])
    expect(answers[20]?.status).toBe(400)
  })

  test('a sign-out during redemptions leaves no valid token', async () => {
    for (let round = 0; round < 15; round++) {
      const bea = await t.signedIn(`bea${round}@example.com`)
      const codes = [await codeFor(bea, shop), await codeFor(bea, shop), await codeFor(bea, shop)]
      const [, ...answers] = await Promise.all([bea.api.sessions.signOut(), ...codes.map((code) => redeem(other, shop, code))])
      for (const answer of answers) {
        expect([200, 400]).toContain(answer.status)
        if (answer.status === 200) expect((await userinfo(t, answer.json['access_token'])).status).toBe(401)
      }
    }
  })
})

describe('simultaneous decisions about one consent on two nodes', () => {
  /** A person at the consent page, with the same browser on both nodes. */
  const asked = async (email: string) => {
    const bea = await t.signedIn(email)
    const uid = uidOf(await bea.request(authorizePath(shop)))
    const tabs = Array.from({ length: 4 }, (_, i) => {
      const tab = (i % 2 === 0 ? t : other).client()
      for (const [name, value] of bea.cookies) tab.cookies.set(name, value)
      return tab
    })
    const decide = (tab: Browser, accept: boolean) => tab.post('/oauth2/consent', { accept, interaction: uid }, { origin: t.url })
    return { bea, tabs, decide, goOn: (tab: Browser) => tab.request(`/oauth2/authorize/${uid}`) }
  }
  const consents = () => t.app.core.db.knex('oauth_consent').where({ consent_given: true }).pluck('id')

  test('if one of four simultaneous decisions about a consent is a denial, the denial wins and nothing is stored', async () => {
    for (let round = 0; round < 5; round++) {
      const { bea, tabs, decide, goOn } = await asked(`four${round}@example.com`)
      const before = await consents()
      const answers = await Promise.all(tabs.map((tab, i) => decide(tab, i !== round % 4)))
      expect(statuses(answers)).toEqual([200, 200, 200, 200])
      const ends = await Promise.all(tabs.map(goOn))
      expect(ends.filter(({ location }) => queryOf(location)['code'] !== undefined)).toEqual([])
      expect(await consents()).toEqual(before)
      expect((await bea.request(authorizePath(shop))).location).toMatch(/^\/consent\?/)
    }
  })

  test('four simultaneous agreements to one consent store the consent once and lead to one code', async () => {
    const { tabs, decide, goOn } = await asked('agree@example.com')
    const before = await consents()
    expect(statuses(await Promise.all(tabs.map((tab) => decide(tab, true))))).toEqual([200, 200, 200, 200])
    expect(await consents()).toHaveLength(before.length + 1)
    const ends = await Promise.all(tabs.map(goOn))
    expect(ends.filter(({ location }) => queryOf(location)['code'] !== undefined)).toHaveLength(1)
  })

  test("a denial at the moment of the browser's return is either refused as too late or prevents the code", async () => {
    for (let round = 0; round < 8; round++) {
      const { tabs, decide, goOn } = await asked(`late${round}@example.com`)
      const [first, second] = tabs as [Browser, Browser]
      await decide(first, true)
      const [refused, end] = await Promise.all([decide(second, false), goOn(first)])
      const final = end.location?.startsWith('/oauth2/authorize/') === true ? await first.request(end.location) : end
      const isRefused = refused.status === 200
      expect([isRefused, queryOf(final.location)['code'] === undefined]).toEqual([isRefused, isRefused])
    }
  })
})

test('simultaneous sign-outs and redemptions of many people on two nodes cause no errors for one another', async () => {
  const own = await register(t, { skipConsent: true })
  await expect.poll(async () => (await other.app.oidc.clients.find(own.clientId)) !== undefined).toBe(true)
  for (let round = 0; round < 8; round++) {
    const people = await Promise.all(Array.from({ length: 4 }, (_, i) => t.signedIn(`crowd${round}-${i}@example.com`)))
    const codes = await Promise.all(people.map((person) => codeFor(person, own)))
    const seen = await Promise.all(
      people.flatMap((person, i) => [
        redeem(t, own, codes[i] ?? ''),
        redeem(other, own, codes.at(-1 - i) ?? ''),
        person.post('/sign-out'),
      ]),
    )
    expect(seen.filter(({ status }) => status >= 500)).toEqual([])
    for (const person of people) expect(await person.api.sessions.getSession()).toBeNull()
  }
})

test.runIf(dialect === 'postgres')('a transaction that blocks one user does not block other users', async () => {
  const held = await t.signedIn('held@example.com')
  const heldCodes: string[] = []
  for (let i = 0; i < 5; i++) heldCodes.push(await codeFor(held, shop))
  const freeCode = await codeFor(ann, shop)
  const { user } = (await held.api.sessions.getSession()) ?? { user: { id: '' } }
  let release = () => {}
  let waiting: Promise<Answer>[] = []
  await t.app.core.transact(async (tx) => {
    await lockRow(tx, 'user', user.id)
    waiting = heldCodes.map((code) => redeem(t, shop, code))
    await new Promise((resolve) => setTimeout(resolve, 100))
    const free = await Promise.race([
      redeem(t, shop, freeCode).then(({ status }) => status),
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve('held up too'), 60_000)
        release = () => clearTimeout(timer)
      }),
    ])
    release()
    expect(free).toBe(200)
  })
  expect(statuses(await Promise.all(waiting))).toEqual(Array(5).fill(200))
})

test('a client registered or disabled on one node is registered or disabled on the other node within seconds', async () => {
  const fresh = await register(t)
  const code = await codeFor(ann, fresh)
  expect((await redeem(other, fresh, code)).status).toBe(200)
  await t.app.core.transact(async (tx) => {
    await tx.knex('oauth_client').where({ client_id: fresh.clientId }).update({ disabled: true })
    await tx.knex('oidc_version').increment('version', 1)
  })
  await expect.poll(async () => (await redeem(other, fresh, 'any')).json['error_description']).toBe('client is disabled')
})
