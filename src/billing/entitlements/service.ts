import type { ClaimOrigin, ClaimSource, SourcedValue } from '../../core/claims.ts'
import type { Clock } from '../../core/clock.ts'
import type { SeatCount } from '../../core/core.ts'
import type { Db } from '../../core/db/database.ts'
import { listNamedDeliveries, type NamedDelivery } from '../ingest/store/deliveries.ts'
import type { OwnedSnapshot } from '../links/service.ts'
import { type LinkRow, listLinkedBy } from '../links/store.ts'
import { type EntitlementRule, type EntitlementRules, type PurchaseFilter, type Source, sourceKinds } from './rules/sources.ts'
import { type Entitlement, type Entitlements, entitlementsOf, type MatchedSource, type Unused, unusedOf } from './rules.ts'

interface ClaimDeps {
  readonly rules: EntitlementRules
  readonly of: (snapshots: readonly OwnedSnapshot[]) => Entitlements
  readonly snapshotsOf: (
    db: Db,
    subject: { readonly userId: string | null; readonly organizationId: string | null },
  ) => Promise<readonly OwnedSnapshot[]>
}

const originOf = ({ rule, kind, id }: MatchedSource): ClaimOrigin => ({
  rule: `billing.entitlements.${rule}`,
  row: `${kind} ${id}`,
})
const originsOf = (entitlements: readonly Entitlement[]) => entitlements.flatMap(({ sources }) => sources.map(originOf))

/** The value that applications get for an entitlement beside its name. Undefined if the entitlement has no value. */
const shownValue = ({ value, quantity, asOf }: Entitlement): unknown => {
  // A meter balance is shown with its time, because it is only as new as the last event about the meter.
  const dated = asOf === null ? quantity : { balance: quantity, as_of: asOf.toISOString() }
  return dated ?? (value === true ? undefined : value)
}

/**
 * The purchases that give a plan: those that matched the rules of this plan. If none did, all purchases of the entitlements that the
 * rules of this plan name.
 */
const planSources = ({ entitlements }: EntitlementRules, found: readonly Entitlement[], plan: string): MatchedSource[] => {
  const isOfPlan = (rule: number) => entitlements[rule]?.plan === plan
  const sources = found.flatMap((one) => one.sources).filter(({ rule }) => isOfPlan(rule))
  const names = new Set(entitlements.flatMap((rule) => (rule.plan === plan ? rule.name : [])))
  return sources.length > 0 ? sources : found.filter(({ name }) => names.has(name)).flatMap((one) => one.sources)
}

/**
 * The claims about entitlements of the user and the organization (docs/reference/claims.md). They are read anew for each token, in one
 * statement, so that a revocation takes effect at once.
 */
const createBillingClaims = ({ rules, of, snapshotsOf }: ClaimDeps): ClaimSource => {
  const claimsIn = (snapshots: readonly OwnedSnapshot[]): Readonly<Record<string, SourcedValue>> => {
    const { entitlements, plan, subscriptionStatus } = of(snapshots)
    const valued = entitlements.filter((one) => shownValue(one) !== undefined)
    const ofPlan = plan === null ? [] : planSources(rules, entitlements, plan)
    const planIds = new Set(ofPlan.flatMap(({ kind, id }) => (kind === 'subscription' ? id : [])))
    const withStatus = snapshots
      .flatMap(({ snapshot }) => snapshot.subscriptions)
      .filter(({ id, status }) => status === subscriptionStatus && (planIds.size === 0 || planIds.has(id)))
    return {
      // The claims `entitlements` and `entitlement_values` are never absent, so that applications need not check for absence.
      entitlements: { value: entitlements.map(({ name }) => name), origins: originsOf(entitlements) },
      entitlement_values: {
        value: Object.fromEntries(valued.map((one) => [one.name, shownValue(one)])),
        origins: originsOf(valued),
      },
      ...(plan === null ? {} : { plan: { value: plan, origins: ofPlan.map(originOf) } }),
      ...(subscriptionStatus === null
        ? {}
        : {
            subscription_status: {
              value: subscriptionStatus,
              origins: withStatus.map(({ id }) => ({ rule: 'subscription.status', row: `subscription ${id}` })),
            },
          }),
    }
  }
  return {
    scope: 'billing',
    claims: ['entitlements', 'entitlement_values', 'plan', 'subscription_status'],
    claimsOf: async (db, { user, organizationId }) => claimsIn(await snapshotsOf(db, { userId: user.id, organizationId })),
    ofOrganization: async (db, organizationId) => claimsIn(await snapshotsOf(db, { userId: null, organizationId })),
  }
}

/** A user, an organization, or a user in an organization. */
export interface Owner {
  readonly userId: string | null
  readonly organizationId: string | null
}

/** How a purchase reached its owner: the way in which the customer was linked, and the delivery that contained the purchase. */
interface Origin {
  /** How the customer was linked to its owner. Null for a customer that is not linked. */
  readonly linkedBy: LinkRow['linkedBy'] | null
  /** The delivery that contained the purchase. Null after retention has deleted it (`billing.retentionDays`). */
  readonly delivery: NamedDelivery | null
}
/** The field `owner` is called `holder` in answers, and in the output of the command `explain`. */
type Explained<S extends Source> = Omit<S, 'rule' | 'deliveryId' | 'owner'> & { readonly holder: Source['owner'] } & Origin

