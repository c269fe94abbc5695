import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkEntitlements, entitlementKeys } from '../../src/billing/entitlements/config.ts'
import {
  type OwnedPurchases,
  type PurchasedSubscription,
  type Purchases,
  subscriptionStatuses,
} from '../../src/billing/entitlements/rules/sources.ts'
import { type Entitlements, entitlementsOf } from '../../src/billing/entitlements/rules.ts'
import { runs } from '../support/runs.ts'

const schema = z.strictObject(entitlementKeys).superRefine(checkEntitlements)
const start = Date.UTC(2026, 10, 21)
const [products, prices, benefits, meters] = ['product', 'price', 'benefit', 'meter'].map((kind) =>
  [0, 1, 2].map((number) => `${kind}${number}`),
) as [string[], string[], string[], string[]]

const oneOrMore = (all: readonly string[]) => fc.uniqueArray(fc.constantFrom(...all), { minLength: 1 })
const source = fc.oneof(
  oneOrMore(products).map((product) => ({ product })),
  oneOrMore(prices).map((price) => ({ price })),
  oneOrMore(benefits).map((benefit) => ({ benefit })),
  oneOrMore(meters).map((meter) => ({ meter })),
)
const gift = fc.oneof(
  fc.constant({}),
  fc.integer({ min: -5, max: 5 }).map((value) => ({ value })),
  fc.constantFrom('gold', 'silver').map((value) => ({ value })),
  fc.integer({ min: 0, max: 5 }).map((quantity) => ({ quantity })),
  fc.constantFrom('seats', 'balance').map((quantity) => ({ quantity })),
)
const seconds = fc.integer({ min: 0, max: 20 * 86_400 })
const grace = fc.oneof(fc.constant('always'), seconds)
/** Valid configurations: random rules without those that contradict an earlier rule. */
const rules = fc
  .record({
    drafts: fc.array(
      fc
        .tuple(
          fc.record({ name: fc.constantFrom('a', 'b', 'c') }),
          source,
          gift,
          fc.option(
            fc.constantFrom('A', 'B').map((plan) => ({ plan })),
            { nil: {} },
          ),
        )
        .map((parts) => Object.assign({}, ...parts) as object),
      { maxLength: 8 },
    ),
    grace: fc.record(Object.fromEntries(subscriptionStatuses.map((one) => [one, one === 'canceled' ? seconds : grace]))),
    freeSeats: fc.oneof(fc.constant('unlimited'), fc.integer({ min: 0, max: 5 })),
    plans: fc.constantFrom([], ['B', 'A']),
  })
  .map(({ drafts, ...rest }) => {
    const kept: object[] = []
    for (const draft of drafts) if (schema.safeParse({ ...rest, entitlements: [...kept, draft] }).success) kept.push(draft)
    return schema.parse({ ...rest, entitlements: kept })
  })

const instant = fc.integer({ min: -30, max: 30 }).map((days) => new Date(start + days * 86_400_000).toISOString())
const instantOrNull = fc.option(instant)
const subscription = (id: string): fc.Arbitrary<PurchasedSubscription> =>
  fc.record({
    id: fc.constant(id),
    productId: fc.constantFrom(...products),
    priceIds: fc.subarray(prices),
    status: fc.constantFrom(...subscriptionStatuses, 'unheard-of'),
    statusSince: instant,
    currentPeriodEnd: instantOrNull,
    cancelAtPeriodEnd: fc.boolean(),
    endsAt: instantOrNull,
    endedAt: instantOrNull,
    seats: fc.option(fc.integer({ min: 0, max: 9 })),
    deliveryId: fc.constant('delivery'),
  })
const order = (id: string) =>
  fc.record({
    id: fc.constant(id),
    productId: fc.option(fc.constantFrom(...products)),
    priceIds: fc.subarray(prices),
    status: fc.constantFrom('paid', 'refunded', 'partially_refunded'),
    count: fc.integer({ min: 1, max: 3 }),
    benefitsRevoked: fc.boolean(),
    deliveryId: fc.constant('delivery'),
  })
const grant = (id: string, subscriptionIds: readonly string[]) =>
  fc.record({
    id: fc.constant(id),
    benefitId: fc.constantFrom(...benefits),
    subscriptionId: fc.constantFrom(null, ...subscriptionIds),
    deliveryId: fc.constant('delivery'),
  })
const meter = (meterId: string) =>
  fc.record({
    meterId: fc.constant(meterId),
    balance: fc.integer({ min: -2, max: 4 }).map((half) => half / 2),
    asOf: fc.constantFrom('2026-11-20T00:00:00.000000Z', '2026-11-21T00:00:00.000000Z'),
    deliveryId: fc.constant('delivery'),
  })
