import type { Check } from '../core/checks.ts'
import type { Deliveries } from './ingest/deliveries.ts'
import { latestFirst, type Renewals } from './queries/renewals.ts'

/** How many are named in a message. */
const named = 5
const mostCounted = 100

/** Deliveries that were not understood, and subscriptions that will end, or have ended, because no renewal was received. */
export const billingChecks = (
  deliveries: Pick<Deliveries, 'newest'>,
  renewals: Pick<Renewals, 'countOverdue' | 'listOverdue'>,
): readonly Check[] => [
  {
    name: 'deliveries',
    run: async () => {
      const rows = await deliveries.newest({ status: 'quarantined' }, mostCounted)
      const waiting = rows.filter(({ dismissedAt }) => dismissedAt === null)
      if (waiting.length === 0) return []
      const count = rows.length === mostCounted ? `${mostCounted} or more` : String(waiting.length)
      return [
        {
          severity: 'warning',
          message: `${count} billing events were not understood and wait in quarantine`,
          remedy: 'gatehouse list-deliveries --verdict quarantined; then replay-delivery or dismiss-delivery',
        },
      ]
    },
  },
  {
    name: 'renewals',
    run: async () => {
      const customers = await renewals.countOverdue()
      if (customers === 0) return []
      const { subscriptions, next } = await renewals.listOverdue({ ...latestFirst, limit: named })
      const names = subscriptions.map(({ id, customerId }) => `${id} of ${customerId}`).join(', ')
      return [
        {
          severity: 'warning',
          message: `The renewal was never heard for ${customers} customers: ${names}${next === null ? '' : ', …'}`,
          remedy: 'see in the billing platform whether its webhooks reach this instance',
        },
      ]
    },
  },
]
