import { afterAll, beforeAll, expect, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { bodyOf, secret, send } from './sender.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret] } } })
})
afterAll(() => t.stop())

const body = bodyOf('product.updated')
const endpoints = () => t.app.billing.endpoints

testOnBoth('every node uses webhook endpoints and secrets that another node has changed', async () => {
  const other = await t.node()
  const { secret: own } = await endpoints().add(systemPrincipal('test'), 'shared', undefined)
  const statuses = (key: string) =>
    Promise.all([t, other].map(async (node) => (await send(node.url, body, { secret: key }, 'shared')).status))
  const soon = (work: () => Promise<void>) => vi.waitFor(work, { timeout: 60_000, interval: 20 })
  await soon(async () => expect(await statuses(own)).toEqual([202, 202]))
  const { secret: next } = await other.app.billing.endpoints.addSecret(systemPrincipal('test'), 'shared', undefined)
  await soon(async () => expect(await statuses(next)).toEqual([202, 202]))
  expect(await statuses(own)).toEqual([202, 202])
  await endpoints().dropOldSecrets(systemPrincipal('test'), 'shared')
  await soon(async () => expect(await statuses(own)).toEqual([403, 403]))
  await endpoints().remove(systemPrincipal('test'), 'shared')
  await soon(async () => expect(await statuses(next)).toEqual([404, 404]))
  await other.stop()
})

testOnBoth(
  'of two webhook endpoints added at once under one name one is stored, and secrets added at once are all stored',
  async () => {
    const adds = await Promise.allSettled([
      endpoints().add(systemPrincipal('test'), 'race', undefined),
      endpoints().add(systemPrincipal('test'), 'race', undefined),
    ])
    expect(adds.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const given = await Promise.all(
      Array.from({ length: 5 }, () => endpoints().addSecret(systemPrincipal('test'), 'race', undefined)),
    )
    await t.app.billing.verifiers.refresh()
    for (const { secret: own } of given) expect((await send(t.url, body, { secret: own }, 'race')).status).toBe(202)
  },
)

test('a webhook endpoint has at most ten secrets', async () => {
  await endpoints().add(systemPrincipal('test'), 'many', undefined)
  for (let i = 0; i < 9; i += 1) await endpoints().addSecret(systemPrincipal('test'), 'many', undefined)
  await expect(endpoints().addSecret(systemPrincipal('test'), 'many', undefined)).rejects.toMatchObject({
    code: 'TOO_MANY_WEBHOOK_SECRETS',
  })
})

test('secrets of webhook endpoints are stored sealed, and a node with another master secret does not start', async () => {
  const { secret: own } = await endpoints().add(systemPrincipal('test'), 'sealed', undefined)
  expect(JSON.stringify(await t.app.core.db.knex('billing_endpoint'))).not.toContain(own.slice(6))
  await expect(t.node({ secret: ['another secret of forty characters, 123456'] })).rejects.toThrow('no configured secret opens')
})
