import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { offline, type Params } from './flow.ts'
import { assertionOf, postStrictly, redeemStrictly, registerStrict } from './profiles.ts'
import { clientKey, proofFor } from './proofs.ts'

let t: TestApp
let other: TestApp
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  other = await t.node()
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

test('revoking a non-rotating refresh token during a refresh on another node leaves no valid token', async () => {
  const bank = await registerStrict(t, await clientKey())
  for (let round = 0; round < 12; round++) {
    const ann = await t.signedIn(`ann${round}@example.com`)
    const { json } = await redeemStrictly(t, ann, bank, offline)
    const refreshToken = String(json['refresh_token'])
    const send = (node: TestApp, path: string, form: Params) =>
      postStrictly(node, bank, path, form, { proof: proofFor(t, bank.key, path), assertion: assertionOf(t, bank) })
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
    const [revoked, ...answers] = await Promise.all([
      send(other, '/oauth2/revoke', { token: refreshToken }),
      ...[t, other, t, other].map((node) => send(node, '/oauth2/token', form)),
    ])
    expect(revoked?.status).toBe(200)
    const left = await t.app.core.db
      .knex('oidc_artifact')
      .whereIn('kind', ['AccessToken', 'RefreshToken'])
      .where({ client_id: bank.clientId })
      .pluck('id')
    expect(left).toEqual([])
    for (const { status } of answers) expect([200, 400]).toContain(status)
  }
})

test('each of many simultaneous refreshes with a non-rotating refresh token gets its own access token', async () => {
  const bank = await registerStrict(t, await clientKey())
  const { json } = await redeemStrictly(t, await t.signedIn('many@example.com'), bank, offline)
  const form = { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) }
  const answers = await Promise.all(Array.from({ length: 8 }, () => postStrictly(t, bank, '/oauth2/token', form)))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(new Set(answers.map(({ json: { access_token } }) => access_token)).size).toBe(8)
})
