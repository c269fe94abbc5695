import { Link } from 'react-router'
import { auditContract } from '../../../src/audit/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Panel } from '../shared/facts.tsx'
import { Line, Lines, QueryPanel } from '../shared/query-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import type { CustomerDetails } from './parts.tsx'
import { deliveryPath, VerdictBadge } from './parts.tsx'

interface OfCustomer {
  readonly details: CustomerDetails
}

/** How many of the newest entries are shown. */
const shown = 10

/** The newest deliveries about the customer. */
export const ReceivedAbout = ({ details: { customer, deliveries } }: OfCustomer) => {
  const { t } = useI18n()
  return (
    <Panel
      title={t('billing.received')}
      actions={
        deliveries.length <= shown ? undefined : (
          <Link to={`/admin/billing/deliveries?${new URLSearchParams({ customerId: customer.id })}`}>
            {t('billing.receivedAll')}
          </Link>
        )
      }
    >
      <Lines empty={t('billing.receivedNone')}>
        {deliveries.slice(0, shown).map((delivery) => (
          <Line
            key={delivery.id}
            title={
              <Link to={deliveryPath(delivery.id)}>
                <code>{delivery.type ?? t('billing.noType')}</code>
              </Link>
            }
            detail={<Time at={delivery.receivedAt} />}
          >
            <VerdictBadge delivery={delivery} />
          </Line>
        ))}
      </Lines>
    </Panel>
  )
}

/** When, by whom and why the customer was linked to an owner. */
export const CustomerEvents = ({ details: { customer } }: OfCustomer) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const input = { query: { subject: customer.id, limit: 20 } }
  return (
    <QueryPanel
      title={t('billing.eventsOf')}
      permission="events:read"
      actions={
        <ShowCall target={auditContract.listEvents} input={input} command={['list-audit', '--subject', customer.id]} isQuery />
      }
      query={api.query(auditContract, 'listEvents', input)}
    >
      {({ events }) => (
        <Lines empty={t('billing.eventsNone')}>
          {events.map(({ id, type, occurredAt, actorKind, reason }) => (
            <Line
              key={id}
              title={<code>{type}</code>}
              detail={[actorKind, reason].filter((part) => part !== null && part !== '').join(' · ')}
            >
              <Time at={occurredAt} />
            </Line>
          ))}
        </Lines>
      )}
    </QueryPanel>
  )
}
