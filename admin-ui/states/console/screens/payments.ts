import type { billingAdminContract } from '../../../../src/billing/queries/contract/admin.ts'
import { daysAhead } from '../../made-up.ts'
import type { Amount } from '../made-up.ts'
import { companyOf, idOf, times } from '../made-up.ts'
import type { Wire } from '../typed.ts'

type Customers = Wire<typeof billingAdminContract, 'customers'>

const statuses = ['active', 'past_due', 'trialing', 'ended', null] as const

/** A customer with payments. The third one pays for much, and the fourth for nothing any more. */
export const payingOf = (
  index: number,
  customer: Wire<typeof billingAdminContract, 'customer'>['customer'],
): Customers['customers'][number] => {
  const status = statuses[index % 5] ?? null
  const isRunning = status !== null && status !== 'ended'
  return {
    ...customer,
    status,
    plan: isRunning ? (index % 2 === 0 ? 'enterprise-with-priority-support' : 'pro') : null,
    subscriptions: times(isRunning ? (index % 3 === 2 ? 3 : 1) : 0, (at) => ({
      id: idOf('sub', index * 10 + at),
      productId: idOf('pro', at),
      productName: at === 1 ? null : companyOf(index),
      status,
      amount: at === 2 ? 1_042_330_00 : 4900,
      currency: at === 1 ? 'jpy' : 'eur',
      interval: at === 0 ? 'month' : 'year',
      nextAt: at === 1 ? null : daysAhead(12),
      endsThen: at === 2,
    })) as Customers['customers'][number]['subscriptions'],
    seats: index % 2 === 0 ? { bought: index % 4 === 0 ? 250 : null, used: 238 } : null,
    entitlements: isRunning ? ['export', 'priority-support-with-a-person-who-answers-within-the-hour'] : [],
  }
}

export const totalsOf = (amount: Amount): Wire<typeof billingAdminContract, 'paymentTotals'> =>
  amount === 'empty'
    ? { statuses: [], currencies: [], plans: [], entitlements: [] }
    : {
        statuses: [
          { status: 'past_due', customers: 238 },
          { status: 'active', customers: 104_233 },
          { status: 'ended', customers: 7 },
        ],
        currencies: [
          { currency: 'eur', customers: 104_000, monthly: 5_107_417_00 },
          { currency: 'jpy', customers: 233, monthly: 1_141_700 },
        ],
        plans: ['Team', 'Pro'],
        entitlements: ['export', 'priority-support-with-a-person-who-answers-within-the-hour'],
      }
