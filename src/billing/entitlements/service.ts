import type { Clock } from '../../core/clock.ts'
import type { Db, Tx } from '../../core/database.ts'
import type { ClaimSource } from '../../oidc/index.ts'
import type { HeldStanding } from '../linking/service.ts'
import type { EntitlementRules, Source } from './rules/held.ts'
import { type Entitlement, type Entitlements, entitlementsOf, type FoundSource, type Unused, unusedOf } from './rules.ts'
import * as store from './store.ts'

/** Whose entitlements: of a user, of an organization, or of a user who acts for one. */
export interface Holder {
  readonly userId: string | null
  readonly organizationId: string | null
}

/** Why its customer is the holder's, and the delivery that told it. */
interface Origin {
  /** Null for a customer that is nobody's. */
  readonly linkedBy: store.LinkedBy | null
  /** Null when it was deleted after `billing.retentionDays`. */
  readonly delivery: store.DeliveryRow | null
}
type Explained<S> = Omit<S, 'rule' | 'deliveryId'> & Origin

export interface Explanation extends Omit<Entitlements, 'entitlements'> {
  readonly entitlements: readonly (Omit<Entitlement, 'sources'> & {
    /** `rule` is its key: `billing.entitlements.0`. */
    readonly sources: readonly (Explained<FoundSource> & { readonly rule: string })[]
  })[]
  /** What is held and gives nothing. */
  readonly unused: readonly Explained<Unused>[]
}

export interface EntitlementService {
  of(standings: readonly HeldStanding[]): Entitlements
  explain(db: Db, standings: readonly HeldStanding[]): Promise<Explanation>
  /** Asked by the OpenID Provider for each ID token, userinfo and introspection: one query, so a revocation counts at once. */
  readonly claimSource: ClaimSource
  /** Members and open invitations an organization may have; null: no limit. Asked inside the transaction that adds one. */
  seatLimit(tx: Tx, organizationId: string): Promise<number | null>
}

interface Deps {
  readonly clock: Clock
  readonly config: EntitlementRules
  readonly standingsOf: (db: Db, holder: Holder) => Promise<readonly HeldStanding[]>
}

/** A claim without a value is left out; list and map are always there, so that applications need not ask. */
const claimsFrom = ({ entitlements, plan, subscriptionStatus }: Entitlements): Record<string, unknown> => ({
  entitlements: entitlements.map(({ name }) => name),
  entitlement_values: Object.fromEntries(
    entitlements.flatMap(({ name, value, quantity, asOf }) => {
      // A balance is as old as the last event about it, not as new as the token: it says its age.
      const dated = asOf === null ? quantity : { balance: quantity, as_of: asOf.toISOString() }
      const shown = dated ?? (value === true ? undefined : value)
      return shown === undefined ? [] : [[name, shown]]
    }),
  ),
  ...(plan === null ? {} : { plan }),
  ...(subscriptionStatus === null ? {} : { subscription_status: subscriptionStatus }),
})

export const createEntitlements = ({ clock, config, standingsOf }: Deps): EntitlementService => {
  const of: EntitlementService['of'] = (standings) => entitlementsOf(config, standings, clock.now())
  const hasSeats = typeof config.freeSeats === 'number' || config.entitlements.some(({ quantity }) => quantity === 'seats')
  return {
    of,
    explain: async (db, standings) => {
      const { entitlements, ...rest } = of(standings)
      const unused = unusedOf(config, standings, clock.now())
      const all = [...entitlements.flatMap(({ sources }) => sources), ...unused]
      const [linkedBy, deliveries] = await Promise.all([
        store.listLinkedBy(db, [...new Set(all.map(({ customerId }) => customerId))]),
        store.listDeliveries(db, [...new Set(all.map(({ deliveryId }) => deliveryId))]),
      ])
      const explained = <S extends Source>({ deliveryId, ...source }: S) => ({
        ...source,
        linkedBy: linkedBy.get(source.customerId) ?? null,
        delivery: deliveries.get(deliveryId) ?? null,
      })
      const found = ({ rule, ...source }: FoundSource) => ({ ...explained(source), rule: `billing.entitlements.${rule}` })
      return {
        ...rest,
        entitlements: entitlements.map((one) => ({ ...one, sources: one.sources.map(found) })),
        unused: unused.map(explained),
      }
    },
    claimSource: {
      scope: 'billing',
      claims: ['entitlements', 'entitlement_values', 'plan', 'subscription_status'],
      claimsOf: async (db, subject) => claimsFrom(of(await standingsOf(db, subject))),
    },
    seatLimit: async (tx, organizationId) =>
      hasSeats ? of(await standingsOf(tx, { userId: null, organizationId })).seats : null,
  }
}
