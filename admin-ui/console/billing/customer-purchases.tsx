import type { ReactNode } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { Panel } from '../shared/facts.tsx'
import { Id } from '../shared/id.tsx'
import { Line, Lines } from '../shared/query-panel.tsx'
import { Time } from '../shared/time.tsx'
import type { CustomerDetails } from './parts.tsx'
import { useMoney } from './parts.tsx'

interface OfCustomer {
  readonly details: CustomerDetails
}

/** Only subscriptions with a missing payment are marked by a colour. */
const toneOf = (status: string) =>
  ['active', 'trialing', 'paid'].includes(status) ? 'good' : ['past_due', 'unpaid', 'pending'].includes(status) ? 'warn' : 'plain'

const Purchases = ({
  title,
  empty,
  children,
}: {
  readonly title: string
  readonly empty: string
  readonly children: readonly ReactNode[]
}) => (
  <Panel title={title}>
    <Lines empty={empty}>{children}</Lines>
  </Panel>
)

/** A table of subscriptions with price, status and end of the paid period. */
export const Subscriptions = ({ details: { subscriptions } }: OfCustomer) => {
  const { t } = useI18n()
  const money = useMoney()
  return (
    <Purchases title={t('billing.subscriptions')} empty={t('billing.subscriptionsNone')}>
      {subscriptions.map(
        ({
          id,
          productId,
          productName,
          status,
          amount,
          currency,
          recurringInterval,
          currentPeriodEnd,
          seats,
          cancelAtPeriodEnd,
        }) => (
          <Line
            key={id}
            title={productName ?? productId}
            detail={
              <>
                {money(amount, currency)}
                {recurringInterval === null ? '' : ` / ${recurringInterval}`}
                {seats === null ? '' : ` · ${t('billing.seats', { count: seats })}`}
                {currentPeriodEnd === null ? null : (
                  <>
                    {' · '}
                    {t('billing.periodEnd')} <Time at={currentPeriodEnd} />
                  </>
                )}
                {cancelAtPeriodEnd ? ` · ${t('billing.endsWithPeriod')}` : ''}
                <span className="line-source">
                  <Id id={id} />
                </span>
              </>
            }
          >
            <Badge tone={toneOf(status)}>{status}</Badge>
          </Line>
        ),
      )}
    </Purchases>
  )
}

/** A table of payments and refunds. */
export const Orders = ({ details: { orders } }: OfCustomer) => {
  const { t } = useI18n()
  const money = useMoney()
  return (
    <Purchases title={t('billing.orders')} empty={t('billing.ordersNone')}>
      {orders.map(({ id, productId, productName, status, totalAmount, refundedAmount, currency, createdAt }) => (
        <Line
          key={id}
          title={productName ?? productId ?? id}
          detail={
            <>
              {money(totalAmount, currency)}
              {refundedAmount > 0 ? ` · ${t('billing.refunded', { amount: money(refundedAmount, currency) })}` : ''}
              {' · '}
              <Time at={createdAt} />
              <span className="line-source">
                <Id id={id} />
              </span>
            </>
          }
        >
          <Badge tone={toneOf(status)}>{status}</Badge>
        </Line>
      ))}
    </Purchases>
  )
}

export const Benefits = ({ details: { benefits } }: OfCustomer) => {
  const { t } = useI18n()
  if (benefits.length === 0) return null
  return (
    <Purchases title={t('billing.benefits')} empty={t('billing.benefitsNone')}>
      {benefits.map(({ id, benefitId, type, description, isGranted, grantedAt, revokedAt }) => {
        const at = isGranted ? grantedAt : revokedAt
        return (
          <Line
            key={id}
            title={description ?? benefitId}
            detail={
              <>
                {type}
                {at === null ? null : (
                  <>
                    {' · '}
                    <Time at={at} />
                  </>
                )}
                <span className="line-source">
                  <Id id={id} />
                </span>
              </>
            }
          >
            <Badge tone={isGranted ? 'good' : 'plain'}>{t(isGranted ? 'billing.granted' : 'billing.revoked')}</Badge>
          </Line>
        )
      })}
    </Purchases>
  )
}

/** A table of meter balances, as the last event of the billing platform reported them. */
export const Meters = ({ details: { meters } }: OfCustomer) => {
  const { t } = useI18n()
  if (meters.length === 0) return null
  return (
    <Purchases title={t('billing.meters')} empty={t('billing.metersNone')}>
      {meters.map(({ meterId, name, balance, creditedUnits, asOf }) => (
        <Line
          key={meterId}
          title={name ?? meterId}
          detail={
            <>
              {t('billing.asOf')} <Time at={asOf} />
            </>
          }
        >
          {t('billing.meterBalance', { balance, credited: creditedUnits })}
        </Line>
      ))}
    </Purchases>
  )
}
