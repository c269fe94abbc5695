import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import type { openBillingConfig } from '../config.ts'
import type { EntitlementRules } from '../entitlements/rules/sources.ts'
import type { Entitlement, Entitlements } from '../entitlements/rules.ts'
import { entitlementsOf } from '../entitlements/rules.ts'
import type { OwnedSnapshot } from '../links/store.ts'
import { listOwnerNames } from '../queries/store.ts'
import type { rulesContract } from './contract.ts'
import * as store from './store.ts'

/** How the entitlements of one owner differ under other rules. */
export interface Difference {
  readonly gains: readonly string[]
  readonly loses: readonly string[]
  readonly changes: readonly { readonly name: string; readonly before: Given; readonly after: Given }[]
  readonly plan: { readonly before: string | null; readonly after: string | null } | null
  readonly seats: { readonly before: number | null; readonly after: number | null } | null
}

type Given = Pick<Entitlement, 'value' | 'quantity' | 'validUntil'>

const givenBy = ({ value, quantity, validUntil }: Entitlement): Given => ({ value, quantity, validUntil })

const isSame = (a: Given, b: Given) =>
  a.value === b.value && a.quantity === b.quantity && a.validUntil?.getTime() === b.validUntil?.getTime()

/** Compares the entitlements that two sets of rules give for the same purchases. Undefined if the entitlements are equal. */
export const differenceOf = (before: Entitlements, after: Entitlements, hasSeats: boolean): Difference | undefined => {
  const [old, next] = [before, after].map(({ entitlements }) => new Map(entitlements.map((one) => [one.name, one]))) as [
    Map<string, Entitlement>,
    Map<string, Entitlement>,
  ]
  const gains = [...next.keys()].filter((name) => !old.has(name))
  const loses = [...old.keys()].filter((name) => !next.has(name))
  const changes = [...old].flatMap(([name, one]) => {
    const other = next.get(name)
    return other === undefined || isSame(one, other) ? [] : [{ name, before: givenBy(one), after: givenBy(other) }]
  })
  const plan = before.plan === after.plan ? null : { before: before.plan, after: after.plan }
  const seats = !hasSeats || before.seats === after.seats ? null : { before: before.seats, after: after.seats }
  const isChanged = gains.length + loses.length + changes.length > 0 || plan !== null || seats !== null
  return isChanged ? { gains, loses, changes, plan, seats } : undefined
}

type Calls = typeof rulesContract
type Question = z.output<Calls['dryRunRules']['body']>
type Page = z.output<Calls['dryRunRules']['response']>

/** Shows the current rules, and what other rules would change. */
export interface RulesService {
  inEffect(): EntitlementRules
  /**
   * Finds what other rules would change for one page of customers. Changes nothing. Throws VALIDATION_ERROR for rules that the
   * configuration would refuse.
   */
  dryRun(question: Question): Promise<Page>
}

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly config: EntitlementRules
  /** Parses the rules and reports their problems. */
  readonly section: Pick<typeof openBillingConfig, 'safeParse'>
}

const parseRules = (section: Deps['section'], given: Question['billing']): EntitlementRules => {
  const parsed = section.safeParse(given)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: ['billing', ...path].join('.'), message }))
  throw coreErrors.error('VALIDATION_ERROR', { message: 'Invalid body parameters', issues })
}

interface Compared {
  readonly userId: string | null
  readonly organizationId: string | null
  readonly snapshots: readonly OwnedSnapshot[]
}

/** For each owner, the answer names at most this many customers. */
const namedCustomers = 20

