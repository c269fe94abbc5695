import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { systemPrincipal } from '../../src/access/principal.ts'
import type { EventType } from '../../src/billing/events/parse.ts'
import type { SimulationOptions } from '../../src/billing/simulator/build.ts'
import type { BillingSnapshot } from '../../src/billing/state/snapshot.ts'
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
  /** One of a few times, so that several events of one entity share a `modified_at`. */
  readonly minute: number
  readonly customer: number
  readonly product: number
  readonly shape: '2025' | '2026'
  readonly status: number
  readonly once: boolean
  /** One of a few purchases of the customer. */
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

/**
 * All addresses are verified, because the link of an unverified one depends on the order of events
 * (docs/design/billing.md#owners-of-purchases).
 */
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

test('deliveries in any order, with duplicates, gaps and customer states, give the same rows, and a rebuild gives the same rows too', async () => {
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
        // Events missing from the other order arrive last, so that both histories contain the same events.
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

/** The action of a customer at an endpoint of 2025, and its minute. */
interface Step {
  readonly does: 'buy' | 'end' | 'edit'
  readonly purchase: number
  /** Several steps may have the same time. */
  readonly minutes: number
}

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('buy', 'buy', 'end', 'edit'),
  purchase: fc.nat({ max: 2 }),
  minutes: fc.nat({ max: 2 }),
})

interface Purchase {
  readonly options: SimulationOptions
  isRunning: boolean
}

/** The platform's events for these steps, each followed by the customer's state, and the purchases that are active in the end. */
const historyOf = (steps: readonly Step[]) => {
  const customerId = 'customer-of-2025'
  const purchases = new Map<number, Purchase>()
  const events: object[] = []
  let at = new Date(Date.UTC(2026, 10, 21, 12))
  let customer = changesOf(eventOf('customer.created', { customerId, shape: '2025', at }))
  const send = (type: EventType, options: Partial<SimulationOptions>) => {
    const { data, ...event } = eventOf(type, { customerId, shape: '2025', at, ...options })
    const own = type.startsWith('customer.') ? {} : { customer: { ...(data['customer'] as object), ...customer } }
    events.push({ ...event, data: { ...data, ...own } })
  }
  const sendState = () => {
    const states = [...purchases.values()]
      .filter(({ isRunning }) => isRunning)
      .map(({ options }) => eventOf('customer.state_changed', { ...options, shape: '2025' }).data)
    const all = (name: string) => ({ [name]: states.flatMap((data) => data[name] as readonly object[]) })
    const { data, ...event } = eventOf('customer.state_changed', { customerId, shape: '2025', at, status: 'canceled' })
    events.push({ ...event, data: { ...data, ...customer, ...all('active_subscriptions'), ...all('granted_benefits') } })
  }
  send('customer.created', {})
  sendState()
  for (const { does, purchase, minutes } of steps) {
    at = new Date(at.getTime() + minutes * 60_000)
    const ids = { customerId, at, subscriptionId: `subscription-${purchase}`, grantId: `grant-${purchase}` }
    const known = purchases.get(purchase)
    if (does === 'edit') {
      const edited = eventOf('customer.updated', { customerId, shape: '2025', at, createdAt: customer.created_at })
      customer = changesOf(edited)
      events.push(edited)
    } else if (does === 'buy' && known === undefined) {
      purchases.set(purchase, { options: ids, isRunning: true })
      for (const type of ['subscription.created', 'subscription.active', 'order.paid', 'benefit_grant.created'] as const)
        send(type, type === 'order.paid' ? { ...ids, orderId: `order-${purchase}` } : ids)
    } else if (does === 'end' && known?.isRunning === true) {
      known.isRunning = false
      for (const type of ['subscription.canceled', 'subscription.revoked', 'benefit_grant.revoked'] as const) send(type, ids)
    }
    sendState()
  }
  return { events, running: [...purchases].flatMap(([id, { isRunning }]) => (isRunning ? [id] : [])).sort() }
}

const changesOf = ({ data }: { readonly data: Readonly<Record<string, unknown>> }) => ({
  created_at: data['created_at'] as string,
  modified_at: data['modified_at'] as string | null,
})

/** Numbers of the purchases by status, and of the benefits, in the snapshot of the customer. */
const heldIn = async ({ app }: TestApp) => {
  const row = await app.core.db.knex('billing_customer').where({ id: 'customer-of-2025' }).first('snapshot')
  const { subscriptions, grants } = JSON.parse(row?.snapshot || '{"subscriptions":[],"grants":[]}') as BillingSnapshot
  const numbers = (items: readonly { readonly id: string }[]) => items.map(({ id }) => Number(id.split('-')[1])).sort()
  return {
    running: numbers(subscriptions.filter(({ status }) => status === 'active')),
    ended: numbers(subscriptions.filter(({ status }) => status === 'canceled')),
    benefits: numbers(grants),
  }
}

test("events of 2025 that have no time of their own give the platform's state however late, often and unordered they arrive", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 5 }).chain((steps) => {
        const all = [...historyOf(steps).events.keys()]
        return fc.record({
          steps: fc.constant(steps),
          order: fc.shuffledSubarray([...all, ...all], { minLength: 1 }),
          // Seconds between two arrivals: much less and much more than between the events.
          lags: fc.array(fc.constantFrom(0, 1, 40, 900), { minLength: 3 * all.length, maxLength: 3 * all.length }),
          isLate: fc.boolean(),
        })
      }),
      async ({ steps, order, lags, isLate }) => {
        const { events, running } = historyOf(steps)
        const arrive = async (positions: readonly number[]) => {
          let now = Date.UTC(2026, 10, 21, isLate ? 13 : 12)
          await clearBilling(t)
          for (const [i, position] of positions.entries()) {
            now += (lags[i] ?? 0) * 1000
            vi.useFakeTimers({ toFake: ['Date'], now })
            await send([signedDelivery(webhookSecret, events[position] ?? {}, { id: `webhook-${position}` })])
          }
        }
        // Some events are lost. The events that arrived must not end an active purchase.
        await arrive(order)
        expect((await heldIn(t)).ended.filter((id) => running.includes(id))).toEqual([])

        await arrive([...order, ...events.keys()])
        const mixed = await stateOf(t)
        expect(await heldIn(t)).toMatchObject({ running, benefits: running })
        expect(await t.app.billing.state.rebuild(systemPrincipal('test'), { dryRun: true })).toMatchObject({
          ...{ corrected: 0, removed: 0, restored: 0, snapshots: 0, links: 0 },
        })
        await arrive([...events.keys()])
        expect(await stateOf(t)).toEqual(mixed)
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
}, 240_000)
