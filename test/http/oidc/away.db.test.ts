import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { testOnBoth } from '../../support/both-databases.ts'
import { waitBriefly } from '../../support/database.ts'
import { type Application, authorizePath, codeFor, redeem, register, userinfo } from './flow.ts'

let t: TestApp
let shop: Application
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 }, database: { poolMax: 1 } } })
  shop = await register(t)
})
afterAll(() => t.stop())

testOnBoth(
  'token requests get 503 and consume no code while the database is unreachable, and succeed once the database is back',
  async () => {
    const ann = await t.signedIn('ann@example.com')
    const code = await codeFor(ann, shop)
    const { json } = await redeem(t, shop, await codeFor(ann, shop))
    const waitAgain = waitBriefly(t.app.core.db, 300)
    let release = () => {}
    const held = t.app.core.transact(() => new Promise<void>((resolve) => (release = resolve)))
    const [begun, ...answers] = await Promise.all([
      t.client().request(authorizePath(shop)),
      redeem(t, shop, code),
      userinfo(t, json['access_token']),
    ])
    expect([begun.status, begun.location]).toEqual([503, null])
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBeTruthy()
      expect(answer.json).toMatchObject({ error: 'temporarily_unavailable' })
    }
    expect((await t.client().request('/jwks')).status).toBe(200)
    waitAgain()
    release()
    await held
    expect((await redeem(t, shop, code)).status).toBe(200)
    expect((await userinfo(t, json['access_token'])).status).toBe(200)
  },
)
