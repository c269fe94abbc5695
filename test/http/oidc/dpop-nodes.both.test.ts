import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { codeFor, register } from './flow.ts'
import { athOf, clientKey, codeForm, postWithProof, proofFor } from './proofs.ts'

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

const nodeOf = (i: number) => (i % 2 === 0 ? t : other)

test('a DPoP proof sent to two nodes at the same time is accepted once', async () => {
  const shop = await register(t)
  const ann = await t.signedIn('ann@example.com')
  const key = await clientKey()
  for (let round = 0; round < 5; round++) {
    const codes: string[] = []
    for (let i = 0; i < 6; i++) codes.push(await codeFor(ann, shop))
    const proof = await proofFor(t, key, '/oauth2/token')
    const answers = await Promise.all(
      codes.map((code, i) => postWithProof(nodeOf(i), shop, '/oauth2/token', codeForm(code), proof)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    for (const { status, json } of answers) if (status === 400) expect(json['error']).toBe('invalid_dpop_proof')
    const token = answers.find(({ status }) => status === 200)?.json['access_token']
    const used = await proofFor(t, key, '/oauth2/userinfo', { claims: { ath: athOf(token) } }, 'GET')
    const headers = { authorization: `DPoP ${String(token)}`, dpop: used }
    const shown = await Promise.all([0, 1, 2, 3].map((i) => nodeOf(i).client().request('/oauth2/userinfo', { headers })))
    expect(shown.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  }
})

test('a DPoP nonce issued by one node is accepted by another node', async () => {
  const shop = await register(t)
  const ann = await t.signedIn('bea@example.com')
  const key = await clientKey()
  const send = async (i: number, nonce: string | null) => {
    const proof = await proofFor(t, key, '/oauth2/token', { claims: { nonce: nonce ?? undefined } })
    return postWithProof(nodeOf(i), shop, '/oauth2/token', codeForm(await codeFor(ann, shop)), proof)
  }
  const first = await send(0, null)
  expect((await send(1, first.headers.get('dpop-nonce'))).status).toBe(200)
})

test('the record of a used DPoP proof is deleted once the proof has expired', async () => {
  const rows = () => t.app.core.db.knex('oidc_artifact').where({ kind: 'ReplayDetection' }).pluck('id')
  expect((await rows()).length).toBeGreaterThan(0)
  t.clock.advance({ minutes: 11 })
  await t.app.oidc.sweep()
  expect(await rows()).toEqual([])
})
