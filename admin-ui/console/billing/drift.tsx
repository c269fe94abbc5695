import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { driftContract } from '../../../src/billing/drift/contract.ts'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { Id } from '../shared/id.tsx'
import { Named } from '../shared/named.tsx'
import { Page } from '../shared/page.tsx'
import { Line, Lines, QueryPanel } from '../shared/query-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useList } from '../shared/use-list.ts'
import { CompareState } from './compare-state.tsx'
import '../styles/billing.css'

type Renewal = Answer<WireApi<typeof billingAdminContract>['overdueRenewals']>['subscriptions'][number]

const Entitles = ({ until }: { readonly until: string | null }) => {
  const { t } = useI18n()
  if (until === null) return t('billing.untilEnd')
  return new Date(until) < new Date() ? (
    <Badge tone="bad">{t('billing.entitledUntil')}</Badge>
  ) : (
    <span>
      {t('billing.entitlesUntil')} <Time at={until} />
    </span>
  )
}

const useColumns = (): readonly Column<Renewal>[] => {
  const { t } = useI18n()
  return [
    { id: 'customer', label: t('billing.customer'), cell: ({ customer }) => <Named of={customer} /> },
    { id: 'product', label: t('billing.kind.product'), isMinor: true, cell: ({ productId }) => <code>{productId}</code> },
    { id: 'status', label: t('billing.status'), isMinor: true, cell: ({ status }) => <code>{status}</code> },
    {
      id: 'due',
      label: t('billing.renewalDue'),
      sort: 'renewalDueAt',
      cell: ({ currentPeriodEnd }) => <Time at={currentPeriodEnd} />,
    },
    { id: 'until', label: t('billing.consequence'), cell: ({ entitlesUntil }) => <Entitles until={entitlesUntil} /> },
  ]
}

const RenewalPeek = ({ renewal }: { readonly renewal: Renewal }) => {
  const { t } = useI18n()
  const { id, customer, productId, status, currentPeriodEnd, entitlesUntil } = renewal
  return (
    <>
      <Facts
        rows={[
          [t('billing.customer'), <Named key="customer" of={customer} />],
          [t('billing.source.subscription'), <Id key="id" id={id} />],
          [t('billing.kind.product'), <code key="product">{productId}</code>],
          [t('billing.status'), <code key="status">{status}</code>],
          [t('billing.renewalDue'), <Time key="due" at={currentPeriodEnd} exact />],
          [t('billing.consequence'), <Entitles key="until" until={entitlesUntil} />],
        ]}
      />
      <p className="panel-note">{t('billing.renewalsRemedy')}</p>
    </>
  )
}

/** Lists subscriptions whose paid period is over although no event has reported a renewal or an end. */
const Renewals = () => {
  const { t } = useI18n()
  const list = useList({
    contract: billingAdminContract,
    name: 'overdueRenewals',
    rows: 'subscriptions',
    filters: [],
    isCounted: true,
  })
  const columns = useColumns()
  return (
    <div className="drift-part">
      <h2>{t('billing.renewals')}</h2>
      <p className="page-lead">{t('billing.renewalsLead')}</p>
      <DataTable
        label={t('billing.renewals')}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ id }) => id}
        peek={(renewal) => <RenewalPeek renewal={renewal} />}
        empty={<Empty icon="check" title={t('billing.renewalsNone')} text={t('billing.renewalsNoneText')} />}
      />
    </div>
  )
}

/** Shows when the last event of the billing platform arrived, and which events could not be parsed. */
const LastWord = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { isAllowed } = usePermission('deliveries:read')
  const newest = useQuery({ ...api.query(billingAdminContract, 'deliveries', { query: { limit: 1 } }), enabled: isAllowed })
  const waiting = useQuery({
    ...api.query(billingAdminContract, 'deliveries', { query: { limit: 100, verdict: 'quarantined' } }),
    enabled: isAllowed,
  })
  if (newest.data === undefined || waiting.data === undefined) return null
  const [last] = newest.data.deliveries
  const count = waiting.data.deliveries.filter(({ dismissedAt }) => dismissedAt === null).length
  const isMore = waiting.data.next !== null
  return (
    <Panel title={t('billing.lastWord')}>
      <Facts
        rows={[
          [
            t('billing.lastDelivery'),
            last === undefined ? (
              t('billing.neverHeard')
            ) : (
              <span key="last">
                <code>{last.type ?? t('billing.noType')}</code> <Time at={last.receivedAt} exact />
              </span>
            ),
          ],
          [
            t('billing.notUnderstood'),
            count === 0 && !isMore ? (
              t('console.none')
            ) : (
              <Link key="waiting" to="/admin/billing/deliveries?verdict=quarantined">
                {t(isMore ? 'billing.waitingMore' : 'billing.waiting', { count })}
              </Link>
            ),
          ],
        ]}
      />
    </Panel>
  )
}

const reasons = [
  'NO_MATCHING_SIGNATURE_FOUND',
  'MISSING_REQUIRED_HEADERS',
  'INVALID_SIGNATURE_HEADERS',
  'MESSAGE_TIMESTAMP_TOO_OLD',
  'MESSAGE_TIMESTAMP_TOO_NEW',
] as const

/** Webhook requests that were refused before they were stored. If the billing platform signs with a wrong secret, its events are among them. */
const Rejections = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const reasonText = (code: string) => {
    const known = reasons.find((one) => one === code)
    return known === undefined ? code : t(`billing.reason.${known}`)
  }
  return (
    <QueryPanel
      title={t('billing.rejections')}
      permission="deliveries:read"
      actions={<ShowCall target={driftContract.rejections} command={['list-deliveries', '--refused']} isQuery />}
      query={api.query(driftContract, 'rejections')}
    >
      {({ rejections }) => (
        <Lines empty={t('billing.rejectionsNone')}>
          {rejections.slice(0, 10).map(({ endpoint, reason, network, count, lastSeenAt }) => (
            <Line
              key={`${endpoint} ${reason} ${network}`}
              title={reasonText(reason)}
              detail={`${endpoint} · ${network === '' ? t('billing.otherNetworks') : network}`}
            >
              {t('billing.times', { count })} · <Time at={lastSeenAt} />
            </Line>
          ))}
        </Lines>
      )}
    </QueryPanel>
  )
}

/**
 * The screen that shows signs of a difference between the stored billing state and the billing platform's state. The signs are found
 * without a call to the platform.
 */
export const DriftScreen = () => {
  const { t } = useI18n()
  return (
    <Page title={t('billing.drift')} lead={t('billing.driftLead')}>
      <Renewals />
      <div className="columns">
        <div className="column">
          <LastWord />
          <Rejections />
        </div>
        <CompareState />
      </div>
    </Page>
  )
}
