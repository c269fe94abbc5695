import type { Clock } from '../../core/clock.ts'
import type { Db, Tx } from '../../core/database.ts'
import type { ClaimSource } from '../../oidc/index.ts'
import type { HeldStanding } from '../linking/service.ts'
import { type Entitlement, type EntitlementRules, type Entitlements, entitlementsOf, type Source } from './rules.ts'
import * as store from './store.ts'

/** Whose entitlements: of a user, of an organization, or of a user who acts for one. */
export interface Holder {
  readonly userId: string | null
  readonly organizationId: string | null
}

/** A source with the rule that found it, why its customer is the holder's, and the delivery that told it. */
export interface ExplainedSource extends Omit<Source, 'rule' | 'deliveryId'> {
  /** Key of the rule: `billing.entitlements.0`. */
  readonly rule: string
  /** Null for a customer that is nobody's. */
  readonly linkedBy: store.LinkRow['linkedBy'] | null
  /** Null when it was deleted after `billing.retentionDays`. */
  readonly delivery: store.DeliveryRow | null
}

export interface Explanation extends Omit<Entitlements, 'entitlements'> {
  readonly entitlements: readonly (Omit<Entitlement, 'sources'> & { readonly sources: readonly ExplainedSource[] })[]
}

export interface EntitlementService {
  of(db: Db, holder: Holder): Promise<Entitlements>
  /** The same for standings at hand. */
  ofStandings(standings: readonly HeldStanding[]): Entitlements
  explain(db: Db, entitlements: Entitlements): Promise<Explanation>
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
    entitlements.flatMap(({ name, value, quantity }) => {
      const shown = quantity ?? (value === true ? undefined : value)
      return shown === undefined ? [] : [[name, shown]]
    }),
  ),
  ...(plan === null ? {} : { plan }),
  ...(subscriptionStatus === null ? {} : { subscription_status: subscriptionStatus }),
})

export const createEntitlements = ({ clock, config, standingsOf }: Deps): EntitlementService => {
  const ofStandings: EntitlementService['ofStandings'] = (standings) => entitlementsOf(config, standings, clock.now())
  const of: EntitlementService['of'] = async (db, holder) => ofStandings(await standingsOf(db, holder))
  const hasSeats = config.freeSeats !== null || config.entitlements.some(({ quantity }) => quantity === 'seats')
  return {
    of,
    ofStandings,
    explain: async (db, { entitlements, ...rest }) => {
      const sources = entitlements.flatMap((entitlement) => entitlement.sources)
      const [links, deliveries] = await Promise.all([
        store.listLinks(db, [...new Set(sources.map(({ customerId }) => customerId))]),
        store.listDeliveries(db, [...new Set(sources.map(({ deliveryId }) => deliveryId))]),
      ])
      const explained = ({ rule, deliveryId, ...source }: Source): ExplainedSource => ({
        ...source,
        rule: `billing.entitlements.${rule}`,
        linkedBy: links.get(source.customerId)?.linkedBy ?? null,
        delivery: deliveries.get(deliveryId) ?? null,
      })
      return { ...rest, entitlements: entitlements.map((one) => ({ ...one, sources: one.sources.map(explained) })) }
    },
    claimSource: {
      scope: 'billing',
      claims: ['entitlements', 'entitlement_values', 'plan', 'subscription_status'],
      claimsOf: async (db, subject) => claimsFrom(await of(db, subject)),
    },
    seatLimit: async (tx, organizationId) => (hasSeats ? (await of(tx, { userId: null, organizationId })).seats : null),
  }
}
