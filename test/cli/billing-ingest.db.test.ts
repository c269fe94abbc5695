import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bodyOf, secret, send, standardKey } from '../http/billing/sender.ts'
import { signedDelivery } from '../support/billing.ts'
import { type Environment, environmentOf, runCommand, type Served, serveHere, slow, startDaemon } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Served

const run = (args: readonly string[], input?: string) => runCommand([...args, '--json'], env, input)
const done = async (args: readonly string[], input?: string) => {
  const result = await run(args, input)
  // A list that reached its limit prints how to continue on standard error.
  expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^(\{"next":.*\}\n)?$/) })
  return result.json()
}
const refused = async (args: readonly string[], input?: string) => {
  const result = await run(args, input)
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  return JSON.parse(result.stderr) as unknown
}
/** Retries until the daemon has followed a change, which takes up to a second. */
const soon = <T>(work: () => Promise<T>) => vi.waitFor(work, { timeout: 60_000, interval: 50 })

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = { ...environmentOf(database), GATEHOUSE_WEBHOOK_SECRET: secret }
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

const body = bodyOf('order.paid')
const statusOf = async (endpoint: string, key: Buffer | string) =>
  (await send(daemon.url, body, { key: Buffer.from(key) }, endpoint)).status

describe('webhook endpoints by command', slow, () => {
  test('an added webhook endpoint accepts events without a restart, and its secret is shown once and stored sealed', async () => {
    expect(await statusOf('shop', 'x')).toBe(404)
    const added = (await done(['add-webhook-endpoint', '--name', 'shop'])) as { secret: string }
    expect(added).toEqual({
      name: 'shop',
      url: 'http://localhost:3000/webhooks/shop',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    await soon(async () => expect(await statusOf('shop', added.secret)).toBe(202))
    expect(await statusOf('shop', standardKey(added.secret))).toBe(202)
    expect(await statusOf('shop', secret)).toBe(403)
    expect(await statusOf('polar', added.secret)).toBe(403)
    const listed = await runCommand(['list-webhook-endpoints'], env)
    expect(listed.stdout).toMatch(/^shop +\S+\/webhooks\/shop +1 +false/m)
    expect(listed.stdout).toMatch(/^polar +\S+\/webhooks\/polar +1 +true/m)
    expect(listed.stdout).not.toContain(added.secret)
  })
})

// These tests wait for the daemon, so they run at the same time.
describe.concurrent('webhook endpoints by command, in the running daemon', slow, () => {
  test("adding a webhook endpoint with the sender's secret does not show the secret", async () => {
    const own = 'chosen by the merchant, 1234!'
    expect(await done(['add-webhook-endpoint', '--name', 'own', '--secret-stdin'], `${own}\n`)).not.toHaveProperty('secret')
    await soon(async () => expect(await statusOf('own', own)).toBe(202))
  })

  test('a webhook endpoint accepts the old and the new secret during a rotation, until --finish removes the old secret', async () => {
    const { secret: old } = (await done(['add-webhook-endpoint', '--name', 'rotated'])) as { secret: string }
    const { secret: fresh } = (await done(['rotate-webhook-secret', '--name', 'rotated'])) as { secret: string }
    await soon(async () => expect(await statusOf('rotated', fresh)).toBe(202))
    expect(await statusOf('rotated', old)).toBe(202)
    await done(['rotate-webhook-secret', '--name', 'rotated', '--finish'])
    await soon(async () => expect(await statusOf('rotated', old)).toBe(403))
    expect(await statusOf('rotated', fresh)).toBe(202)
  })

  test('add-webhook-endpoint can add secrets to the configured webhook endpoint', async () => {
    const { secret: added } = (await done(['add-webhook-endpoint', '--name', 'polar'])) as { secret: string }
    await soon(async () => expect(await statusOf('polar', added)).toBe(202))
    expect(await statusOf('polar', secret)).toBe(202)
    expect((await run(['remove-webhook-endpoint', 'polar'])).exitCode).toBe(2)
    expect(await statusOf('polar', added)).toBe(202)
    await done(['remove-webhook-endpoint', 'polar', '--yes'])
    await soon(async () => expect(await statusOf('polar', added)).toBe(403))
    expect(await statusOf('polar', secret)).toBe(202)
  })

  test('a removed webhook endpoint accepts no delivery, and its earlier deliveries stay', async () => {
    const { secret: own } = (await done(['add-webhook-endpoint', '--name', 'gone'])) as { secret: string }
    await soon(async () => expect(await statusOf('gone', own)).toBe(202))
    await done(['remove-webhook-endpoint', 'gone', '--yes'])
    await soon(async () => expect(await statusOf('gone', own)).toBe(404))
    expect(await done(['list-deliveries', '--endpoint', 'gone'])).not.toEqual([])
  })
})

describe('refused webhook endpoints by command', slow, () => {
  test('a webhook endpoint with a taken or invalid name or an invalid secret is refused', async () => {
    await done(['add-webhook-endpoint', '--name', 'twice'])
    expect(await refused(['add-webhook-endpoint', '--name', 'twice'])).toMatchObject({ code: 'WEBHOOK_ENDPOINT_ALREADY_EXISTS' })
    expect((await run(['add-webhook-endpoint', '--name', 'Twice!'])).exitCode).toBe(2)
    expect(await refused(['rotate-webhook-secret', '--name', 'nobody'])).toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    expect(await refused(['remove-webhook-endpoint', 'nobody', '--yes'])).toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    const add = ['add-webhook-endpoint', '--name', 'bad', '--secret-stdin']
    expect(await refused(add, '\n')).toEqual({ code: 'SECRET_CANT_BE_EMPTY', message: "Secret can't be empty." })
    expect(await refused(add, 'whsec_\n')).toMatchObject({ code: 'SECRET_CANT_BE_EMPTY' })
    expect(await refused(add, 'too short\n')).toMatchObject({ code: 'SECRET_TOO_SHORT' })
  })
})

interface Listed {
  readonly id: string
  readonly webhookId: string
  readonly customerId: string
  readonly verdict: string
  readonly effect: string
}
const list = (...args: readonly string[]) => done(['list-deliveries', ...args]) as Promise<Listed[]>

describe('deliveries by command', slow, () => {
  test('list-deliveries filters and pages, and replay-delivery and forget-customer work while the daemon runs', async () => {
    const customerId = randomUUID()
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    for (const id of ids) await send(daemon.url, bodyOf('customer.updated', { customerId }), { id })
    const all = await list('--customer', customerId)
    expect(new Set(all.map(({ webhookId }) => webhookId))).toEqual(new Set(ids))
    const first = await run(['list-deliveries', '--customer', customerId, '--limit', '2'])
    const next = /--after (\w+)/.exec(first.stderr)?.[1] ?? ''
    expect([...(first.json() as Listed[]), ...(await list('--customer', customerId, '--after', next))]).toEqual(all)
    expect(await run(['list-deliveries', '--after', 'nothing'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--after'),
    })
    expect(await list('--customer', customerId, '--type', 'order.paid')).toEqual([])
    expect(await list('--customer', customerId, '--since', '2020-01-01', '--verdict', 'accepted')).toHaveLength(3)
    expect(await list('--customer', customerId, '--since', '2999-01-01T00:00:00Z')).toEqual([])
    const shown = await runCommand(['list-deliveries', '--customer', customerId], env)
    expect(shown.stdout).toMatch(/customer\.updated/)

    expect(await done(['replay-delivery', all[0]?.id ?? ''])).toEqual({ id: all[0]?.id, effect: 'superseded' })
    expect(await refused(['replay-delivery', 'nothing'])).toMatchObject({ code: 'DELIVERY_NOT_FOUND' })
    const unasked = await run(['forget-customer', customerId])
    expect([unasked.exitCode, unasked.stdout, unasked.stderr]).toEqual([2, '', expect.stringContaining('--yes')])
    expect(await refused(['forget-customer', randomUUID(), '--yes'])).toMatchObject({ code: 'CUSTOMER_NOT_FOUND' })
    expect(await done(['forget-customer', customerId, '--yes'])).toEqual({ customerId, deliveries: 3 })
    expect(await done(['forget-customer', customerId, '--yes'])).toMatchObject({ customerId })
    expect((await list('--customer', customerId)).map(({ verdict }) => verdict)).toEqual(['removed', 'removed', 'removed'])
    expect(await refused(['replay-delivery', all[0]?.id ?? ''])).toMatchObject({ code: 'DELIVERY_WAS_REMOVED' })
  })

  test('quarantined deliveries are listed, and replay-delivery shows their issues', async () => {
    const id = randomUUID()
    expect((await send(daemon.url, '{"type":"pledge.created","data":{"id":"1"}}', { id })).status).toBe(400)
    const [row] = await list('--verdict', 'quarantined')
    expect(row).toMatchObject({ webhookId: id })
    expect(await refused(['replay-delivery', row?.id ?? ''])).toMatchObject({
      code: 'UNKNOWN_EVENT_TYPE',
      message: 'Unknown event type pledge.created',
    })
    expect(await done(['dismiss-delivery', row?.id ?? ''])).toEqual({ id: row?.id, dismissedAt: expect.any(String) })
    expect(await refused(['dismiss-delivery', 'nothing'])).toMatchObject({ code: 'DELIVERY_NOT_FOUND' })
  })

  test('deliveries without a valid signature are counted and listed by --refused', async () => {
    await send(daemon.url, body, { secret: 'y'.repeat(32) })
    const trace = {
      endpoint: 'polar',
      reason: 'NO_MATCHING_SIGNATURE_FOUND',
      address: expect.any(String),
      count: expect.any(Number),
    }
    await vi.waitFor(async () => expect(await list('--refused')).toContainEqual(expect.objectContaining(trace)), {
      timeout: 60_000,
      interval: 500,
    })
    const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/.source
    expect((await runCommand(['list-deliveries', '--refused'], env)).stdout).toMatch(
      new RegExp(`polar +NO_MATCHING_SIGNATURE_FOUND +\\S+ +\\d+ +${time} +${time}`),
    )
  })
})

test('a daemon stores and acknowledges all deliveries under way after SIGTERM', slow, async () => {
  const leaving = await serveHere(env)
  const texts = Array.from({ length: 30 }, () => bodyOf('order.paid', { customerId: randomUUID() }))
  const deliveries = await Promise.all(
    texts.map(async (text) => {
      const length = { 'content-length': Buffer.byteLength(text), expect: '100-continue' }
      const headers = { ...signedDelivery(secret, text).headers, ...length }
      const call = request(`${leaving.url}/webhooks/polar`, { method: 'POST', headers, agent: false })
      const status = once(call, 'response').then(([answer]) => answer.resume().statusCode as number)
      // The daemon has begun to process the deliveries.
      call.flushHeaders()
      await once(call, 'continue')
      return { call, text, status }
    }),
  )
  const ended = leaving.stop()
  await vi.waitFor(() => expect(leaving.said.stderr).toContain('shutting down'), 60_000)
  for (const { call, text } of deliveries) call.end(text)
  expect(await Promise.all(deliveries.map(({ status }) => status))).toEqual(texts.map(() => 202))
  expect(await ended).toBe(0)
  const stored = await list('--type', 'order.paid', '--limit', '100')
  const taken = new Set(stored.map(({ customerId }) => customerId))
  for (const text of texts) expect(taken).toContain(JSON.parse(text).data.customer_id)
})

describe('a daemon killed in the middle of deliveries', slow, () => {
  test('a daemon killed during deliveries loses no delivery if the sender retries, and applies none twice', async () => {
    const customers = Array.from({ length: 4 }, () => randomUUID())
    const stream = Array.from({ length: 240 }, (_, i) => {
      const customerId = customers[i % customers.length] ?? ''
      return { id: randomUUID(), body: bodyOf('order.paid', { customerId, orderId: randomUUID() }) }
    })
    let victim = await startDaemon(env)
    let url = victim.url
    const sent = { first: 0, repeated: 0 }
    /** Sends as the platform does: again until the delivery is acknowledged. */
    const deliver = async ({ id, body: text }: (typeof stream)[number]) => {
      for (let attempt = 0; attempt < 900; attempt += 1) {
        const status = await send(url, text, { id }).then(
          (answer) => answer.status,
          () => 0,
        )
        if (status === 202 || status === 200) {
          sent[status === 202 ? 'first' : 'repeated'] += 1
          return
        }
        await wait(100)
      }
      throw new Error('given up')
    }
    const line = stream.values()
    const workers = Array.from({ length: 8 }, async () => {
      for (const delivery of line) await deliver(delivery)
    })
    for (let kills = 0; kills < 2; kills += 1) {
      const before = sent.first
      await vi.waitFor(() => expect(sent.first).toBeGreaterThan(before + 30), { timeout: 60_000, interval: 5 })
      victim.child.kill('SIGKILL')
      expect(await victim.ended).toBe('SIGKILL')
      if (kills < 1) victim = await startDaemon(env)
      url = kills < 1 ? victim.url : daemon.url
    }
    await Promise.all(workers)

    for (const customerId of customers) {
      const rows = await list('--customer', customerId, '--limit', '1000')
      const own = stream.filter(({ body: text }) => text.includes(customerId))
      expect(rows.map(({ webhookId }) => webhookId).sort()).toEqual(own.map(({ id }) => id).sort())
      // Each delivery has an order of its own, so a lost or repeated effect would show.
      expect(rows.map(({ verdict, effect }) => `${verdict} ${effect}`)).toEqual(own.map(() => 'accepted applied'))
    }
    expect(sent.first + sent.repeated).toBe(stream.length)
  })
})
