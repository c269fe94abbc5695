/** Signing keys rotate by themselves, and no verifier sees a token that it cannot verify. */
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Application, codeFor, offline, redeem, refresh, register } from './flow.ts'

let running: TestApp[] = []
afterEach(async () => {
  for (const node of running.toReversed()) await node.stop()
  running = []
})
const start = async (oidc: Record<string, unknown>, nodes: number) => {
  const first = await testApp({ config: { oidc: { rsaModulusLength: 2048, ...oidc } } })
  running = [first]
  for (let i = 1; i < nodes; i++) running.push(await first.node())
  return first
}

const keySet = async (node: TestApp) => (await node.client().request('/jwks')).json as unknown as JSONWebKeySet
const signerOf = (token: string) => decodeProtectedHeader(token).kid

/** A verifier that caches the key set for a time, and never fetches it earlier, whatever key the token names. */
const createVerifier = (keepSeconds: number, { clientId }: Application) => {
  let kept: { readonly keys: JSONWebKeySet; readonly at: number } | undefined
  return async (token: string, node: TestApp) => {
    if (kept === undefined || Date.now() - kept.at >= keepSeconds * 1000) kept = { keys: await keySet(node), at: Date.now() }
    await jwtVerify(token, createLocalJWKSet(kept.keys), { audience: clientId, currentDate: new Date() })
  }
}

/** Long enough for three changes of each key with the days before and after, and at night for eight. */
const [days, hoursApart] = process.env['GATEHOUSE_TEST_FULL'] === '1' ? [60, 4] : [23, 6]

test('after automatic rotation on two nodes, verifiers that cache the key set for its max-age or a day verify every token until it expires', async () => {
  const t = await start({ keyRotationDays: 7, refreshAbsoluteTtlSeconds: 34_560_000, refreshTokenTtlSeconds: 34_560_000 }, 2)
  const [, other = t] = running
  // One client for each algorithm that new clients can have.
  const clients = [await register(t), await register(t, { idTokenAlg: 'ES256' })]
  const ann = await t.signedIn('ann@example.com')
  const parties = []
  for (const client of clients)
    parties.push({
      client,
      refreshToken: String((await redeem(t, client, await codeFor(ann, client, offline))).json['refresh_token']),
      verifiers: [300, 86_400].map((seconds) => createVerifier(seconds, client)),
      signers: new Set<string | undefined>(),
    })
  /**
   * Does the work of the hourly task on both nodes at once, and waits for both. The clock of the test runs too fast for nodes to follow
   * by themselves.
   */
  const rotate = async () => {
    const made = await Promise.all(running.map(({ app }) => app.oidc.keys.rotateDue()))
    // One of the two nodes makes the keys, unless the task made them before.
    expect(made.filter((count) => count > 0).length).toBeLessThan(2)
    const all = await t.app.oidc.keys.list()
    const kids = all.filter(({ state }) => state !== 'retired').map(({ kid }) => kid)
    for (const node of running)
      await expect.poll(async () => (await keySet(node)).keys.map(({ kid }) => kid).toSorted()).toEqual(kids.toSorted())
  }
  for (let hour = 0; hour < days * 24; hour += hoursApart) {
    await rotate()
    const [signer, reader] = (hour / hoursApart) % 2 === 0 ? [t, other] : [other, t]
    const given: (() => Promise<void>)[] = []
    for (const party of parties) {
      const { json } = await refresh(signer, party.client, party.refreshToken)
      party.refreshToken = String(json['refresh_token'])
      const token = String(json['id_token'])
      party.signers.add(signerOf(token))
      const verify = () => Promise.all(party.verifiers.map((verifier) => verifier(token, reader)))
      await verify()
      given.push(async () => {
        await verify()
        await createVerifier(0, party.client)(token, reader)
      })
    }
    // Just before the tokens expire.
    t.clock.advance({ seconds: 3_590 })
    for (const verify of given) await verify()
    t.clock.advance({ seconds: hoursApart * 3_600 - 3_590 })
  }
  for (const { signers } of parties) expect(signers.size).toBe(Math.ceil(days / 7))
  // At night there are 360 rounds, on a machine that may be busy.
}, 600_000)

test('the time of the next rotation is listed, and a signing key without a successor in time is a warning', async () => {
  const t = await start({ keyRotationDays: 30 }, 1)
  // The test rotates by itself. Otherwise the job of the instance could be faster.
  await t.app.jobs.stop()
  const { keys } = t.app.oidc
  const finding = async () => (await t.app.diagnosis.run()).find(({ check }) => check === 'signing-key-age')
  const [first] = await keys.list()
  const due = (first?.signsFrom.getTime() ?? 0) + 30 * 86_400_000
  expect(first?.signsUntil?.getTime()).toBe(due)
  expect(await finding()).toMatchObject({ severity: 'ok', message: expect.stringContaining(new Date(due).toISOString()) })
  t.clock.advance({ days: 28 })
  expect(await keys.rotateDue()).toBe(0)
  t.clock.advance({ days: 1 })
  expect(await keys.rotateDue()).toBe(4)
  expect(await keys.rotateDue()).toBe(0)
  const listed = await keys.list()
  expect(listed.map(({ state }) => state)).toEqual([...Array(4).fill('signing'), ...Array(4).fill('next')])
  expect(listed[0]?.signsUntil).toEqual(listed[4]?.signsFrom)
  expect(await t.app.audit.list({ type: 'keys.rotated' }, 10)).toMatchObject([{ actorKind: 'system' }])
})

test('an overdue rotation of signing keys is a warning, and with manual rotation the keys do not change', async () => {
  const t = await start({ keyRotationDays: 0 }, 1)
  const node = await t.node({ oidc: { rsaModulusLength: 2048, keyRotationDays: 90 } })
  running.push(node)
  expect((await t.app.oidc.keys.list()).map(({ signsUntil }) => signsUntil)).toEqual([null, null, null, null])
  t.clock.advance({ days: 92 })
  expect(await t.app.oidc.keys.rotateDue()).toBe(0)
  const [finding] = (await node.app.diagnosis.run()).filter(({ check }) => check === 'signing-key-age')
  // Unless the task of the other node made the keys before.
  if (finding?.severity !== 'ok')
    expect(finding).toMatchObject({ severity: 'warning', code: 'signing-key-late', values: { days: 2 } })
})
