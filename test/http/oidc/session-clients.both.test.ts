/** The applications that take part in a session and are notified of its end, with simultaneous redemptions of codes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Application, codeFor, redeem, register, verifier } from './flow.ts'

let t: TestApp
let node: TestApp
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  node = await t.node()
})
afterAll(async () => {
  await node.stop()
  await t.stop()
})

let count = 0
const start = async () => {
  count += 1
  const browser = await t.signedIn(`p${count}@example.com`)
  const shop = await register(t, { backchannelLogoutUri: 'https://rp.example/logout', skipConsent: true })
  return { browser, shop, code: () => codeFor(browser, shop) }
}
const partsOf = ({ clientId }: Application) =>
  t.app.core.db.knex('oidc_artifact').where({ kind: 'SessionClient', client_id: clientId })
const redeemAll = (shop: Application, codes: readonly string[], nodes: readonly TestApp[]) =>
  Promise.all(
    nodes.flatMap((one) => codes.map(async (code) => (await redeem(one, shop, code, { code_verifier: verifier })).status)),
  )

test('a refused redemption of a code does not remove the application from the session', async () => {
  for (const nodes of [
    [t, t, t],
    [t, node],
    [node, node, t, t],
  ]) {
    const { browser, shop, code } = await start()
    const statuses = await redeemAll(shop, [await code()], nodes)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(await partsOf(shop)).toHaveLength(1)
    await browser.api.sessions.signOut()
    expect(await partsOf(shop)).toHaveLength(0)
    expect(await t.app.core.db.knex('logout_notice').where({ client_id: shop.clientId })).toHaveLength(1)
  }
})

test('several simultaneous redemptions of codes in one session all succeed, and the application is listed once in the session', async () => {
  for (const nodes of [[t], [t, node]]) {
    const { shop, code } = await start()
    const codes = [await code(), await code(), await code()]
    const statuses = await redeemAll(shop, codes, nodes)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    expect(await partsOf(shop)).toHaveLength(1)
  }
})