const several = <T>(ids: readonly string[], make: (id: string) => fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.subarray([...ids]).chain((chosen) => fc.tuple(...chosen.map(make)))

const snapshot: fc.Arbitrary<Purchases> = fc.record({
  subscriptions: several(['s1', 's2'], subscription),
  orders: several(['o1', 'o2'], order),
  grants: several(['g1', 'g2'], (id) => grant(id, ['s1', 's2', 'unknown'])),
  meters: several(meters.slice(0, 2), meter),
})
const holdings = several(['c1', 'c2', 'c3'], (customerId) =>
  fc.record({ customerId: fc.constant(customerId), owner: fc.constantFrom('user' as const, 'organization' as const), snapshot }),
)
const now = fc.integer({ min: -31, max: 31 }).map((days) => new Date(start + days * 86_400_000 + 1))

const has = (one: number | null, atLeast: number | null) => atLeast === null || (one !== null && one >= atLeast)
/** Expects that nothing of `less` is missing or worth less in `more`. */
const covers = (more: Entitlements, less: Entitlements, order: readonly string[]) => {
  for (const before of less.entitlements) {
    const after = more.entitlements.find(({ name }) => name === before.name)
    expect(after, before.name).toBeDefined()
    if (after === undefined) continue
    if (typeof before.value === 'number') expect(after.value).toBeGreaterThanOrEqual(before.value)
    expect(has(after.quantity, before.quantity)).toBe(true)
    expect(after.validUntil === null || (before.validUntil !== null && after.validUntil >= before.validUntil)).toBe(true)
  }
  if (less.plan !== null) expect(order.indexOf(more.plan ?? '')).toBeLessThanOrEqual(order.indexOf(less.plan))
  if (less.plan !== null) expect(more.plan).not.toBe(null)
  expect(has(more.seats, less.seats)).toBe(true)
}
type Rules = z.output<typeof schema>
const orderOf = ({ plans, entitlements }: Rules) => (plans.length > 0 ? plans : entitlements.flatMap(({ plan }) => plan ?? []))

test('a further source never removes an entitlement or makes it smaller or shorter', () => {
  const addition = fc.oneof(
    subscription('s-new').map((one) => ({ subscriptions: [one] })),
    order('o-new').map((one) => ({ orders: [one] })),
    grant('g-new', ['s1', 'unknown']).map((one) => ({ grants: [one] })),
    meter('meter2').map((one) => ({ meters: [one] })),
  )
  const empty: Purchases = { subscriptions: [], orders: [], grants: [], meters: [] }
  fc.assert(
    fc.property(rules, holdings, addition, fc.constantFrom('c1', 'c-new'), now, (config, held, more, customerId, when) => {
      const with_ = held.some((one) => one.customerId === customerId)
        ? held
        : [...held, { ...newcomer, customerId, snapshot: empty }]
      const added = with_.map((one) => (one.customerId === customerId ? { ...one, snapshot: join(one.snapshot, more) } : one))
      covers(entitlementsOf(config, added, when), entitlementsOf(config, held, when), orderOf(config))
    }),
    { numRuns: 20 * runs },
  )
})

const newcomer = { owner: 'user' as const }
const join = (held: Purchases, more: Partial<Purchases>): Purchases => ({
  subscriptions: [...held.subscriptions, ...(more.subscriptions ?? [])],
  orders: [...held.orders, ...(more.orders ?? [])],
  grants: [...held.grants, ...(more.grants ?? [])],
  meters: [...held.meters, ...(more.meters ?? [])],
})

const shuffled = (holding: OwnedPurchases): fc.Arbitrary<OwnedPurchases> => {
  const { subscriptions, orders, grants, meters: balances } = holding.snapshot
  const any = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length })
  return fc
    .record({ subscriptions: any(subscriptions), orders: any(orders), grants: any(grants), meters: any(balances) })
    .map((one) => ({ ...holding, snapshot: one }))
}

test('the order of customers and of their purchases makes no difference for entitlements', () => {
  const twoOrders = holdings.chain((held) =>
    fc.tuple(
      fc.constant(held),
      fc.tuple(...held.map(shuffled)).chain((parts) => fc.shuffledSubarray(parts, { minLength: parts.length })),
    ),
  )
  fc.assert(
    fc.property(rules, twoOrders, now, (config, [one, other], when) => {
      expect(entitlementsOf(config, other, when)).toEqual(entitlementsOf(config, one, when))
    }),
    { numRuns: 20 * runs },
  )
})

test('entitlements only end as time passes, each at its validUntil', () => {
  fc.assert(
    fc.property(rules, holdings, now, fc.integer({ min: 0, max: 40 }), (config, held, when, days) => {
      const later = new Date(when.getTime() + days * 86_400_000)
      const [before, after] = [entitlementsOf(config, held, when), entitlementsOf(config, held, later)]
      covers(before, after, orderOf(config))
      const lasting = before.entitlements.filter(({ validUntil }) => validUntil === null || validUntil > later)
      expect(after.entitlements.map(({ name }) => name)).toEqual(lasting.map(({ name }) => name))
    }),
    { numRuns: 20 * runs },
  )
})
