import {
  type EntitlementRule,
  type EntitlementRules,
  type OwnedPurchases,
  type PossibleSource,
  possibleSources,
  type Source,
  sourceKinds,
  subscriptionStatuses,
} from './rules/sources.ts'

/** A purchase that gives an entitlement, with the rule that it matches. */
export interface MatchedSource extends Source {
  /** Index of the first matching rule in the list `billing.entitlements`. */
  readonly rule: number
  /** A remark for operators. Null if there is nothing to remark. */
  readonly warning: 'no number of seats: counts as 0' | null
}

export interface Entitlement {
  readonly name: string
  readonly value: string | number | true
  readonly quantity: number | null
  /** The quantity may contain meter balances. This is the time of the oldest of them. Null if the quantity contains no balance. */
  readonly asOf: Date | null
  /** When the entitlement ends if no further event arrives. Null if it does not end by itself. */
  readonly validUntil: Date | null
  readonly sources: readonly MatchedSource[]
}

export interface Entitlements {
  /** Sorted by name. */
  readonly entitlements: readonly Entitlement[]
  readonly plan: string | null
  readonly subscriptionStatus: string | null
  readonly seats: number | null
}

const latest = (a: Date | null, b: Date | null) => (a === null || b === null ? null : a > b ? a : b)
const greatest = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b))

const whyNot = ({ voidBecause, source: { validUntil } }: PossibleSource, now: Date): Unused['because'] | undefined =>
  voidBecause ?? (validUntil !== null && validUntil <= now ? 'ended' : undefined)

const matches = (rule: EntitlementRule, { ids }: PossibleSource) =>
  sourceKinds.some((kind) => rule[kind]?.some((id) => ids[kind]?.includes(id) === true) === true)

const quantityOf = ({ quantity }: EntitlementRule, { seats, balance }: PossibleSource) =>
  typeof quantity === 'number' ? quantity : quantity === 'seats' ? (seats ?? 0) : quantity === 'balance' ? balance : null

interface Match {
  readonly rule: EntitlementRule
  readonly index: number
  readonly candidate: PossibleSource
}

/** The matching rules are sorted, best first. Among values that are texts, the first one is used; among numbers, the largest. */
const bestValue = (found: readonly Match[]): Entitlement['value'] => {
  const values = found.map(({ rule }) => rule.value ?? true)
  const numbers = values.filter((value) => typeof value === 'number')
  return numbers.length > 0 ? Math.max(...numbers) : (values[0] ?? true)
}

const keyOf = ({ kind, customerId, id }: Source) => `${kind} ${customerId} ${id}`
const byKey = (a: Source, b: Source) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0)

/** JSON has no number for infinity, so a sum stays within the largest finite number. */
const bounded = (sum: number) => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum))

/** Combines all matches of an entitlement. A source with several matching rules counts once, with its largest quantity. */
const combine = (name: string, found: readonly Match[]): Entitlement => {
  const sources = new Map<PossibleSource, MatchedSource>()
  const quantities = new Map<PossibleSource, number | null>()
  for (const { rule, index, candidate } of found) {
    const warning = rule.quantity === 'seats' && candidate.seats === null ? ('no number of seats: counts as 0' as const) : null
    const known = sources.get(candidate)
    sources.set(candidate, { ...candidate.source, rule: known?.rule ?? index, warning: known?.warning ?? warning })
    quantities.set(candidate, greatest(quantities.get(candidate) ?? null, quantityOf(rule, candidate)))
  }
  const known = [...quantities].flatMap(([{ count }, quantity]) => (quantity === null ? [] : [{ quantity, count }]))
  const adds = found.some(({ rule }) => rule.combine === 'sum')
  const total = adds
    ? known.reduce((sum, { quantity, count }) => bounded(sum + quantity * count), 0)
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

/** The current entitlements that the rules give for purchases. The result does not depend on the order of the purchases. */
export const entitlementsOf = (rules: EntitlementRules, purchases: readonly OwnedPurchases[], now: Date): Entitlements => {
  const candidates = new Map<string, PossibleSource>()
  for (const candidate of purchases.flatMap((owned) => possibleSources(owned, rules)))
    if (whyNot(candidate, now) === undefined) candidates.set(keyOf(candidate.source), candidate)
  const found = rules.entitlements.flatMap((rule, index) =>
    [...candidates.values()].flatMap((candidate) => (matches(rule, candidate) ? { rule, index, candidate } : [])),
  )
  const combined = (some: readonly Match[]) => [...Map.groupBy(some, ({ rule }) => rule.name)].map((group) => combine(...group))
  const entitlements = combined(found).sort((a, b) => (a.name < b.name ? -1 : 1))
  const order = rules.plans.length > 0 ? rules.plans : rules.entitlements.flatMap(({ plan }) => plan ?? [])
  const plan = firstOf(order, new Set(found.flatMap(({ rule }) => rule.plan ?? [])))

  const ofPlan = found.flatMap(({ rule, candidate: { subscription } }) =>
    plan !== null && rule.plan === plan && subscription !== undefined ? subscription.status : [],
  )
  const statuses = purchases.flatMap(({ snapshot }) => snapshot.subscriptions.map(({ status }) => status))
  // The names of entitlements that give seats: a rule with the quantity `seats` has the name. An organization gets seats from its
  // subscriptions, and from seat packs that match another rule with the same name.
  const seatNames = new Set(rules.entitlements.flatMap(({ name, quantity }) => (quantity === 'seats' ? name : [])))
  const seated = found.filter(({ rule, candidate }) => seatNames.has(rule.name) && candidate.source.owner === 'organization')
  const seats = combined(seated)
    .map(({ quantity }) => quantity)
    .reduce(greatest, null)
  const freeSeats = typeof rules.freeSeats === 'number' ? rules.freeSeats : null
  return {
    entitlements,
    plan,
    subscriptionStatus: firstOf(subscriptionStatuses, new Set(ofPlan.length > 0 ? ofPlan : statuses)),
    seats: greatest(seats === null ? null : Math.min(seats, Number.MAX_SAFE_INTEGER), freeSeats),
  }
}

/** A purchase that gives no entitlement, and the reason. */
export interface Unused extends Source {
  readonly because: 'no rule' | 'ended' | NonNullable<PossibleSource['voidBecause']>
}

/** All purchases that give no entitlement. */
export const unusedOf = (rules: EntitlementRules, purchases: readonly OwnedPurchases[], now: Date): readonly Unused[] =>
  purchases
    .flatMap((owned) => possibleSources(owned, rules))
    .flatMap((candidate): readonly Unused[] => {
      const isFound = rules.entitlements.some((rule) => matches(rule, candidate))
      const because = whyNot(candidate, now) ?? (isFound ? undefined : 'no rule')
      return because === undefined ? [] : [{ ...candidate.source, because }]
    })
    .sort(byKey)
