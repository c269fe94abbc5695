import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { bodyOf, now, secret, send } from './sender.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret] }, trustedProxies: ['127.0.0.1/32'] } })
})
afterAll(() => t.stop())

const rejections = () => t.app.billing.rejections
const from = (address: string) => ({ 'x-forwarded-for': address })
const traces = async () => {
  await rejections().flush()
  return rejections().list(2_000)
}

test('a rejected delivery is counted by reason and network, and its content is not stored', async () => {
  const body = bodyOf('order.paid', { email: 'private@example.com' })
  const forged = `v1,${randomBytes(32).toString('base64')}`
  for (let i = 0; i < 3; i += 1) await send(t.url, body, { headers: { 'webhook-signature': forged, ...from('203.0.113.7') } })
  await send(t.url, body, { headers: { 'webhook-signature': forged, ...from('2001:db8:1:2::3') } })
  await send(t.url, body, { time: now() - 1_000, headers: from('203.0.113.9') })
  await send(t.url, body, {}, 'no-such-endpoint')
  const found = await traces()
  expect(found).toHaveLength(3)
  expect(found).toEqual(
    expect.arrayContaining([
      {
        endpoint: 'polar',
        reason: 'NO_MATCHING_SIGNATURE_FOUND',
        address: '203.0.113',
        count: 3,
        firstSeenAt: expect.any(Date),
        lastSeenAt: expect.any(Date),
      },
      expect.objectContaining({ reason: 'NO_MATCHING_SIGNATURE_FOUND', address: '2001:db8:1', count: 1 }),
      expect.objectContaining({ reason: 'MESSAGE_TIMESTAMP_TOO_OLD', address: '203.0.113', count: 1 }),
    ]),
  )
  expect(JSON.stringify(await t.app.core.db.knex('billing_rejection'))).not.toContain(forged.slice(3))
  expect(await t.app.billing.deliveries.newest({}, 10)).toEqual([])
})

testOnBoth(
  'many rejected deliveries from many networks write few rows and do not delay a delivery with a valid signature',
  async () => {
    const body = bodyOf('order.paid')
    const flood = Array.from({ length: 400 }, (_, i) =>
      send(t.url, body, { secret: 'x'.repeat(32), headers: from(`198.${i % 200}.${Math.floor(i / 200)}.1`) }),
    )
    const signed = Array.from({ length: 20 }, () => send(t.url, body))
    expect((await Promise.all(signed)).map(({ status }) => status)).toEqual(Array(20).fill(202))
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([403]))
    const found = await traces()
    const counted = found.filter(({ address }) => address === '' || address.startsWith('198.'))
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(400)
    // At most a hundred networks are counted separately between two writes, and one row counts the others for each reason.
    expect(found.length).toBeLessThan(400)
  },
)

test('at most the thousand most recent rows about rejected deliveries are kept', async () => {
  const seen = new Date(Date.now() - 86_400_000)
  const rows = Array.from({ length: 1_100 }, (_, i) => ({
    endpoint: 'polar',
    reason: 'NO_MATCHING_SIGNATURE_FOUND',
    address: `old ${i}`,
    count: 1,
    first_seen_at: seen,
    last_seen_at: new Date(seen.getTime() + i),
  }))
  await t.app.core.db.knex.batchInsert('billing_rejection', rows, 100)
  await send(t.url, '{}', { secret: 'x'.repeat(32) })
  const found = await traces()
  expect(found).toHaveLength(1_000)
  expect(found.map(({ address }) => address)).not.toContain('old 0')
  expect(found.map(({ address }) => address)).toContain('old 1099')
})
