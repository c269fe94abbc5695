import type { Core } from '../../core/core.ts'
import { mostCounted, type Total } from '../../core/db/count.ts'
import { cursorOf, cutPage, nextAfter } from '../../core/page.ts'
import { hourMs } from '../../core/time.ts'
import { type EntitlementRules, endOf } from '../entitlements/rules/sources.ts'
import { dateOf, sortableTime } from '../events/shared.ts'
import { renewalDueAt } from '../state/derive.ts'
import * as store from './store.ts'

/** A subscription whose paid period has ended although no event about a renewal or an end of the subscription has arrived. */
export interface OverdueRenewal {
  readonly id: string
  readonly customerId: string
  readonly productId: string
  readonly status: string
  readonly currentPeriodEnd: Date
  /** When the entitlements of the subscription end or ended. Null if they do not end (`always` in `billing.grace`). */
  readonly entitlesUntil: Date | null
}

export interface OverduePage {
  readonly subscriptions: readonly OverdueRenewal[]
  readonly next: string | null
  /** The number of overdue renewals on all pages. Null unless the query asked for it. */
  readonly total: Total | null
}

type OverdueQuery = Parameters<typeof cursorOf<'renewalDueAt'>>[0]
/** The renewal that was missed most recently comes first, because it is the most important one. */
export const latestFirst = { sort: 'renewalDueAt', order: 'desc' } as const

export interface Renewals {
  /** Lists the overdue renewals of at most `limit` customers, in the order of the times when they were due. */
  listOverdue(query: OverdueQuery): Promise<OverduePage>
  /** Number of customers with overdue renewals. It stops counting at `mostOverdue`. */
  countOverdue(): Promise<number>
  /** Logs the overdue renewals, if there are any. */
  warn(): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'clock' | 'log'> {
  readonly config: Pick<EntitlementRules, 'grace'>
}

/**
 * How long after the end of a paid period a renewal is overdue. The platform renews at the end of the period, and repeats a delivery for
 * up to 34 minutes (billing-events.md, section 2).
 */
const renewalDelayMs = hourMs

const namedInLog = 20
export const mostOverdue = 1_000

export const createRenewals = ({ db, clock, log, config }: Deps): Renewals => {
  const overdueBefore = () => sortableTime(new Date(clock.now().getTime() - renewalDelayMs).toISOString())
  const listOverdue: Renewals['listOverdue'] = async (query) => {
    const before = overdueBefore()
    const { rows, next } = cutPage(await store.pageOfOverdue(db, before, cursorOf(query)), query.limit, (last) =>
      nextAfter(query, { value: last.renewalDueAt, id: last.id }),
    )
    const subscriptions = rows.flatMap(({ id: customerId, snapshot }) =>
      snapshot.subscriptions.flatMap((one): readonly OverdueRenewal[] => {
        const due = renewalDueAt(one)
        if (due === null || due >= before) return []
        const { id, productId, status } = one
        return [{ id, customerId, productId, status, currentPeriodEnd: dateOf(due), entitlesUntil: endOf(one, config.grace) }]
      }),
    )
    const total = query.total === true ? await totalOf(before, subscriptions.length, rows.length) : null
    return { subscriptions, next, total }
  }
  /**
   * If all customers with overdue renewals are on this page, the number of their overdue renewals is exact. Otherwise the number of such
   * customers is the estimate, since most have one overdue renewal.
   */
  const totalOf = async (before: string, found: number, ofCustomers: number): Promise<Total> => {
    const customers = await store.countOverdue(db, before, mostCounted + 1)
    return customers === ofCustomers
      ? { count: found, isExact: true }
      : { count: Math.min(customers, mostCounted), isExact: false }
  }
  const countOverdue = () => store.countOverdue(db, overdueBefore(), mostOverdue)
  return {
    listOverdue,
    countOverdue,
    warn: async () => {
      const customers = await countOverdue()
      if (customers === 0) return
      const { subscriptions } = await listOverdue({ ...latestFirst, limit: namedInLog })
      log.warn(
        { customers, subscriptions: subscriptions.map(({ id }) => id) },
        'renewals were never heard: send the events again from the billing platform; these subscriptions end after billing.grace',
      )
    },
  }
}
