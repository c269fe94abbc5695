/** Statuses of a subscription (billing specification, section 4, and those added later). */
export const subscriptionStatuses = [
  'active',
  'trialing',
  'past_due',
  'paused',
  'unpaid',
  'incomplete',
  'canceled',
  'incomplete_expired',
] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** What a rule looks for; a rule has exactly one of them, with one id or several. */
export const sourceKinds = ['product', 'price', 'benefit', 'meter'] as const

export interface EntitlementRule {
  readonly name: string
  readonly product?: readonly string[] | undefined
  readonly price?: readonly string[] | undefined
  readonly benefit?: readonly string[] | undefined
  readonly meter?: readonly string[] | undefined
  readonly value?: string | number | true | undefined
  /** `seats` of the subscription, `balance` of the meter, or so many for each source. */
  readonly quantity?: 'seats' | 'balance' | number | undefined
  readonly combine: 'sum' | 'max'
  readonly plan?: string | undefined
}

/** How long a status still entitles: while it lasts, or so many seconds (see `endOf`). */
export type Grace = 'always' | number

export interface EntitlementRules {
  readonly entitlements: readonly EntitlementRule[]
  readonly grace: Readonly<Record<SubscriptionStatus, Grace>>
  /** Best first; when empty, the order of the rules. */
  readonly plans: readonly string[]
  /** Seats of an organization that bought none; null: no limit. */
  readonly freeSeats: number | null
}

export interface HeldSubscription {
  readonly id: string
  readonly productId: string
  readonly priceIds: readonly string[]
  readonly status: string
  readonly statusSince: string
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
  readonly endsAt: string | null
  readonly endedAt: string | null
  readonly seats: number | null
  readonly deliveryId: string
}

/** What the rules read of a customer's standing. */
export interface Held {
  readonly subscriptions: readonly HeldSubscription[]
  readonly grants: readonly {
    readonly id: string
    readonly benefitId: string
    readonly subscriptionId: string | null
    readonly deliveryId: string
  }[]
  readonly orders: readonly {
    readonly id: string
    readonly productId: string | null
    readonly priceIds: readonly string[]
    readonly status: string
    /** A refund took back what it gave, whatever part of the price it was. */
    readonly benefitsRevoked: boolean
    readonly deliveryId: string
  }[]
  readonly meters: readonly { readonly meterId: string; readonly balance: number; readonly deliveryId: string }[]
}

export interface Holding {
  readonly holder: 'user' | 'organization'
  readonly customerId: string
  readonly standing: Held
}

/** What makes somebody entitled: one thing of one customer. */
export interface Source {
  readonly kind: 'subscription' | 'order' | 'grant' | 'meter'
  readonly id: string
  readonly customerId: string
  readonly holder: 'user' | 'organization'
  /** The delivery that told it. */
  readonly deliveryId: string
  /** Index in `billing.entitlements` of the first rule that found it. */
  readonly rule: number
  readonly validUntil: Date | null
}

export interface Entitlement {
  readonly name: string
  readonly value: string | number | true
  readonly quantity: number | null
  /** When it ends if nothing more happens; null: not by itself. */
  readonly validUntil: Date | null
  readonly sources: readonly Source[]
}

export interface Entitlements {
  /** By name. */
  readonly entitlements: readonly Entitlement[]
  readonly plan: string | null
  readonly subscriptionStatus: string | null
  readonly seats: number | null
}

const plusSeconds = (from: string, seconds: number) => new Date(Date.parse(from) + seconds * 1000)
const earliest = (a: Date | null, b: Date | null) => (a === null ? b : b === null || a < b ? a : b)
const latest = (a: Date | null, b: Date | null) => (a === null || b === null ? null : a > b ? a : b)
const greatest = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b))

/**
 * When a subscription stops to entitle if nothing more is heard of it; null: not by itself. What was paid in advance (active, trialing,
 * canceled) lasts to the end of that period, the grace is added; the grace of any other status runs from the change to it. A
 * cancellation or revocation ends at its own time, which is where access ends (wire reference of the events, section 9).
 */
export const endOf = (subscription: HeldSubscription, graces: EntitlementRules['grace']): Date | null => {
  const { status, statusSince, currentPeriodEnd, cancelAtPeriodEnd, endsAt, endedAt } = subscription
  const grace = graces[status as SubscriptionStatus] ?? 0
  const told = endedAt ?? endsAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : null)
  if (status === 'canceled') return plusSeconds(told ?? currentPeriodEnd ?? statusSince, grace === 'always' ? 0 : grace)
  const end = told === null ? null : new Date(told)
  if (grace === 'always') return end
  const from = status === 'active' || status === 'trialing' ? currentPeriodEnd : statusSince
  return earliest(end, from === null ? null : plusSeconds(from, grace))
}

/** A part of a refund leaves the purchase as it is. */
const paidStatuses = new Set(['paid', 'partially_refunded'])

interface Candidate {
  readonly source: Omit<Source, 'rule'>
  readonly subscription: HeldSubscription | undefined
  /** Ids by which a rule may find it. */
  readonly ids: Readonly<Partial<Record<(typeof sourceKinds)[number], readonly string[]>>>
  readonly seats: number | null
  readonly balance: number | null
}

