import { useQuery } from '@tanstack/react-query'
import { billingOperationsContract } from '../../../src/billing/administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import { CopyField } from '../shared/copy-field.tsx'
import { Empty } from '../shared/empty.tsx'
import { Panel } from '../shared/facts.tsx'
import { Time } from '../shared/time.tsx'

const useEndpoints = () => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('deliveries:read')
  return useQuery({ ...api.query(billingOperationsContract, 'webhookEndpoints'), enabled: isAllowed }).data?.endpoints
}

/** Shown while no billing data exists. Explains how to connect the billing platform, with the webhook URL and a command that tests it. */
export const ConnectPlatform = ({ title, text }: { readonly title: string; readonly text: string }) => {
  const { t } = useI18n()
  const url = useEndpoints()?.[0]?.url ?? `${location.origin}/webhooks/polar`
  return (
    <>
      <Empty icon="card" title={title} text={text} />
      <Panel title={t('billing.connect')}>
        <ol className="steps-to">
          <li>
            <p>{t('billing.connectEndpoint')}</p>
            <CopyField label={t('billing.address')} value={url} />
          </li>
          <li>
            <p>{t('billing.connectSecret')}</p>
          </li>
          <li>
            <p>{t('billing.connectId')}</p>
          </li>
          <li>
            <CopyField label={t('billing.connectTry')} value="gatehouse simulate-event subscription.active --product prod_pro" />
          </li>
        </ol>
      </Panel>
    </>
  )
}

/** The webhook endpoints that receive events of the billing platform, each with the number of its secrets. */
export const EndpointsPanel = () => {
  const { t } = useI18n()
  const endpoints = useEndpoints()
  if (endpoints === undefined) return null
  return (
    <Panel title={t('billing.endpoints')}>
      {endpoints.length === 0 ? <p className="panel-note">{t('billing.endpointsNone')}</p> : null}
      <ul className="lines">
        {endpoints.map(({ name, url, secrets, isConfigured, updatedAt }) => (
          <li key={name} className="line">
            <span className="line-text">
              <span className="line-title">{name}</span>
              <span className="line-detail break">{url}</span>
            </span>
            <span className="line-end">
              {t('billing.secretCount', { count: secrets })}{' '}
              {isConfigured ? <Badge tone="plain">{t('billing.configured')}</Badge> : null}
              {updatedAt === null ? null : <Time at={updatedAt} />}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
