import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { webhookSecret } from '../support/billing.ts'
import { type Environment, environmentOf, runCommand, serveHere, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>

const simulate = (args: readonly string[], input?: string) =>
  runCommand(['simulate-event', ...args, '--port', String(daemon.port), '--json'], env, input)
const refusal = (stderr: string) => JSON.parse(stderr) as unknown

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = { ...environmentOf(database), GATEHOUSE_WEBHOOK_SECRET: webhookSecret }
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

test("a simulated event is signed with this instance's secret, and copies with one id are stored once", slow, async () => {
  const args = ['simulate-event', 'order.paid', '--customer-email', 'ann@example.com', '--seats', '3']
  const one = await runCommand([...args, '--port', String(daemon.port), '--json'], env)
  expect([one.exitCode, one.stderr]).toEqual([0, ''])
  expect(one.json()).toMatchObject([{ status: 202 }])

  const answers = (await simulate(['subscription.active', '--duplicate', '5', '--late', '3600'])).json() as {
    readonly status: number
    readonly webhookId: string
  }[]
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 202])
  expect(new Set(answers.map(({ webhookId }) => webhookId)).size).toBe(1)
})

test('simulate-event exits with 3 and shows the response when the event is rejected', slow, async () => {
  const cases: readonly (readonly [args: readonly string[], says: string])[] = [
    [['--wrong-signature'], '403 {"code":"NO_MATCHING_SIGNATURE_FOUND"'],
    [['--skew', '-400'], '403 {"code":"MESSAGE_TIMESTAMP_TOO_OLD"'],
    [['--skew', '400'], '403 {"code":"MESSAGE_TIMESTAMP_TOO_NEW"'],
    [['--set', 'data.customer.id=5'], '"path":"data.customer.id","expected":"string","received":"number"'],
    [['--set', 'type=order.payed'], 'Unknown event type order.payed'],
    [['--status', 'lost'], '"path":"data.status"'],
  ]
  for (const [args, says] of cases) {
    const { exitCode, stderr } = await simulate(['order.paid', ...args])
    expect(exitCode).toBe(3)
    expect(refusal(stderr)).toMatchObject({ code: 'DELIVERY_REFUSED', message: expect.stringContaining(says) })
  }
})

test(
  'simulate-event sends to another instance with a secret from standard input, and reports an instance that does not answer',
  slow,
  async () => {
    const sent = await simulate(['refund.created', '--to', daemon.url, '--secret-stdin'], webhookSecret)
    expect(sent.json()).toMatchObject([{ status: 202 }])

    const unknown = await simulate(['refund.created', '--to', daemon.url])
    expect([unknown.exitCode, refusal(unknown.stderr)]).toMatchObject([3, { code: 'WEBHOOK_ENDPOINT_NOT_FOUND' }])

    const nobody = await simulate(
      ['refund.created', '--to', 'http://127.0.0.1:9/webhooks/polar', '--secret-stdin'],
      webhookSecret,
    )
    expect([nobody.exitCode, refusal(nobody.stderr)]).toMatchObject([3, { code: 'DELIVERY_REFUSED' }])
  },
)

test("a simulated event for an added webhook endpoint is signed with the endpoint's stored secret", slow, async () => {
  const added = await runCommand(['add-webhook-endpoint', '--name', 'shop', '--json'], env)
  expect([added.exitCode, added.stderr]).toEqual([0, ''])
  // The daemon learns about the endpoint a moment later.
  await vi.waitFor(async () => expect((await simulate(['order.paid', '--endpoint', 'shop'])).exitCode).toBe(0), {
    timeout: 60_000,
  })
  expect((await simulate(['order.paid', '--endpoint', 'none'])).exitCode).toBe(3)
})

test(
  'simulate-event --print shows the event with the values of --set, and the same event for the same options',
  slow,
  async () => {
    const args = ['benefit_grant.created', '--external-id', 'user-1', '--product', 'pro', '--modified-at', '2026-03-01T00:00:00Z']
    const print = async (...more: readonly string[]) =>
      (await simulate([...args, ...more, '--print'])).json() as { data: Record<string, unknown> }
    const [first, second] = [
      await print(),
      await print('--set', 'data.customer.name=Bob', '--set', 'data.benefit.metadata.tier=2'),
    ]
    expect(first.data).toMatchObject({ modified_at: '2026-03-01T00:00:00Z', customer: { external_id: 'user-1' } })
    expect(second.data).toMatchObject({ customer: { name: 'Bob' }, benefit: { metadata: { tier: 2 } } })
    for (const key of ['id', 'customer_id', 'benefit_id', 'subscription_id']) expect(second.data[key]).toBe(first.data[key])
  },
)

test('simulate-event refuses an unknown event type and lists the known types', slow, async () => {
  const unknown = await simulate(['order.payed'])
  expect(unknown.exitCode).toBe(2)
  expect(refusal(unknown.stderr)).toMatchObject({ code: 'USAGE', message: expect.stringContaining('order.paid') })
  const flags = await simulate(['order.paid', '--seats', 'many', '--set', 'nothing', '--duplicate', '0'])
  expect(refusal(flags.stderr)).toMatchObject({
    code: 'USAGE',
    issues: [{ path: '--seats' }, { path: '--duplicate' }, { path: '--set' }],
  })
})
