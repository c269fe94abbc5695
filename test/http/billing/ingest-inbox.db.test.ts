import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import { bodyOf, secret, send } from './sender.ts'

let t: TestApp
const lines: string[] = []
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret] } }, onLog: (line) => lines.push(line) })
})
afterAll(() => t.stop())

const inbox = (at: TestApp = t) => at.app.billing.deliveries
const newest = async () => (await inbox().newest({}, 1))[0]
const rowOf = async (webhookId: string) => {
  const rows = (await inbox().newest({}, 1000)).filter((row) => row.webhookId === webhookId)
  expect(rows.length, 'rows of one webhook id').toBeLessThanOrEqual(1)
  return rows[0]
}
const bytesOf = async (id: string): Promise<Buffer> =>
  (await t.app.core.db.knex('billing_delivery').where({ id }).first('body')).body

describeOnBoth('an accepted delivery', () => {
  test('an accepted delivery is stored exactly as it arrived, with status, event time and outcome', async () => {
    const id = randomUUID()
    const body = bodyOf('subscription.active', { modifiedAt: '2026-11-01T10:00:00.123456+02:00', shape: '2025' })
    expect(await send(t.url, body, { id, headers: { cookie: 'secret=1', authorization: 'Bearer secret' } })).toMatchObject({
      status: 202,
      json: { outcome: 'accepted' },
    })
    const row = await newest()
    expect(row).toMatchObject({
      endpoint: 'polar',
      webhookId: id,
      eventType: 'subscription.active',
      customerId: JSON.parse(body).data.customer_id,
      eventAt: '2026-11-01T08:00:00.123456Z',
      status: 'accepted',
      issues: [],
      attempts: 1,
      bodySha256: createHash('sha256').update(body).digest('hex'),
    })
    expect(row?.appliedAt).toBeInstanceOf(Date)
    expect((await bytesOf(row?.id ?? '')).toString()).toBe(body)
    const { headers } = await t.app.core.db.knex('billing_delivery').where({ webhook_id: id }).first('headers')
    expect(JSON.parse(headers)).toEqual({
      'webhook-id': id,
      'webhook-timestamp': expect.stringMatching(/^\d+$/),
      'user-agent': 'polar.sh webhooks',
      'content-type': 'application/json',
    })
  })

  test('a delivery that is received again is answered 200 and only counted', async () => {
    const id = randomUUID()
    const body = bodyOf('order.paid')
    await send(t.url, body, { id })
    const first = await rowOf(id)
    for (let i = 0; i < 2; i += 1)
      expect(await send(t.url, body, { id })).toMatchObject({ status: 200, json: { outcome: 'duplicate' } })
    // Another body changes nothing, because the webhook id decides.
    expect((await send(t.url, bodyOf('order.created'), { id })).status).toBe(200)
    expect((await send(t.url, '{}', { id })).status).toBe(200)
    expect(await rowOf(id)).toEqual({ ...first, attempts: 5 })
  })

  test('the same body with another webhook id is a further delivery', async () => {
    const body = bodyOf('product.updated')
    expect((await send(t.url, body)).status).toBe(202)
    expect((await send(t.url, body)).status).toBe(202)
  })

  test('an accepted delivery keeps its webhook id, even if a forged delivery used the id before', async () => {
    const id = randomUUID()
    const body = bodyOf('order.paid')
    expect((await send(t.url, body, { id, secret: 'x'.repeat(32) })).status).toBe(403)
    expect((await send(t.url, body, { id })).status).toBe(202)
  })

  testOnBoth('a delivery is stored once when ten copies arrive at two nodes at the same time', async () => {
    const other = await t.node()
    try {
      for (let round = 0; round < 5; round += 1) {
        const id = randomUUID()
        const body = bodyOf('subscription.updated', { customerId: randomUUID() })
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, i) => send(i % 2 === 0 ? t.url : other.url, body, { id })),
        )
        expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 202])
        expect(await rowOf(id)).toMatchObject({ status: 'accepted', attempts: 10 })
      }
    } finally {
      await other.stop()
    }
  })

  testOnBoth('many simultaneous deliveries about the same customer are all stored', async () => {
    const customerId = randomUUID()
    const ids = Array.from({ length: 20 }, () => randomUUID())
    const answers = await Promise.all(ids.map((id) => send(t.url, bodyOf('customer.updated', { customerId }), { id })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    expect(await inbox().newest({ customerId }, 100)).toHaveLength(20)
  })

  test('a valid delivery that cannot be applied is answered 5xx and not stored, and so the sender tries again', async () => {
    const id = randomUUID()
    const body = bodyOf('order.paid')
    const { knex } = t.app.core.db
    await knex.schema.renameTable('billing_customer', 'billing_gone')
    expect((await send(t.url, body, { id })).status).toBe(500)
    await knex.schema.renameTable('billing_gone', 'billing_customer')
    expect(await rowOf(id)).toBeUndefined()
    expect((await send(t.url, body, { id })).status).toBe(202)
  })
})

