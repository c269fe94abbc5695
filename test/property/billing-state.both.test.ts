import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { systemPrincipal } from '../../src/access/principal.ts'
import type { EventType } from '../../src/billing/events/parse.ts'
import type { SimulationOptions } from '../../src/billing/simulator/build.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../support/billing.ts'
import { clearBilling, clearState, stateOf } from '../support/billing-state.ts'
import { runs } from '../support/runs.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [webhookSecret] } } })
  await t.signedIn('buyer@example.com')
  await t.signedIn('second@example.com')
  await t.app.core.db.knex('user').update({ email_verified: true })
})
afterAll(() => t.stop())
afterEach(() => vi.useRealTimers())

interface Happening {
  readonly type: EventType
  /** Which of few moments: several events of one entity share a `modified_at`. */
  readonly minute: number
  readonly customer: number
  readonly product: number
  readonly shape: '2025' | '2026'
  readonly status: number
  readonly once: boolean
  /** Which of a few purchases of the customer. */
  readonly purchase: number
}

const types: readonly EventType[] = [
  ...(['customer.created', 'customer.updated', 'customer.deleted', 'customer.state_changed', 'customer.state_changed'] as const),
  ...(['benefit.created', 'benefit.updated', 'product.created', 'product.updated', 'organization.updated'] as const),
  ...(['benefit_grant.created', 'benefit_grant.updated', 'benefit_grant.cycled', 'benefit_grant.revoked'] as const),
  ...(['checkout.created', 'checkout.updated', 'checkout.expired', 'discount.created', 'discount.deleted'] as const),
  ...(['order.created', 'order.updated', 'order.paid', 'order.refunded', 'refund.created', 'refund.updated'] as const),
  ...(['subscription.created', 'subscription.active', 'subscription.updated', 'subscription.canceled'] as const),
  ...(['subscription.uncanceled', 'subscription.revoked', 'subscription.past_due', 'subscription.cycled'] as const),
  'member.created',
]

const happening: fc.Arbitrary<Happening> = fc.record({
  type: fc.constantFrom(...types),
  minute: fc.nat({ max: 5 }),
  customer: fc.nat({ max: 1 }),
  product: fc.nat({ max: 1 }),
  shape: fc.constantFrom('2025', '2026'),
  status: fc.nat({ max: 3 }),
  once: fc.boolean(),
  purchase: fc.nat({ max: 3 }),
})

const statuses: Readonly<Record<string, readonly string[]>> = {
  'customer.state_changed': ['active', 'canceled', 'trialing', 'active'],
  'subscription.updated': ['active', 'past_due', 'canceled', 'trialing'],
  'order.updated': ['pending', 'paid', 'partially_refunded', 'paid'],
  'refund.updated': ['succeeded', 'failed', 'pending', 'succeeded'],
}

/** All proven: a link that an unproven address leaves as it is depends on what was known when (decision 0087). */
const emails = ['buyer@example.com', 'second@example.com', 'BUYER@example.com']

const eventFor = ({ type, minute, customer, product, shape, status, once, purchase }: Happening, index: number) => {
  const options: SimulationOptions = {
    at: new Date(Date.UTC(2026, 10, 21, 12, minute)),
    customerId: `customer-${customer}`,
    email: emails[(customer + minute) % emails.length],
    customerName: `Name ${index}`,
    productId: `product-${product}`,
    orderId: `order-${customer}-${purchase}`,
    refundId: `refund-${customer}-${purchase % 3}`,
    grantId: `grant-${customer}-${purchase}`,
    subscriptionId: `subscription-${customer}-${purchase % 2}`,
    amount: 1000 + index,
    status: statuses[type]?.[status],
    recurring: !once,
    shape,
    ...(status === 3 ? { discount: { type: 'fixed', duration: 'once' } as const } : {}),
    ...(status === 2 ? { units: { consumed: index, credited: 100 } } : {}),
  }
  return eventOf(type, options)
}

const send = async (deliveries: readonly ReturnType<typeof signedDelivery>[]) => {
  for (const delivery of deliveries) expect([200, 202]).toContain((await post(t.url, delivery)).status)
}

test('deliveries in any order, with duplicates, gaps and customer states, give the same rows, and so does a rebuild', async () => {
  // Among the others: an empty snapshot without a time is as old as its first arrival.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21, 12, 2, 30) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { minLength: 1, maxLength: 14 }).chain((history) =>
        fc.record({
          history: fc.constant(history),
          // Positions of the history in another order, some of them twice.
          order: fc.shuffledSubarray([...history.keys(), ...history.keys()], { minLength: history.length }),
          wiped: fc.boolean(),
        }),
      ),
      async ({ history, order, wiped }) => {
        const deliveries = history.map((happened, index) =>
          signedDelivery(webhookSecret, eventFor(happened, index), { id: `webhook-${index}` }),
        )
        await clearBilling(t)
        await send(deliveries)
        const inOrder = await stateOf(t)

        await clearBilling(t)
        // What the other order left out comes last: gaps are filled, or the histories would not be the same.
        await send([...order, ...history.keys()].flatMap((index) => deliveries[index] ?? []))
        expect(await stateOf(t)).toEqual(inOrder)

        if (wiped) await clearState(t)
        else await t.app.core.db.knex('billing_subscription').update({ data: '{}', version: '1|9' })
        const rebuilt = await t.app.billing.state.rebuild(systemPrincipal('test'), { dryRun: false })
        expect(await stateOf(t), JSON.stringify(rebuilt)).toEqual(inOrder)
        expect(await t.app.billing.state.rebuild(systemPrincipal('test'), { dryRun: true })).toMatchObject({
          ...{ corrected: 0, removed: 0, restored: 0, snapshots: 0, links: 0 },
        })
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
}, 240_000)