const candidatesOf = ({ holder, customerId, standing }: Holding, { grace }: EntitlementRules): Candidate[] => {
  const { subscriptions, orders, grants, meters } = standing
  const ends = new Map(subscriptions.map((one) => [one.id, endOf(one, grace)]))
  const nothing = { subscription: undefined, seats: null, balance: null }
  return [
    ...subscriptions.map((one) => ({
      ...nothing,
      source: {
        ...{ kind: 'subscription' as const, id: one.id, customerId, holder, deliveryId: one.deliveryId },
        validUntil: ends.get(one.id) ?? null,
      },
      subscription: one,
      ids: { product: [one.productId], price: one.priceIds },
      seats: one.seats,
    })),
    ...orders.flatMap((one) => {
      if (!paidStatuses.has(one.status) || one.benefitsRevoked) return []
      const source = { kind: 'order' as const, id: one.id, customerId, holder, deliveryId: one.deliveryId, validUntil: null }
      return { ...nothing, source, ids: { product: one.productId === null ? [] : [one.productId], price: one.priceIds } }
    }),
    // What came with a subscription ends with it, also when the platform's word about the benefit is late.
    ...grants.map((one) => ({
      ...nothing,
      source: {
        ...{ kind: 'grant' as const, id: one.id, customerId, holder, deliveryId: one.deliveryId },
        validUntil: one.subscriptionId === null ? null : (ends.get(one.subscriptionId) ?? null),
      },
      ids: { benefit: [one.benefitId] },
    })),
    ...meters.flatMap((one) => {
      if (one.balance <= 0) return []
      const source = { kind: 'meter' as const, id: one.meterId, customerId, holder, deliveryId: one.deliveryId, validUntil: null }
      return { ...nothing, source, ids: { meter: [one.meterId] }, balance: one.balance }
    }),
  ]
}

const matches = (rule: EntitlementRule, { ids }: Candidate) =>
  sourceKinds.some((kind) => rule[kind]?.some((id) => ids[kind]?.includes(id) === true) === true)

const quantityOf = ({ quantity }: EntitlementRule, { seats, balance }: Candidate) =>
  typeof quantity === 'number' ? quantity : quantity === 'seats' ? seats : quantity === 'balance' ? balance : null

interface Found {
  readonly rule: EntitlementRule
  readonly index: number
  readonly candidate: Candidate
}

/** Rules come best first, so the first text wins; of numbers the greatest. */
const bestValue = (found: readonly Found[]): Entitlement['value'] => {
  const values = found.map(({ rule }) => rule.value ?? true)
  const numbers = values.filter((value) => typeof value === 'number')
  return numbers.length > 0 ? Math.max(...numbers) : (values[0] ?? true)
}

const byKey = (a: Source, b: Source) => {
  const [left, right] = [a, b].map(({ kind, customerId, id }) => `${kind} ${customerId} ${id}`) as [string, string]
  return left < right ? -1 : left > right ? 1 : 0
}

/** One entitlement from everything that gives it. A source that several rules find counts once, with the most it has. */
const combine = (name: string, found: readonly Found[]): Entitlement => {
  const sources = new Map<Candidate, Source>()
  const quantities = new Map<Candidate, number | null>()
  for (const { rule, index, candidate } of found) {
    if (!sources.has(candidate)) sources.set(candidate, { ...candidate.source, rule: index })
    quantities.set(candidate, greatest(quantities.get(candidate) ?? null, quantityOf(rule, candidate)))
  }
  const known = [...quantities.values()].filter((quantity) => quantity !== null)
  const adds = found.some(({ rule }) => rule.combine === 'sum')
  const total = adds ? known.reduce((sum, one) => sum + one, 0) : Math.max(...known)
  return {
    name,
    value: bestValue(found),
    quantity: known.length === 0 ? null : total,
    validUntil: [...sources.values()].map(({ validUntil }) => validUntil).reduce(latest),
    sources: [...sources.values()].sort(byKey),
  }
}

const firstOf = (order: readonly string[], present: ReadonlySet<string>) => order.find((one) => present.has(one)) ?? null

/** What the rules make of what somebody holds now. The same whatever the order of the holdings and their parts. */
export const entitlementsOf = (rules: EntitlementRules, holdings: readonly Holding[], now: Date): Entitlements => {
  const candidates = new Map<string, Candidate>()
  for (const candidate of holdings.flatMap((holding) => candidatesOf(holding, rules))) {
    const { kind, customerId, id, validUntil } = candidate.source
    if (validUntil === null || validUntil > now) candidates.set(`${kind} ${customerId} ${id}`, candidate)
  }
  const found = rules.entitlements.flatMap((rule, index) =>
    [...candidates.values()].flatMap((candidate) => (matches(rule, candidate) ? { rule, index, candidate } : [])),
  )
  const entitlements = [...Map.groupBy(found, ({ rule }) => rule.name)]
    .map(([name, group]) => combine(name, group))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const order = rules.plans.length > 0 ? rules.plans : rules.entitlements.flatMap(({ plan }) => plan ?? [])
  const plan = firstOf(order, new Set(found.flatMap(({ rule }) => rule.plan ?? [])))

  const ofPlan = found.flatMap(({ rule, candidate: { subscription } }) =>
    plan !== null && rule.plan === plan && subscription !== undefined ? subscription.status : [],
  )
  const statuses = holdings.flatMap(({ standing }) => standing.subscriptions.map(({ status }) => status))
  const seated = new Set(found.flatMap(({ rule }) => (rule.quantity === 'seats' ? rule.name : [])))
  const seats = entitlements.flatMap(({ name, quantity }) => (seated.has(name) ? quantity : null)).reduce(greatest, null)
  return {
    entitlements,
    plan,
    subscriptionStatus: firstOf(subscriptionStatuses, new Set(ofPlan.length > 0 ? ofPlan : statuses)),
    seats: seats === null ? rules.freeSeats : greatest(seats, rules.freeSeats),
  }
}