export interface Explanation extends Omit<Entitlements, 'entitlements'> {
  readonly entitlements: readonly (Omit<Entitlement, 'sources'> & {
    /** `rule` names the matching rule by its configuration key, such as `billing.entitlements.0`. */
    readonly sources: readonly (Explained<MatchedSource> & { readonly rule: string })[]
  })[]
  /** Purchases that give no entitlement. */
  readonly unused: readonly Explained<Unused>[]
}

/** Selects customers in a list by the entitlements that their purchases give. */
export interface EntitlementFilter {
  readonly plan?: string | undefined
  readonly entitlement?: string | undefined
}

export interface EntitlementService {
  /** The names that the rules give to plans (best first) and to entitlements. */
  readonly names: { readonly plans: readonly string[]; readonly entitlements: readonly string[] }
  /** Turns the filter into a condition on a customer's own purchases. Undefined if the filter is empty. */
  filterBy(filter: EntitlementFilter): PurchaseFilter | undefined
  of(snapshots: readonly OwnedSnapshot[]): Entitlements
  explain(db: Db, snapshots: readonly OwnedSnapshot[]): Promise<Explanation>
  /** Gives the claims of the scope `billing`. */
  readonly claimSource: ClaimSource
  /**
   * Largest number of members and open invitations of an organization. Null if it has no limit. Called for display, and in the
   * transaction that adds a member or invitation.
   */
  seatLimit(db: Db, organizationId: string): Promise<SeatCount | null>
  /** The name of an organization's plan, or null. */
  planOf(db: Db, organizationId: string): Promise<string | null>
}

interface Deps {
  readonly clock: Clock
  readonly config: EntitlementRules
  readonly snapshotsOf: (db: Db, owner: Owner) => Promise<readonly OwnedSnapshot[]>
}

export const createEntitlements = ({ clock, config, snapshotsOf }: Deps): EntitlementService => {
  const of: EntitlementService['of'] = (snapshots) => entitlementsOf(config, snapshots, clock.now())
  const hasSeats = typeof config.freeSeats === 'number' || config.entitlements.some(({ quantity }) => quantity === 'seats')
  const hasPlans = config.entitlements.some(({ plan }) => plan !== undefined)
  const { entitlements: rules } = config
  const plans = [...new Set([...config.plans, ...rules.flatMap(({ plan }) => plan ?? [])])]
  /** Ids that occur in the conditions of those rules for which `fits` returns true. */
  const idsOf = (fits: (rule: EntitlementRule) => boolean) =>
    rules.filter(fits).flatMap((rule) => sourceKinds.flatMap((kind) => rule[kind] ?? []))
  return {
    names: { plans, entitlements: [...new Set(rules.map(({ name }) => name))].sort() },
    filterBy: ({ plan, entitlement }) =>
      plan === undefined && entitlement === undefined
        ? undefined
        : {
            ids: [
              ...(plan === undefined ? [] : [idsOf((rule) => rule.plan === plan)]),
              ...(entitlement === undefined ? [] : [idsOf(({ name }) => name === entitlement)]),
            ],
            meets: (purchases) => {
              const found = entitlementsOf(config, [purchases], clock.now())
              const hasPlan = plan === undefined || found.plan === plan
              return hasPlan && (entitlement === undefined || found.entitlements.some(({ name }) => name === entitlement))
            },
          },
    of,
    explain: async (db, snapshots) => {
      const { entitlements, ...rest } = of(snapshots)
      const unused = unusedOf(config, snapshots, clock.now())
      const all = [...entitlements.flatMap(({ sources }) => sources), ...unused]
      const [linkedBy, deliveries] = await Promise.all([
        listLinkedBy(db, [...new Set(all.map(({ customerId }) => customerId))]),
        listNamedDeliveries(db, [...new Set(all.map(({ deliveryId }) => deliveryId))]),
      ])
      const explained = <S extends Source>({ deliveryId, owner, ...source }: S) => ({
        ...source,
        holder: owner,
        linkedBy: linkedBy.get(source.customerId) ?? null,
        delivery: deliveries.get(deliveryId) ?? null,
      })
      const matched = ({ rule, ...source }: MatchedSource) => ({ ...explained(source), rule: `billing.entitlements.${rule}` })
      return {
        ...rest,
        entitlements: entitlements.map((one) => ({ ...one, sources: one.sources.map(matched) })),
        unused: unused.map(explained),
      }
    },
    claimSource: createBillingClaims({ rules: config, of, snapshotsOf }),
    seatLimit: async (db, organizationId) => {
      if (!hasSeats) return null
      const { seats } = of(await snapshotsOf(db, { userId: null, organizationId }))
      return seats === null ? null : { seats, isFree: seats === config.freeSeats }
    },
    planOf: async (db, organizationId) => (hasPlans ? of(await snapshotsOf(db, { userId: null, organizationId })).plan : null),
  }
}
