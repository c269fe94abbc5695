import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { ApiError } from '../../../src/http/client.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { CopyField } from '../shared/copy-field.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { NotFound } from '../shell/not-found.tsx'
import { DeliveryFacts } from './deliveries.tsx'
import { DeliveryActions } from './delivery-actions.tsx'
import type { DeliveryDetails } from './parts.tsx'

interface OfDelivery {
  readonly delivery: DeliveryDetails
}

/** Lists where the event differs from its schema, and says what to do. */
const Issues = ({ delivery: { verdict, issues } }: OfDelivery) => {
  const { t } = useI18n()
  if (verdict !== 'quarantined') return null
  return (
    <Panel title={t('billing.issues')}>
      <Facts
        rows={issues.map(({ path, expected, received }) => [path || '–', t('billing.issue', { expected, received })] as const)}
      />
      {issues.length === 0 ? <p className="panel-note">{t('billing.issuesNone')}</p> : null}
      <p className="panel-note">{t('billing.issuesRemedy')}</p>
    </Panel>
  )
}

/** The screen of a delivery: its content, its result, what it changed, and the actions on it. */
export const DeliveryScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { id = '' } = useParams()
  const input = { params: { id } }
  const { data: delivery, error, refetch } = useQuery(api.query(billingAdminContract, 'delivery', input))
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  if (delivery === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  const { event, headers } = delivery
  return (
    <Page
      title={delivery.type ?? t('billing.noType')}
      lead={delivery.webhookId}
      back={{ to: '/admin/billing/deliveries', text: t('billing.inbox') }}
      actions={<DeliveryActions delivery={delivery} />}
    >
      <div className="columns">
        <div className="column">
          <Issues delivery={delivery} />
          <Panel title={t('billing.delivery')}>
            <DeliveryFacts delivery={delivery} />
          </Panel>
          <Panel title={t('billing.headers')}>
            <Facts rows={Object.entries(headers).map(([name, value]) => [name, <code key={name}>{value}</code>] as const)} />
          </Panel>
        </div>
        <div className="column">
          <Panel title={t('billing.event')} actions={<ShowCall target={billingAdminContract.delivery} input={input} isQuery />}>
            {event === null ? (
              <p className="panel-note">{t('billing.eventNone')}</p>
            ) : (
              <div className="panel-body">
                <CopyField label={t('billing.eventNote')} value={JSON.stringify(event, null, 2)} isBlock />
              </div>
            )}
          </Panel>
        </div>
      </div>
    </Page>
  )
}
