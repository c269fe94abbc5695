import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { checkEntitlements, entitlementKeys } from '../../src/billing/entitlements/config.ts'
import {
  endOf,
  type OwnedPurchases,
  type PurchasedSubscription,
  type Purchases,
} from '../../src/billing/entitlements/rules/sources.ts'
import { entitlementsOf, unusedOf } from '../../src/billing/entitlements/rules.ts'
import { ConfigError, loadConfig } from '../../src/core/config.ts'

const schema = z.strictObject({ billing: z.strictObject(entitlementKeys).superRefine(checkEntitlements).prefault({}) })
const load = (billing: unknown, env: Record<string, string> = {}) => loadConfig(schema, { env, flags: { billing } }).billing
const problemsOf = (billing: unknown, env: Record<string, string> = {}): readonly string[] => {
  try {
    load(billing, env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

const now = new Date('2026-11-21T12:00:00.000Z')
const at = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString()

const subscription = (more: Partial<PurchasedSubscription> = {}): PurchasedSubscription => ({
  ...{ id: 'sub', productId: 'pro', priceIds: ['price'], status: 'active', statusSince: at(-3), currentPeriodEnd: at(20) },
  ...{ cancelAtPeriodEnd: false, endsAt: null, endedAt: null, seats: null, deliveryId: 'd1' },
  ...more,
})
const holding = (snapshot: Partial<Purchases>, more: Partial<OwnedPurchases> = {}): OwnedPurchases => ({
  ...{ owner: 'user', customerId: 'customer' },
  snapshot: { subscriptions: [], grants: [], orders: [], meters: [], ...snapshot },
  ...more,
})
const company = (snapshot: Partial<Purchases>) => holding(snapshot, { owner: 'organization', customerId: 'company' })
const order = (id: string, more: Partial<Purchases['orders'][number]> = {}) => ({
  ...{ id, productId: 'pro', priceIds: ['price'], status: 'paid' as const, count: 1, benefitsRevoked: false, deliveryId: 'd2' },
  ...more,
})
const of = (billing: unknown, ...holdings: readonly OwnedPurchases[]) => entitlementsOf(load(billing), holdings, now)
const namesOf = (billing: unknown, ...holdings: readonly OwnedPurchases[]) =>
  of(billing, ...holdings).entitlements.map(({ name }) => name)

describe('the sources of an entitlement', () => {
  const rules = {
    entitlements: [
      { name: 'by_product', product: ['other', 'pro'] },
      { name: 'by_price', price: 'price' },
      { name: 'by_benefit', benefit: 'benefit' },
      { name: 'by_meter', meter: 'meter' },
    ],
  }

  test('an entitlement comes from subscriptions and orders by product or price, granted benefits, and meters with a balance', () => {
    expect(namesOf(rules)).toEqual([])
    expect(namesOf(rules, holding({ subscriptions: [subscription()] }))).toEqual(['by_price', 'by_product'])
    expect(namesOf(rules, holding({ orders: [order('o')] }))).toEqual(['by_price', 'by_product'])
    expect(namesOf(rules, holding({ subscriptions: [subscription({ productId: 'x', priceIds: [] })] }))).toEqual([])
    const grants = [{ id: 'g', benefitId: 'benefit', subscriptionId: null, deliveryId: 'd' }]
    expect(namesOf(rules, holding({ grants }))).toEqual(['by_benefit'])
    const meter = (balance: number) => holding({ meters: [{ meterId: 'meter', balance, asOf: at(0), deliveryId: 'd' }] })
    expect([meter(0.5), meter(0), meter(-1)].map((one) => namesOf(rules, one))).toEqual([['by_meter'], [], []])
  })

  test('a partially refunded order gives entitlements, and an order refunded in full or with revoked benefits does not', () => {
    const withStatus = (status: 'paid' | 'partially_refunded' | 'refunded') =>
      namesOf(rules, holding({ orders: [order('o', { status })] })).length
    expect((['paid', 'partially_refunded', 'refunded'] as const).map(withStatus)).toEqual([2, 2, 0])
    const takenBack = order('o', { status: 'partially_refunded', benefitsRevoked: true })
    expect(namesOf(rules, holding({ orders: [takenBack] }))).toEqual([])
  })

  test('a benefit ends with its subscription, even when no event about the benefit arrives', () => {
    const grants = [{ id: 'g', benefitId: 'benefit', subscriptionId: 'sub', deliveryId: 'd' }]
    const withSubscription = (more: Partial<PurchasedSubscription>) =>
      of(rules, holding({ grants, subscriptions: [subscription({ productId: 'x', priceIds: [], ...more })] })).entitlements
    expect(withSubscription({})).toMatchObject([{ name: 'by_benefit', validUntil: new Date(at(27)) }])
    expect(withSubscription({ cancelAtPeriodEnd: true })).toMatchObject([{ validUntil: new Date(at(20)) }])
    expect(withSubscription({ status: 'canceled', endedAt: at(-1) })).toEqual([])
  })

  test('the sources of an entitlement are returned with the rule and the delivery of each source', () => {
    const holdings = [
      holding({ subscriptions: [subscription({ cancelAtPeriodEnd: true })] }),
      holding({ orders: [order('o')] }, { owner: 'organization', customerId: 'company' }),
    ]
    const common = { rule: 1, warning: null }
    expect(of(rules, ...holdings).entitlements[0]).toEqual({
      ...{ name: 'by_price', value: true, quantity: null, asOf: null, validUntil: null },
      sources: [
        { ...common, kind: 'order', id: 'o', customerId: 'company', owner: 'organization', deliveryId: 'd2', validUntil: null },
        {
          ...{ ...common, kind: 'subscription', id: 'sub', customerId: 'customer', owner: 'user', deliveryId: 'd1' },
          validUntil: new Date(at(20)),
        },
      ],
    })
  })
})

test('a purchase without an entitlement is returned with the reason', () => {
  const rules = load({ entitlements: [{ name: 'x', product: 'pro' }] })
  const held = holding({
    subscriptions: [subscription(), subscription({ id: 'over', status: 'unpaid' })],
    orders: [order('o', { productId: 'other' }), order('back', { status: 'refunded' })],
    meters: [{ meterId: 'm', balance: 0, asOf: at(0), deliveryId: 'd' }],
  })
  expect(unusedOf(rules, [held], now).map(({ kind, id, because }) => [kind, id, because])).toEqual([
    ['meter', 'm', 'no balance'],
    ['order', 'back', 'refunded'],
    ['order', 'o', 'no rule'],
    ['subscription', 'over', 'ended'],
  ])
})

describe('the time at which a subscription stops giving entitlements', () => {
  const { grace } = load({})
  const endWith = (more: Partial<PurchasedSubscription>, changes = {}) =>
    endOf(subscription(more), { ...grace, ...changes })?.toISOString() ?? null

  test.each<[string, Partial<PurchasedSubscription>, string | null]>([
    ['active: seven days after the paid period', {}, at(27)],
    ['trialing: seven days after the trial', { status: 'trialing' }, at(27)],
    ['active and set to end with the period', { cancelAtPeriodEnd: true }, at(20)],
    ['active and set to end at a time', { cancelAtPeriodEnd: true, endsAt: at(5) }, at(5)],
    ['past_due: seven days after the change', { status: 'past_due' }, at(4)],
    ['past_due and set to end before that', { status: 'past_due', endsAt: at(1) }, at(1)],
    ['canceled: the end of the paid period', { status: 'canceled' }, at(20)],
    ['canceled for a while', { status: 'canceled', endsAt: at(2) }, at(2)],
    ['revoked: at once', { status: 'canceled', endedAt: at(-1), endsAt: at(2) }, at(-1)],
    ['canceled without any time', { status: 'canceled', currentPeriodEnd: null }, at(-3)],
    ['unpaid', { status: 'unpaid' }, at(-3)],
    ['incomplete', { status: 'incomplete' }, at(-3)],
    ['incomplete_expired', { status: 'incomplete_expired' }, at(-3)],
    ['paused', { status: 'paused' }, at(-3)],
    ['an unknown status', { status: 'suspicious' }, at(-3)],
  ])('the default end of a subscription: %s', (_, more, expected) => {
    expect(endWith(more)).toBe(expected)
  })

  test('the grace period of a status counts from the paid period for prepaid statuses and from the change for other statuses', () => {
    expect(endWith({}, { active: 3 * 86_400 })).toBe(at(23))
    expect(endWith({}, { active: 'always' })).toBe(null)
    expect(endWith({ currentPeriodEnd: null }, { active: 0 })).toBe(null)
    expect(endWith({ cancelAtPeriodEnd: true }, { active: 3 * 86_400 })).toBe(at(20))
    expect(endWith({ status: 'trialing' }, { trialing: 0 })).toBe(at(20))
    expect(endWith({ status: 'canceled' }, { canceled: 86_400 })).toBe(at(21))
    expect(endWith({ status: 'past_due' }, { past_due: 'always' })).toBe(null)
    expect(endWith({ status: 'unpaid' }, { unpaid: 86_400 })).toBe(at(-2))
    expect(load({ grace: { past_due: 60 } }).grace).toMatchObject({ past_due: 60, active: 604_800, canceled: 0 })
    const fromEnvironment = load({}, {}).grace
    expect(fromEnvironment.past_due).toBe(604_800)
  })
})

test('a canceled subscription ends at the same time before and after the platform confirms the end', () => {
  const told = { cancelAtPeriodEnd: true, endsAt: at(20) }
  const hourLater = new Date(Date.parse(at(20)) + 3_600_000)
  for (const more of [{}, { active: 0, trialing: 60 }]) {
    const { grace } = load({ grace: { canceled: 3600, ...more } })
    expect(endOf(subscription({ ...told, status: 'canceled', endedAt: at(20) }), grace)).toEqual(hourLater)
    for (const status of ['active', 'trialing']) expect(endOf(subscription({ ...told, status }), grace)).toEqual(hourLater)
    // An unpaid subscription gets no grace.
    expect(endOf(subscription({ ...told, status: 'unpaid' }), grace)).toEqual(new Date(at(-3)))
  }
})

describe('an entitlement with several sources', () => {
  const twice = [subscription({ id: 'a', productId: 'small', seats: 3 }), subscription({ id: 'b', productId: 'large', seats: 5 })]

  test('an entitlement with several sources has the greatest number, or the text of the first rule', () => {
    const both = holding({ subscriptions: twice })
    const give = (small: unknown, large: unknown) => ({
      entitlements: [
        { name: 'x', product: 'small', value: small },
        { name: 'x', product: 'large', value: large },
      ],
    })
    expect(of(give(10, 7), both).entitlements).toMatchObject([{ value: 10, quantity: null }])
    expect(of(give('gold', 'silver'), both).entitlements).toMatchObject([{ value: 'gold' }])
    expect(of(give(true, true), both).entitlements).toMatchObject([{ value: true }])
  })

  test('an entitlement with several sources has the sum of the quantities, or the greatest quantity with combine max', () => {
    const rules = (more: object) => ({
      freeSeats: 'unlimited',
      entitlements: [{ name: 'team', product: ['small', 'large'], quantity: 'seats', ...more }],
    })
    const both = company({ subscriptions: twice })
    expect(of(rules({}), both)).toMatchObject({ seats: 8, entitlements: [{ quantity: 8 }] })
    expect(of(rules({ combine: 'max' }), both)).toMatchObject({ seats: 5, entitlements: [{ quantity: 5 }] })
    const packs = { entitlements: [{ name: 'projects', product: 'pro', quantity: 10 }] }
    expect(of(packs, holding({ orders: [order('1'), order('2')] })).entitlements).toMatchObject([{ quantity: 20 }])
    const often = holding({ orders: [order('1', { count: 3 })] })
    expect(of(packs, often).entitlements).toMatchObject([{ quantity: 30 }])
    const most = { entitlements: [{ ...packs.entitlements[0], combine: 'max' }] }
    expect(of(most, often).entitlements).toMatchObject([{ quantity: 10 }])
    const credits = { entitlements: [{ name: 'credits', meter: ['m', 'n'], quantity: 'balance' }] }
    const meters = ['m', 'n'].map((meterId) => ({ meterId, balance: 1.5, asOf: at(meterId === 'm' ? -1 : -2), deliveryId: 'd' }))
    expect(of(credits, holding({ meters }))).toMatchObject({ seats: null, entitlements: [{ quantity: 3 }] })
    // The age of the sum is that of its oldest part.
    expect(of(credits, holding({ meters })).entitlements[0]?.asOf).toEqual(new Date(at(-2)))
    expect(of(packs, often).entitlements[0]?.asOf).toBeNull()
  })

  test('an entitlement counts a subscription without a number of seats as 0, with a warning', () => {
    const team = { freeSeats: 3, entitlements: [{ name: 'team', product: ['small', 'large'], quantity: 'seats' }] }
    const small = subscription({ id: 'small', productId: 'small' })
    const withSeats = (seats: number | null) =>
      of(team, company({ subscriptions: [small, subscription({ id: 'large', productId: 'large', seats })] }))
    const warning = 'no number of seats: counts as 0'
    expect(withSeats(null)).toMatchObject({ seats: 3, entitlements: [{ quantity: 0, sources: [{ warning }, { warning }] }] })
    expect(withSeats(5)).toMatchObject({ seats: 5, entitlements: [{ quantity: 5, sources: [{ warning: null }, { warning }] }] })
  })

  test('a source that two rules match counts once for an entitlement', () => {
    const rules = {
      freeSeats: 'unlimited',
      entitlements: [
        { name: 'team', product: 'small', quantity: 'seats' },
        { name: 'team', price: 'price', quantity: 2 },
      ],
    }
    const result = of(rules, company({ subscriptions: [subscription({ productId: 'small', seats: 5 })] }))
    expect(result).toMatchObject({ seats: 5, entitlements: [{ quantity: 5, sources: [{ rule: 0 }] }] })
  })

  test('an entitlement ends with its last source', () => {
    const rules = { entitlements: [{ name: 'x', product: ['small', 'large'] }] }
    const endingAt = (...ends: readonly (string | null)[]) =>
      of(rules, holding({ subscriptions: twice.map((one, i) => ({ ...one, endsAt: ends[i] ?? null })) })).entitlements[0]
        ?.validUntil
    expect(endingAt(at(1), at(2))).toEqual(new Date(at(2)))
    expect(endingAt(at(1), null)).toEqual(new Date(at(27)))
    expect(endingAt(at(1), at(-1))).toEqual(new Date(at(1)))
  })
})

describe('plan, status and seats of a customer', () => {
  const rules = {
    freeSeats: 'unlimited',
    entitlements: [
      { name: 'pro', product: 'pro', plan: 'Pro', quantity: 'seats' },
      { name: 'basic', product: 'basic', plan: 'Basic' },
    ],
  }
  const basic = subscription({ id: 'b', productId: 'basic' })

  test('the plan of a customer is the best of the matching rules, by billing.plans or otherwise by the order of the rules', () => {
    const both = holding({ subscriptions: [basic, subscription()] })
    expect(of(rules, both).plan).toBe('Pro')
    expect(of({ ...rules, plans: ['Basic', 'Pro'] }, both).plan).toBe('Basic')
    expect(of(rules, holding({ subscriptions: [basic, subscription({ status: 'unpaid' })] })).plan).toBe('Basic')
    expect(of(rules, holding({})).plan).toBe(null)
  })

  test('the status of a customer is the status of the subscription with the plan, or without a plan the best status of all subscriptions', () => {
    const statusOf = (...subscriptions: readonly PurchasedSubscription[]) =>
      of(rules, holding({ subscriptions })).subscriptionStatus
    expect(statusOf()).toBe(null)
    expect(statusOf(basic, subscription({ status: 'past_due' }))).toBe('past_due')
    expect(statusOf(subscription({ status: 'unpaid' }), subscription({ id: 'old', status: 'canceled', endedAt: at(-9) }))).toBe(
      'unpaid',
    )
  })

  test('the seats of an organization are the seats of its subscription, or otherwise the free seats', () => {
    const seated = company({ subscriptions: [subscription({ seats: 4 })] })
    expect(of(rules, seated).seats).toBe(4)
    expect(of(rules, holding({})).seats).toBe(null)
    expect(of({ ...rules, freeSeats: 2 }, holding({})).seats).toBe(2)
    expect(of({ ...rules, freeSeats: 9 }, seated).seats).toBe(9)
    expect(of(rules, company({ subscriptions: [subscription()] })).seats).toBe(0)
    // Seats that a member bought for themselves do not seat other members.
    expect(of(rules, holding({ subscriptions: [subscription({ seats: 4 })] })).seats).toBe(null)
  })

  test('a pack of seats adds to the seats of the subscription', () => {
    const packs = { ...rules, entitlements: [...rules.entitlements, { name: 'pro', product: 'pack', quantity: 5 }] }
    const held = {
      subscriptions: [subscription({ seats: 4 })],
      orders: [order('o', { productId: 'pack', priceIds: [], count: 2 })],
    }
    expect(of(packs, company(held)).seats).toBe(14)
  })
})

describe('contradictory rules', () => {
  const rule = { name: 'x', product: 'p' }
  test.each<[string, unknown, RegExp]>([
    ['no source', { entitlements: [{ name: 'x' }] }, /^billing\.entitlements\.0: exactly one of product, price, benefit, meter/],
    ['two kinds of source', { entitlements: [{ ...rule, meter: 'm' }] }, /^billing\.entitlements\.0: exactly one of/],
    [
      'an empty list of rules',
      { entitlements: [{ name: 'x', product: [] }] },
      /^billing\.entitlements\.0\.product: must have at least 1 of them/,
    ],
    ['a name that no claim can have', { entitlements: [{ ...rule, name: 'a b' }] }, /^billing\.entitlements\.0\.name: up to 64/],
    ['an unknown key', { entitlements: [{ ...rule, colour: 1 }] }, /^billing\.entitlements\.0\.colour: unknown key/],
    ['a value without effect', { entitlements: [{ ...rule, value: false }] }, /\.0\.value: a text, a number or true/],
    ['both value and quantity', { entitlements: [{ ...rule, value: 1, quantity: 1 }] }, /\.0\.quantity: a rule has a value or/],
    [
      'seats of a benefit',
      { freeSeats: 0, entitlements: [{ name: 'x', benefit: 'b', quantity: 'seats' }] },
      /only a product or price has seats/,
    ],
    ['balance of a product', { entitlements: [{ ...rule, quantity: 'balance' }] }, /\.0\.quantity: only a meter has a balance/],
    [
      'the same product twice',
      { entitlements: [rule, { name: 'x', product: ['q', 'p'] }] },
      /\.1\.product: p gives x by entitlements\.0/,
    ],
    [
      'values of two types',
      {
        entitlements: [
          { ...rule, value: 1 },
          { name: 'x', product: 'q', value: 'a' },
        ],
      },
      /\.1\.value: entitlements\.0 gives x as another type/,
    ],
    [
      'a value in one rule and a quantity in another',
      { entitlements: [rule, { name: 'x', meter: 'm', quantity: 'balance' }] },
      /\.1\.quantity: entitlements\.0 gives x as another type/,
    ],
    [
      'two ways to combine',
      {
        entitlements: [
          { ...rule, quantity: 1 },
          { name: 'x', product: 'q', quantity: 1, combine: 'max' },
        ],
      },
      /\.1\.combine: entitlements\.0 combines x by sum/,
    ],
    [
      'one product in two plans',
      {
        entitlements: [
          { ...rule, plan: 'A' },
          { name: 'y', product: 'p', plan: 'B' },
        ],
      },
      /\.1\.plan: entitlements\.0 makes the same product the plan A/,
    ],
    ['an unlisted plan', { plans: ['A'], entitlements: [{ ...rule, plan: 'B' }] }, /\.0\.plan: is not in billing\.plans/],
    ['a plan listed twice', { plans: ['A', 'A'] }, /^billing\.plans: must not name the same plan twice/],
    ['an unknown subscription status', { grace: { late: 1 } }, /^billing\.grace\.late: unknown key/],
    ['an invalid grace', { grace: { past_due: '7 days' } }, /^billing\.grace\.past_due: always, or a number of seconds/],
    [
      'a canceled subscription without an end',
      { grace: { canceled: 'always' } },
      /^billing\.grace\.canceled: a number of seconds/,
    ],
    ['a grace longer than any date', { grace: { past_due: 9_007_199_254_740_991 } }, /^billing\.grace\.past_due:/],
    ['a negative number of seats', { freeSeats: -1 }, /^billing\.freeSeats:/],
    ['free seats without a seat entitlement', { freeSeats: null }, /^billing\.freeSeats:/],
    [
      'sold seats without free seats',
      { entitlements: [{ ...rule, quantity: 'seats' }] },
      /^billing\.freeSeats: is needed beside entitlements\.0 \(quantity: seats\): a number of seats, or unlimited/,
    ],
  ])('a configuration is rejected with its key because of %s', (_, billing, expected) => {
    const problems = problemsOf(billing)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(expected)
  })
})

test('of many contradictory rules the first hundred are named, and the message says that there are more', () => {
  const product = Array.from({ length: 50 }, (_, index) => `p${index}`)
  const { error } = schema.shape.billing.safeParse({ entitlements: Array.from({ length: 300 }, () => ({ name: 'x', product })) })
  expect(error?.issues).toHaveLength(101)
  expect(error?.issues[0]).toMatchObject({
    path: ['entitlements', 1, 'product'],
    message: 'p0 gives x by entitlements.0 already',
  })
  expect(error?.issues.at(-1)).toMatchObject({
    path: ['entitlements', 3],
    message: 'more than 100 contradictions: further ones are not listed',
  })
})

test('a rule is compared with the first contradictory rule, whatever rules are between the two', () => {
  const problems = problemsOf({
    entitlements: [
      { name: 'x', product: ['p', 'q'], plan: 'A' },
      { name: 'y', product: 'p' },
      { name: 'y', benefit: 'p', plan: 'B' },
      { name: 'z', product: ['q', 'p', 'p'], plan: 'B' },
      { name: 'y', product: ['r', 'p'], combine: 'max' },
    ],
  })
  expect(problems.map((problem) => problem.replace(/^billing\.entitlements\.| \(is .*$/g, ''))).toEqual([
    '3.plan: entitlements.0 makes the same product the plan A',
    '4.combine: entitlements.1 combines y by sum',
    '4.product: p gives y by entitlements.1 already',
  ])
})

test('the rules in docs/how-to/billing.md are valid', () => {
  const page = readFileSync(new URL('../../docs/how-to/billing.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /```yaml[^\n]*\n([\s\S]*?)```/.exec(page) ?? []
  const { billing } = loadConfig(schema, { env: {}, flags: parseYaml(yaml) as Record<string, unknown> })
  expect(billing.entitlements.map(({ name }) => name)).toContain('credits')
})
