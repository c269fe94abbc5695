import type { ClaimOrigin, ClaimSource, SourcedValue } from '../../core/claims.ts'
import type { Db } from '../../core/db/database.ts'
import type { OwnedSnapshot } from '../links/service.ts'
import type { EntitlementRules } from './rules/sources.ts'
import type { Entitlement, Entitlements, MatchedSource } from './rules.ts'

interface Deps {
  readonly rules: EntitlementRules
  readonly of: (snapshots: readonly OwnedSnapshot[]) => Entitlements
  readonly snapshotsOf: (
    db: Db,
    subject: { readonly userId: string; readonly organizationId: string | null },
  ) => Promise<readonly OwnedSnapshot[]>
}

const originOf = ({ rule, kind, id }: MatchedSource): ClaimOrigin => ({
  rule: `billing.entitlements.${rule}`,
  row: `${kind} ${id}`,
})
const originsOf = (entitlements: readonly Entitlement[]) => entitlements.flatMap(({ sources }) => sources.map(originOf))

/** What applications get for an entitlement besides its name; undefined for nothing. */
const shownValue = ({ value, quantity, asOf }: Entitlement): unknown => {
  // A balance is as old as the last event about it, not as new as the token: it has its own time.
  const dated = asOf === null ? quantity : { balance: quantity, as_of: asOf.toISOString() }
  return dated ?? (value === true ? undefined : value)
}

/** The sources that give a plan: those found by its rules, or another rule of the same entitlements first. */
const planSources = ({ entitlements }: EntitlementRules, found: readonly Entitlement[], plan: string): MatchedSource[] => {
  const isOfPlan = (rule: number) => entitlements[rule]?.plan === plan
  const sources = found.flatMap((one) => one.sources).filter(({ rule }) => isOfPlan(rule))
  const names = new Set(entitlements.flatMap((rule) => (rule.plan === plan ? rule.name : [])))
  return sources.length > 0 ? sources : found.filter(({ name }) => names.has(name)).flatMap((one) => one.sources)
}

/** What the user and the organization have paid for (docs/reference/claims.md). One statement for each token: a revocation counts at once. */
export const createBillingClaims = ({ rules, of, snapshotsOf }: Deps): ClaimSource => ({
  scope: 'billing',
  claims: ['entitlements', 'entitlement_values', 'plan', 'subscription_status'],
  claimsOf: async (db, { user, organizationId }): Promise<Readonly<Record<string, SourcedValue>>> => {
    const snapshots = await snapshotsOf(db, { userId: user.id, organizationId })
    const { entitlements, plan, subscriptionStatus } = of(snapshots)
    const valued = entitlements.filter((one) => shownValue(one) !== undefined)
    const ofPlan = plan === null ? [] : planSources(rules, entitlements, plan)
    const planIds = new Set(ofPlan.flatMap(({ kind, id }) => (kind === 'subscription' ? id : [])))
    const withStatus = snapshots
      .flatMap(({ snapshot }) => snapshot.subscriptions)
      .filter(({ id, status }) => status === subscriptionStatus && (planIds.size === 0 || planIds.has(id)))
    return {
      // List and map are always there, so that applications need not ask.
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
  },
})
