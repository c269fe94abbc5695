import type { ClaimSource } from '../../core/claims.ts'
import type { Clock } from '../../core/clock.ts'
import type { SeatCount } from '../../core/core.ts'
import type { Db } from '../../core/db/database.ts'
import { listNamedDeliveries, type NamedDelivery } from '../ingest/store/deliveries.ts'
import type { OwnedSnapshot } from '../links/service.ts'
import { type LinkRow, listLinkedBy } from '../links/store.ts'
import { createBillingClaims } from './claims.ts'
import type { EntitlementRules, Source } from './rules/sources.ts'
import { type Entitlement, type Entitlements, entitlementsOf, type MatchedSource, type Unused, unusedOf } from './rules.ts'

/** A user, an organization, or a user who acts for one. */
export interface Owner {
  readonly userId: string | null
  readonly organizationId: string | null
}

/** How its customer is linked, and the delivery that it came with. */
interface Origin {
  /** Null for an unlinked customer. */
  readonly linkedBy: LinkRow['linkedBy'] | null
  /** Null when it was deleted after `billing.retentionDays`. */
  readonly delivery: NamedDelivery | null
}
/** `holder`: the name of `owner` in answers and in the output of `explain`. */
type Explained<S extends Source> = Omit<S, 'rule' | 'deliveryId' | 'owner'> & { readonly holder: Source['owner'] } & Origin

export interface Explanation extends Omit<Entitlements, 'entitlements'> {
  readonly entitlements: readonly (Omit<Entitlement, 'sources'> & {
    /** `rule` is its key: `billing.entitlements.0`. */
    readonly sources: readonly (Explained<MatchedSource> & { readonly rule: string })[]
  })[]
  /** Purchases that entitle to nothing. */
  readonly unused: readonly Explained<Unused>[]
}

export interface EntitlementService {
  of(snapshots: readonly OwnedSnapshot[]): Entitlements
  explain(db: Db, snapshots: readonly OwnedSnapshot[]): Promise<Explanation>
  /** The scope `billing`. */
  readonly claimSource: ClaimSource
  /** Members and open invitations an organization may have; null: no limit. Called in the transaction that adds one, and to show them. */
  seatLimit(db: Db, organizationId: string): Promise<SeatCount | null>
}

interface Deps {
  readonly clock: Clock
  readonly config: EntitlementRules
  readonly snapshotsOf: (db: Db, owner: Owner) => Promise<readonly OwnedSnapshot[]>
}

export const createEntitlements = ({ clock, config, snapshotsOf }: Deps): EntitlementService => {
  const of: EntitlementService['of'] = (snapshots) => entitlementsOf(config, snapshots, clock.now())
  const hasSeats = typeof config.freeSeats === 'number' || config.entitlements.some(({ quantity }) => quantity === 'seats')
  return {
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
      const seats = hasSeats ? of(await snapshotsOf(db, { userId: null, organizationId })).seats : null
      return seats === null ? null : { seats, isFree: seats === config.freeSeats }
    },
  }
}
