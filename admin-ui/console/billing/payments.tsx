import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import type { Key } from '../../shared/i18n.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Time } from '../shared/time.tsx'
import type { ListedCustomer } from './parts.tsx'
import { useMoney } from './parts.tsx'

export const paymentStatuses = ['past_due', 'unpaid', 'active', 'trialing', 'incomplete', 'paused', 'ended'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

export const paymentKey = (status: PaymentStatus): Extract<Key, `billing.payment.${PaymentStatus}`> => `billing.payment.${status}`

const tones = {
  past_due: 'bad',
  unpaid: 'bad',
  active: 'good',
  trialing: 'plain',
  incomplete: 'warn',
  paused: 'warn',
  ended: 'plain',
} as const

/** A badge with the plan and the status of a customer's subscriptions. */
export const PaymentBadge = ({ customer: { status, plan } }: { readonly customer: ListedCustomer }) => {
  const { t } = useI18n()
  if (status === null) return <span className="who-detail">{t('billing.payment.none')}</span>
  return (
    <span className="badges">
      {plan === null ? null : <code>{plan}</code>}
      <Badge tone={tones[status]}>{t(paymentKey(status))}</Badge>
    </span>
  )
}

/** Price and interval of each subscription, and when it renews or ends. */
export const Amounts = ({ subscriptions }: Pick<ListedCustomer, 'subscriptions'>) => {
  const { t } = useI18n()
  const money = useMoney()
  if (subscriptions.length === 0) return '–'
  return (
    <span className="who-text">
      {subscriptions.map(({ id, productName, productId, amount, currency, interval, nextAt, endsThen }) => (
        <span key={id} className="line-source">
          {t(`billing.amountPer.${interval}`, { amount: money(amount, currency) })}{' '}
          <span className="who-detail break">
            {productName ?? productId}
            {nextAt === null ? null : (
              <>
                {' · '}
                {t(endsThen ? 'billing.endsAt' : 'billing.renewsAt')} <Time at={nextAt} />
              </>
            )}
          </span>
        </span>
      ))}
    </span>
  )
}

/** How many seats of an organization are taken, and how many it has bought. */
export const Seats = ({ seats }: Pick<ListedCustomer, 'seats'>) => {
  const { t } = useI18n()
  if (seats === null) return '–'
  const { bought, used: taken } = seats
  return bought === null ? t('billing.takenOfAny', { taken }) : t('billing.takenOf', { taken, seats: bought })
}

/** Totals over all customers. Each total links to the list of the customers that it counts. */
export const PaymentTotals = () => {
  const { t, number } = useI18n()
  const { api } = useConsole()
  const money = useMoney()
  const { data } = useQuery(api.query(billingAdminContract, 'paymentTotals'))
  if (data === undefined || data.statuses.length === 0) return null
  const to = (query: Record<string, string>) => `/admin/billing/customers?${new URLSearchParams(query)}`
  return (
    <section className="totals" aria-label={t('billing.totals')}>
      <dl>
        {data.currencies.map(({ currency, customers, monthly }) => (
          <div key={currency}>
            <dt>{t('billing.monthly', { currency: currency.toUpperCase() })}</dt>
            <dd>
              <Link to={to({ currency })}>{money(monthly, currency)}</Link>{' '}
              <span className="who-detail">{t('billing.customerCount', { count: customers })}</span>
            </dd>
          </div>
        ))}
        {data.statuses.map(({ status, customers }) => (
          <div key={status}>
            <dt>{t(paymentKey(status))}</dt>
            <dd>
              <Link to={to({ payment: status })}>{number(customers)}</Link>
            </dd>
          </div>
        ))}
      </dl>
      <p className="who-detail">{t('billing.totalsNote')}</p>
    </section>
  )
}
