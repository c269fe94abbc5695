import { type Check, defineFindings } from '../core/checks.ts'
import type { Remedies } from '../core/remedies.ts'
import type { Deliveries } from './ingest/deliveries.ts'
import { latestFirst, mostOverdue, type Renewals } from './queries/renewals.ts'

/** Largest number of overdue subscriptions that the message of a finding names. */
const named = 5
const mostCounted = 100

const quarantined = '{command}; then replay-delivery or dismiss-delivery'

const deliveryFindings = defineFindings({
  'deliveries-waiting': { message: '{count} billing events were not understood and wait in quarantine', remedy: quarantined },
  'deliveries-many': {
    message: '{count} or more billing events were not understood and wait in quarantine',
    remedy: quarantined,
  },
})

const renewalFindings = defineFindings({
  'renewals-unheard': {
    message: 'The renewal was never heard for {count} customers: {names}',
    remedy: 'see in the billing platform whether its webhooks reach this instance',
  },
})

/** The checks that find quarantined deliveries, and subscriptions whose renewal is overdue because no event about it arrived. */
export const billingChecks = (
  deliveries: Pick<Deliveries, 'newest'>,
  renewals: Pick<Renewals, 'countOverdue' | 'listOverdue'>,
  remedies: Pick<Remedies, 'listQuarantinedDeliveries'>,
): readonly Check[] => [
  {
    name: 'deliveries',
    texts: deliveryFindings.texts,
    run: async () => {
      const rows = await deliveries.newest({ status: 'quarantined' }, mostCounted)
      const waiting = rows.filter(({ dismissedAt }) => dismissedAt === null)
      if (waiting.length === 0) return []
      const isMore = rows.length === mostCounted
      return [
        deliveryFindings.found('warning', isMore ? 'deliveries-many' : 'deliveries-waiting', {
          ...{ count: isMore ? mostCounted : waiting.length, command: remedies.listQuarantinedDeliveries() },
        }),
      ]
    },
  },
  {
    name: 'renewals',
    texts: renewalFindings.texts,
    run: async () => {
      const customers = await renewals.countOverdue()
      if (customers === 0) return []
      const { subscriptions, next } = await renewals.listOverdue({ ...latestFirst, limit: named })
      const names = subscriptions.map(({ id, customerId }) => `${id} of ${customerId}`).join(', ')
      return [
        renewalFindings.found('warning', 'renewals-unheard', {
          count: customers === mostOverdue ? `${customers}+` : customers,
          names: next === null ? names : `${names}, …`,
        }),
      ]
    },
  },
]