describeOnBoth('a verified delivery that is not a valid event', () => {
  const failed = { code: 'FAILED_TO_PARSE_EVENT', message: 'Failed to parse event' }
  const whole = bodyOf('order.paid')

  test.each([
    ['', 'JSON', 'nothing'],
    ['{"type":"order.paid"', 'JSON', 'other text'],
    ['not json', 'JSON', 'other text'],
    [`\ufeff${whole}`, 'JSON', 'other text'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'UTF-8', 'other bytes'],
    [Buffer.from(whole, 'utf16le'), 'JSON', 'other text'],
    ['[]', 'object', 'array'],
    ['null', 'object', 'null'],
    [whole.replace('"customer@example.com"', '"a\\u0000b"'), 'text without U+0000 and lone surrogates', 'text with them'],
    [whole.replace('"customer@example.com"', '"half\\ud83d"'), 'text without U+0000 and lone surrogates', 'text with them'],
    [whole.replace('{', `{"more":${'['.repeat(400)}"\\u0000"${']'.repeat(400)},`), 'at most 200 levels', 'more'],
    [whole.replace('{', `{"more":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)},`), 'at most 200 levels', 'more'],
  ])(
    'a delivery with invalid JSON (%.40j) is answered 400 and stored exactly as it arrived',
    async (body, expected, received) => {
      const id = randomUUID()
      const answer = await send(t.url, body, { id })
      expect(answer).toMatchObject({ status: 400, json: failed })
      expect(answer.json['issues']).toEqual([
        { path: expect.any(String), expected, received, message: `expected ${expected}, received ${received}` },
      ])
      const row = await rowOf(id)
      expect(row).toMatchObject({ status: 'quarantined', outcome: null, appliedAt: null, issues: [{ expected, received }] })
      expect(await bytesOf(row?.id ?? '')).toEqual(Buffer.from(body))
    },
  )

  test('the answer to an event of the wrong shape names path, expected and received type of each issue', async () => {
    const event = JSON.parse(whole)
    const body = JSON.stringify({ ...event, data: { ...event.data, total_amount: '12', status: 'lost', customer: null } })
    const answer = await send(t.url, body)
    expect(answer).toMatchObject({ status: 400, json: failed })
    expect(answer.json['issues']).toEqual(
      expect.arrayContaining([
        { path: 'data.total_amount', expected: 'number', received: 'string', message: 'expected number, received string' },
        expect.objectContaining({ path: 'data.status', received: '"lost"' }),
        expect.objectContaining({ path: 'data.customer', expected: 'object', received: 'null' }),
      ]),
    )
    expect(await newest()).toMatchObject({ status: 'quarantined', eventType: 'order.paid', customerId: event.data.customer_id })
  })

  test('the answer to an event of an unknown type names the type', async () => {
    const id = randomUUID()
    const answer = await send(t.url, JSON.stringify({ type: 'pledge.created', data: { id: '1' } }), { id })
    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'UNKNOWN_EVENT_TYPE', message: 'Unknown event type pledge.created' },
    })
    expect(await rowOf(id)).toMatchObject({ status: 'quarantined', eventType: 'pledge.created' })
    expect(lines.some((line) => line.includes(id) && line.includes('Unknown event type pledge.created'))).toBe(true)
  })

  testOnBoth('an invalid delivery that is received again is parsed again in its row, and accepted once it is valid', async () => {
    const id = randomUUID()
    const body = '{"type":"order.paid","data":{}}'
    expect((await send(t.url, body, { id })).status).toBe(400)
    const first = await rowOf(id)
    expect((await send(t.url, body, { id })).status).toBe(400)
    expect(await rowOf(id)).toMatchObject({ id: first?.id, status: 'quarantined', attempts: 2 })
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(t.url, whole, { id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 202])
    const row = await rowOf(id)
    expect(row).toMatchObject({ id: first?.id, status: 'accepted', issues: [], attempts: 8 })
    expect((await bytesOf(row?.id ?? '')).toString()).toBe(whole)
  })

  testOnBoth('ten simultaneous copies of an invalid delivery are one row in quarantine', async () => {
    const id = randomUUID()
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(t.url, '{}', { id })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
    expect(await rowOf(id)).toMatchObject({ status: 'quarantined', attempts: 10 })
  })

  test('with billing.onInvalid accept, an invalid delivery is answered 202 and stored in quarantine', async () => {
    const lenient = await t.node({ billing: { secrets: [secret], onInvalid: 'accept' } })
    const id = randomUUID()
    expect(await send(lenient.url, '{"type":"new.type","data":{}}', { id })).toMatchObject({
      status: 202,
      json: { outcome: 'quarantined' },
    })
    expect(await rowOf(id)).toMatchObject({ status: 'quarantined' })
    await lenient.stop()
  })

  test('a delivery with too long a webhook id is rejected and not stored', async () => {
    const id = 'x'.repeat(256)
    const answer = await send(t.url, whole, { id })
    expect(answer).toMatchObject({ status: 400, json: { ...failed, issues: [{ path: 'webhook-id' }] } })
    expect(await rowOf(id)).toBeUndefined()
    expect((await send(t.url, whole, { id: 'y'.repeat(255) })).status).toBe(202)
  })
})