/** For each entitlement, counts the owners that would gain it, lose it, or get it with another value. */
const countNames = (found: readonly Difference[]): Page['entitlements'] => {
  const counts = new Map<string, { gains: number; loses: number; changes: number }>()
  for (const difference of found)
    for (const kind of ['gains', 'loses', 'changes'] as const)
      for (const one of difference[kind]) {
        const name = typeof one === 'string' ? one : one.name
        const count = counts.get(name) ?? { gains: 0, loses: 0, changes: 0 }
        count[kind] += 1
        counts.set(name, count)
      }
  return [...counts].map(([name, count]) => ({ name, ...count })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

export const createRules = ({ db, clock, config, section }: Deps): RulesService => {
  /**
   * The owners of a page of customers, each with the snapshots of all its customers. An owner whose first customer is on another page is
   * left out, because that page includes the owner.
   */
  const ownersOf = async (customers: readonly store.CustomerOwner[]): Promise<readonly Compared[]> => {
    const ids = new Set(customers.map(({ customerId }) => customerId))
    const startingHere = async (kind: 'user' | 'organization') => {
      const key = `${kind}Id` as const
      const all = [...new Set(customers.flatMap((one) => one[key] ?? []))]
      if (all.length === 0) return []
      const first = await store.listFirstCustomers(db, kind, all)
      return customers.flatMap((one) => (first.has(one.customerId) && ids.has(one.customerId) ? (one[key] ?? []) : []))
    }
    const [userIds, organizationIds] = await Promise.all([startingHere('user'), startingHere('organization')])
    const unlinked = customers.filter(({ userId, organizationId }) => userId === null && organizationId === null)
    const [users, organizations, nobodys] = await Promise.all([
      userIds.length === 0 ? new Map<string, readonly OwnedSnapshot[]>() : store.listSnapshotsOf(db, 'user', userIds),
      organizationIds.length === 0
        ? new Map<string, readonly OwnedSnapshot[]>()
        : store.listSnapshotsOf(db, 'organization', organizationIds),
      unlinked.length === 0
        ? []
        : store.listSnapshots(
            db,
            unlinked.map(({ customerId }) => customerId),
          ),
    ])
    return [
      ...[...users].map(([userId, snapshots]) => ({ userId, organizationId: null, snapshots })),
      ...[...organizations].map(([organizationId, snapshots]) => ({ userId: null, organizationId, snapshots })),
      ...nobodys.map((snapshot) => ({ userId: null, organizationId: null, snapshots: [snapshot] })),
    ]
  }
  return {
    inEffect: () => config,
    dryRun: async ({ billing: given, after = '', limit, rows }) => {
      const rules = parseRules(section, given)
      const page = await store.listCustomers(db, after, limit + 1)
      const customers = page.slice(0, limit)
      const owners = await ownersOf(customers)
      const now = clock.now()
      const found: { readonly owner: Compared; readonly difference: Difference }[] = []
      for (const owner of owners) {
        const [before, other] = [config, rules].map((one) => entitlementsOf(one, owner.snapshots, now))
        const difference = before && other && differenceOf(before, other, owner.organizationId !== null)
        if (difference !== undefined) found.push({ owner, difference })
        // Comparing many rules and owners takes long, so other requests get a turn in between.
        await nextTurn()
      }
      const shown = found.slice(0, rows)
      const names = await listOwnerNames(
        db,
        shown.map(({ owner }) => owner),
      )
      const differences = found.map(({ difference }) => difference)
      return {
        ...{ customers: customers.length, owners: owners.length, changed: found.length },
        plans: differences.filter(({ plan }) => plan !== null).length,
        seats: differences.filter(({ seats }) => seats !== null).length,
        entitlements: countNames(differences),
        differences: shown.map(({ owner: { userId, organizationId, snapshots }, difference }) => ({
          customerIds: snapshots.slice(0, namedCustomers).map(({ customerId }) => customerId),
          ...{ userId, organizationId, name: names.get(userId ?? organizationId ?? '') ?? null },
          ...{ ...difference, gains: [...difference.gains], loses: [...difference.loses], changes: [...difference.changes] },
        })),
        next: page.length > limit ? (customers.at(-1)?.customerId ?? null) : null,
      }
    },
  }
}
