import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../core/database.ts'
import type { Log } from '../../core/log.ts'
import { type EntitlementRules, endOf } from '../entitlements/rules/held.ts'
import { billingErrors } from '../errors.ts'
import { sortableTime } from '../events/time.ts'
import { renewalDueAt } from '../projection/deriving.ts'
import * as store from './store.ts'

/** A subscription that should have been renewed, or ended, and of which nothing more was heard. */
export interface OverdueRenewal {
  readonly id: string
  readonly customerId: string
  readonly productId: string
  readonly status: string
  readonly currentPeriodEnd: Date
  /** When it stops to entitle, or did; null: not by itself (`always`). */
  readonly entitlesUntil: Date | null
}

export interface OverduePage {
  readonly subscriptions: readonly OverdueRenewal[]
  /** Id of the customer the page ended with, when there are more. */
  readonly next: string | null
}

export interface Renewals {
  /** Those of so many customers, the latest period first, from the customer behind `after`. Throws CUSTOMER_NOT_FOUND. */
  listOverdue(limit: number, after?: string): Promise<OverduePage>
  /** How many customers have such subscriptions. */
  countOverdue(): Promise<number>
  /** Names them in the log. */
  warn(): Promise<void>
}

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly config: Pick<EntitlementRules, 'grace'>
}

/** The platform renews when a period ends and tries a delivery for 34 minutes (billing-events.md, section 2). */
const patienceMs = 3_600_000

const namedInLog = 20

export const createRenewals = ({ db, clock, log, config }: Deps): Renewals => {
  const dueBefore = () => sortableTime(new Date(clock.now().getTime() - patienceMs).toISOString())
  const listOverdue: Renewals['listOverdue'] = async (limit, after) => {
    const before = dueBefore()
    const behind = after === undefined ? undefined : await store.findCustomer(db, after)
    if (after !== undefined && behind === undefined) throw billingErrors.refuse('CUSTOMER_NOT_FOUND')
    const rows = await store.listOverdue(db, before, behind, limit + 1)
    const shown = rows.slice(0, limit)
    const subscriptions = shown.flatMap(({ id: customerId, standing }) =>
      standing.subscriptions.flatMap((one): readonly OverdueRenewal[] => {
        const due = renewalDueAt(one)
        if (due === null || due >= before) return []
        const { id, productId, status } = one
        return [{ id, customerId, productId, status, currentPeriodEnd: new Date(due), entitlesUntil: endOf(one, config.grace) }]
      }),
    )
    return { subscriptions, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
  }
  const countOverdue = () => store.countOverdue(db, dueBefore())
  return {
    listOverdue,
    countOverdue,
    warn: async () => {
      const customers = await countOverdue()
      if (customers === 0) return
      const { subscriptions } = await listOverdue(namedInLog)
      log.warn(
        { customers, subscriptions: subscriptions.map(({ id }) => id) },
        'renewals were never heard: send the events again from the billing platform; these subscriptions end after billing.grace',
      )
    },
  }
}
