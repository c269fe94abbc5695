import {
  type Candidate,
  candidatesOf,
  type EntitlementRule,
  type EntitlementRules,
  type Holding,
  type Source,
  sourceKinds,
  subscriptionStatuses,
} from './rules/held.ts'

/** A source with the rule that found it. */
export interface FoundSource extends Source {
  /** Index in `billing.entitlements` of the first rule that found it. */
  readonly rule: number
  /** What an operator should know of it; null: nothing. */
  readonly warning: 'no number of seats: counts as 0' | null
}

export interface Entitlement {
  readonly name: string
  readonly value: string | number | true
  readonly quantity: number | null
  /** Of a quantity with the balance of a meter in it: when the oldest balance was told. Null: it has none. */
  readonly asOf: Date | null
  /** When it ends if nothing more happens; null: not by itself. */
  readonly validUntil: Date | null
  readonly sources: readonly FoundSource[]
}

export interface Entitlements {
  /** By name. */
  readonly entitlements: readonly Entitlement[]
  readonly plan: string | null
  readonly subscriptionStatus: string | null
  readonly seats: number | null
}

const latest = (a: Date | null, b: Date | null) => (a === null || b === null ? null : a > b ? a : b)
const greatest = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b))

const whyNot = ({ voidBecause, source: { validUntil } }: Candidate, now: Date): Unused['because'] | undefined =>
  voidBecause ?? (validUntil !== null && validUntil <= now ? 'ended' : undefined)

const matches = (rule: EntitlementRule, { ids }: Candidate) =>
  sourceKinds.some((kind) => rule[kind]?.some((id) => ids[kind]?.includes(id) === true) === true)

const quantityOf = ({ quantity }: EntitlementRule, { seats, balance }: Candidate) =>
  typeof quantity === 'number' ? quantity : quantity === 'seats' ? (seats ?? 0) : quantity === 'balance' ? balance : null

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

const keyOf = ({ kind, customerId, id }: Source) => `${kind} ${customerId} ${id}`
const byKey = (a: Source, b: Source) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0)

/** One entitlement from everything that gives it. A source that several rules find counts once, with the most it has. */
const combine = (name: string, found: readonly Found[]): Entitlement => {
  const sources = new Map<Candidate, FoundSource>()
  const quantities = new Map<Candidate, number | null>()
  for (const { rule, index, candidate } of found) {
    const warning = rule.quantity === 'seats' && candidate.seats === null ? ('no number of seats: counts as 0' as const) : null
    const known = sources.get(candidate)
    sources.set(candidate, { ...candidate.source, rule: known?.rule ?? index, warning: known?.warning ?? warning })
    quantities.set(candidate, greatest(quantities.get(candidate) ?? null, quantityOf(rule, candidate)))
  }
  const known = [...quantities].flatMap(([{ count }, quantity]) => (quantity === null ? [] : [{ quantity, count }]))
  const adds = found.some(({ rule }) => rule.combine === 'sum')
  const total = adds
    ? known.reduce((sum, { quantity, count }) => sum + quantity * count, 0)
    : Math.max(...known.map(({ quantity }) => quantity))
  return {
    name,
    value: bestValue(found),
    quantity: known.length === 0 ? null : total,
    asOf: found
      .map(({ rule, candidate }) => (rule.quantity === 'balance' ? candidate.asOf : null))
      .reduce((oldest, asOf) => (oldest === null || (asOf !== null && asOf < oldest) ? asOf : oldest), null),
    validUntil: [...sources.values()].map(({ validUntil }) => validUntil).reduce(latest),
    sources: [...sources.values()].sort(byKey),
  }
}

const firstOf = (order: readonly string[], present: ReadonlySet<string>) => order.find((one) => present.has(one)) ?? null

/** What the rules make of what somebody holds now. The same whatever the order of the holdings and their parts. */
export const entitlementsOf = (rules: EntitlementRules, holdings: readonly Holding[], now: Date): Entitlements => {
  const candidates = new Map<string, Candidate>()
  for (const candidate of holdings.flatMap((holding) => candidatesOf(holding, rules)))
    if (whyNot(candidate, now) === undefined) candidates.set(keyOf(candidate.source), candidate)
  const found = rules.entitlements.flatMap((rule, index) =>
    [...candidates.values()].flatMap((candidate) => (matches(rule, candidate) ? { rule, index, candidate } : [])),
  )
  const combined = (some: readonly Found[]) => [...Map.groupBy(some, ({ rule }) => rule.name)].map((group) => combine(...group))
  const entitlements = combined(found).sort((a, b) => (a.name < b.name ? -1 : 1))
  const order = rules.plans.length > 0 ? rules.plans : rules.entitlements.flatMap(({ plan }) => plan ?? [])
  const plan = firstOf(order, new Set(found.flatMap(({ rule }) => rule.plan ?? [])))

  const ofPlan = found.flatMap(({ rule, candidate: { subscription } }) =>
    plan !== null && rule.plan === plan && subscription !== undefined ? subscription.status : [],
  )
  const statuses = holdings.flatMap(({ standing }) => standing.subscriptions.map(({ status }) => status))
  // Seats are an organization's: those its subscriptions have, and packs of the same name.
  const seatNames = new Set(rules.entitlements.flatMap(({ name, quantity }) => (quantity === 'seats' ? name : [])))
  const seated = found.filter(({ rule, candidate }) => seatNames.has(rule.name) && candidate.source.holder === 'organization')
  const seats = combined(seated)
    .map(({ quantity }) => quantity)
    .reduce(greatest, null)
  return {
    entitlements,
    plan,
    subscriptionStatus: firstOf(subscriptionStatuses, new Set(ofPlan.length > 0 ? ofPlan : statuses)),
    seats: greatest(seats, typeof rules.freeSeats === 'number' ? rules.freeSeats : null),
  }
}

/** What somebody holds and is entitled to nothing by, and why. */
export interface Unused extends Source {
  readonly because: 'no rule' | 'ended' | NonNullable<Candidate['voidBecause']>
}

/** The other half of the explanation. */
export const unusedOf = (rules: EntitlementRules, holdings: readonly Holding[], now: Date): readonly Unused[] =>
  holdings
    .flatMap((holding) => candidatesOf(holding, rules))
    .flatMap((candidate): readonly Unused[] => {
      const isFound = rules.entitlements.some((rule) => matches(rule, candidate))
      const because = whyNot(candidate, now) ?? (isFound ? undefined : 'no rule')
      return because === undefined ? [] : [{ ...candidate.source, because }]
    })
    .sort(byKey)
