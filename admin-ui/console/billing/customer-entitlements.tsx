import { Link } from 'react-router'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { Panel } from '../shared/facts.tsx'
import { Id } from '../shared/id.tsx'
import { Line, Lines } from '../shared/query-panel.tsx'
import { Time } from '../shared/time.tsx'
import type { CustomerDetails } from './parts.tsx'
import { deliveryPath } from './parts.tsx'

interface OfCustomer {
  readonly details: CustomerDetails
}

type State = CustomerDetails['state']
type Purchase = State['unused'][number] | State['entitlements'][number]['sources'][number]

/** The names of a purchase, with a link to the delivery that contained the purchase. */
const PurchaseNames = ({ purchase: { kind, id, delivery } }: { readonly purchase: Purchase }) => {
  const { t } = useI18n()
  return (
    <>
      {t(`billing.source.${kind}`)} <Id id={id} />
      {delivery === null ? null : (
        <>
          {' · '}
          {t('billing.withDelivery')} <Link to={deliveryPath(delivery.id)}>{delivery.type ?? t('billing.noType')}</Link>
        </>
      )}
    </>
  )
}

const nameAndValue = ({ name, value, quantity }: State['entitlements'][number]) => {
  const shown = quantity ?? (value === true ? undefined : value)
  return shown === undefined ? name : `${name}: ${shown}`
}

/** The entitlements of the customer. Each is shown with the rule and the purchase that grant it, and with its end. */
export const CustomerEntitlements = ({ details: { state } }: OfCustomer) => {
  const { t } = useI18n()
  return (
    <Panel
      title={t('billing.entitlements')}
      actions={
        <>
          {state.plan === null ? null : <Badge tone="good">{t('billing.plan', { plan: state.plan })}</Badge>}
          {state.seats === null ? null : <Badge tone="plain">{t('billing.seats', { count: state.seats })}</Badge>}
        </>
      }
    >
      <Lines empty={t('billing.entitlementsNone')}>
        {state.entitlements.map((one) => (
          <Line
            key={one.name}
            title={nameAndValue(one)}
            detail={one.sources.map((source) => (
              <span key={`${source.kind} ${source.id}`} className="line-source">
                <PurchaseNames purchase={source} />
                {' · '}
                {t('billing.rule', { rule: source.rule })}
                {source.warning === null ? null : (
                  <>
                    {' '}
                    <Badge tone="warn">{source.warning}</Badge>
                  </>
                )}
              </span>
            ))}
          >
            {one.validUntil === null ? (
              t('billing.untilEnd')
            ) : (
              <>
                {t('billing.until')} <Time at={one.validUntil} />
              </>
            )}
          </Line>
        ))}
      </Lines>
    </Panel>
  )
}

/** Purchases that grant no entitlement, and the reasons. */
export const UnusedPurchases = ({ details: { state } }: OfCustomer) => {
  const { t } = useI18n()
  if (state.unused.length === 0) return null
  return (
    <Panel title={t('billing.unused')}>
      <Lines empty="">
        {state.unused.map((purchase) => (
          <Line
            key={`${purchase.kind} ${purchase.id}`}
            title={t(`billing.source.${purchase.kind}`)}
            detail={<PurchaseNames purchase={purchase} />}
          >
            <Badge tone="plain">{t(`billing.because.${purchase.because}`)}</Badge>
          </Line>
        ))}
      </Lines>
    </Panel>
  )
}