describe('replay-delivery', () => {
  test('replay-delivery applies a quarantined delivery that has become valid, and applies an accepted delivery again with the same result', async () => {
    const id = randomUUID()
    await send(t.url, '{}', { id })
    const row = await rowOf(id)
    const rowId = row?.id ?? ''
    await expect(inbox().replay(systemPrincipal('test'), rowId)).rejects.toMatchObject({
      code: 'FAILED_TO_PARSE_EVENT',
      issues: expect.any(Array),
    })
    // Makes the body valid, as an upgrade of gatehouse would.
    await t.app.core.db
      .knex('billing_delivery')
      .where({ id: rowId })
      .update({ body: Buffer.from(bodyOf('order.paid')) })
    await inbox().replay(systemPrincipal('test'), rowId)
    const accepted = await rowOf(id)
    expect(accepted).toMatchObject({ status: 'accepted', eventType: 'order.paid', issues: [] })
    await inbox().replay(systemPrincipal('test'), rowId)
    expect(await rowOf(id)).toMatchObject({ status: 'accepted' })
    expect(await t.app.audit.list({ type: 'delivery.replayed', subject: rowId }, 10)).toMatchObject([
      { actorKind: 'system', subjectType: 'delivery', subjectId: rowId },
      { actorKind: 'system', subjectType: 'delivery', subjectId: rowId },
    ])
    await expect(inbox().replay(systemPrincipal('test'), 'nothing')).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' })
  })
})

describeOnBoth('the list of deliveries', () => {
  testOnBoth('the list of deliveries can be filtered, and its pages have no gap or overlap', async () => {
    const customerId = randomUUID()
    for (let i = 0; i < 7; i += 1) await send(t.url, bodyOf(i % 2 === 0 ? 'order.paid' : 'order.created', { customerId }))
    const all = await inbox().newest({ customerId }, 100)
    expect(all).toHaveLength(7)
    const query = { sort: 'receivedAt', order: 'desc', limit: 3 } as const
    const pages: (typeof all)[number][] = []
    for (let after: string | null | undefined; after !== null; ) {
      const page = await inbox().list({ customerId }, { ...query, after })
      pages.push(...page.rows)
      after = page.next
    }
    expect(pages).toEqual(all)
    expect(await inbox().newest({ customerId, eventType: 'order.paid' }, 100)).toHaveLength(4)
    expect(await inbox().newest({ customerId, status: 'quarantined' }, 100)).toEqual([])
    expect(new Set((await inbox().newest({ status: 'quarantined' }, 100)).map(({ status }) => status))).toEqual(
      new Set(['quarantined']),
    )
    expect(await inbox().newest({ customerId, since: new Date(Date.now() + 60_000) }, 100)).toEqual([])
    expect(await inbox().newest({ customerId, endpoint: 'other' }, 100)).toEqual([])
    const combined = { customerId, eventType: 'order.paid', status: 'accepted', endpoint: 'polar' } as const
    const oldest = await inbox().list(combined, { ...query, order: 'asc' })
    expect(oldest.rows).toEqual(
      all
        .filter(({ eventType }) => eventType === 'order.paid')
        .toReversed()
        .slice(0, 3),
    )
    expect((await inbox().list(combined, { ...query, order: 'asc', after: oldest.next ?? '' })).rows).toHaveLength(1)
  })
})
