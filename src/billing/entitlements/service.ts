import type { Clock } from '../../core/clock.ts'
import type { Db, Tx } from '../../core/database.ts'
import { type EntitlementRules, type Entitlements, entitlementsOf, type Holding } from './rules.ts'

/** Whose entitlements: of a user, of an organization, or of a user who acts for one. */
export interface Holder {
  readonly userId: string | null
  readonly organizationId: string | null
}

/** Claims that a scope gives, for the OpenID Provider. */
export interface ClaimsSource {
  readonly scope: string
  readonly claims: readonly string[]
  claimsOf(db: Db, holder: { readonly userId: string; readonly organizationId: string | null }): Promise<Record<string, unknown>>
}

export interface EntitlementService {
  of(db: Db, holder: Holder): Promise<Entitlements>
  /** Asked by the OpenID Provider for each ID token, userinfo and introspection: one query, so a revocation counts at once. */
  readonly claims: ClaimsSource
  /** Members and open invitations an organization may have; null: no limit. Asked inside the transaction that adds one. */
  seatLimit(tx: Tx, organizationId: string): Promise<number | null>
}

interface Deps {
  readonly clock: Clock
  readonly config: EntitlementRules
  readonly standingsOf: (db: Db, holder: Holder) => Promise<readonly Holding[]>
}

/** A claim without a value is left out; lists and maps are always there, so that applications need not ask. */
export const claimsFrom = ({ entitlements, plan, subscriptionStatus }: Entitlements): Record<string, unknown> => ({
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
  const of: EntitlementService['of'] = async (db, holder) => entitlementsOf(config, await standingsOf(db, holder), clock.now())
  const hasSeats = config.freeSeats !== null || config.entitlements.some(({ quantity }) => quantity === 'seats')
  return {
    of,
    claims: {
      scope: 'billing',
      claims: ['entitlements', 'entitlement_values', 'plan', 'subscription_status'],
      claimsOf: async (db, holder) => claimsFrom(await of(db, holder)),
    },
    seatLimit: async (tx, organizationId) => (hasSeats ? (await of(tx, { userId: null, organizationId })).seats : null),
  }
}
