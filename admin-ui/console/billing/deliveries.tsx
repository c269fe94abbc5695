import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { useI18n } from '../../shared/text.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterName } from '../shared/filter-name.tsx'
import { FilterSelect, SearchBox } from '../shared/filters.tsx'
import { Id } from '../shared/id.tsx'
import { Page } from '../shared/page.tsx'
import { Time } from '../shared/time.tsx'
import { useLater } from '../shared/use-later.ts'
import { useList } from '../shared/use-list.ts'
import type { DeliveryFilter } from './bulk-replay.tsx'
import { ConnectPlatform, EndpointsPanel } from './connect.tsx'
import { DeliveryActions } from './delivery-actions.tsx'
import type { Delivery } from './parts.tsx'
import { DeliveredCustomer, deliveryPath, useEffectText, VerdictBadge, verdictOptions } from './parts.tsx'

const useColumns = (): readonly Column<Delivery>[] => {
  const { t } = useI18n()
  const effectText = useEffectText()
  return [
    {
      id: 'type',
      label: t('billing.type'),
      cell: ({ id, type }) => (
        <Link to={deliveryPath(id)}>
          <code className="break">{type ?? t('billing.noType')}</code>
        </Link>
      ),
    },
    { id: 'verdict', label: t('billing.verdict'), cell: (delivery) => <VerdictBadge delivery={delivery} /> },
    { id: 'effect', label: t('billing.effect'), isMinor: true, cell: ({ effect }) => effectText(effect) },
    {
      id: 'customer',
      label: t('billing.customer'),
      isMinor: true,
      cell: (delivery) => <DeliveredCustomer delivery={delivery} />,
    },
    { id: 'receivedAt', label: t('billing.receivedAt'), sort: 'receivedAt', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  ]
}

/** The properties of a delivery, without the event in its body. */
export const DeliveryFacts = ({ delivery }: { readonly delivery: Delivery }) => {
  const { t, number } = useI18n()
  const effectText = useEffectText()
  const { id, type, customer, endpoint, webhookId, receivedAt, appliedAt, dismissedAt, effect, attempts } = delivery
  return (
    <Facts
      rows={[
        [t('billing.type'), <code key="type">{type ?? t('billing.noType')}</code>],
        [t('billing.verdict'), <VerdictBadge key="verdict" delivery={delivery} />],
        [t('billing.effect'), effectText(effect)],
        [t('billing.customer'), customer === null ? undefined : <DeliveredCustomer key="customer" delivery={delivery} />],
        [t('billing.receivedAt'), <Time key="received" at={receivedAt} exact />],
        [t('billing.appliedAt'), appliedAt === null ? undefined : <Time key="applied" at={appliedAt} exact />],
        [t('billing.dismissedAt'), dismissedAt === null ? undefined : <Time key="dismissed" at={dismissedAt} exact />],
        [t('billing.attempts'), number(attempts)],
        [t('billing.endpoint'), endpoint],
        [t('billing.webhookId'), <Id key="webhook" id={webhookId} />],
        [t('billing.id'), <Id key="id" id={id} />],
      ]}
    />
  )
}

/** Replays the deliveries that match the filter, page by page. Without a filter, it replays only quarantined deliveries. */
const ReplayAll = ({ filter }: { readonly filter: DeliveryFilter }) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  const BulkReplay = useLater(() => import('./bulk-replay.tsx').then((file) => file.BulkReplay), 'consoleLists')
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <>
      <ActionButton permission="deliveries:update" icon="refresh" onClick={() => setIsOpen(true)}>
        {t(isFiltered ? 'billing.bulkMatching' : 'billing.bulkQuarantined')}
      </ActionButton>
      {isOpen ? (
        <Suspense fallback={null}>
          <BulkReplay filter={isFiltered ? filter : { verdict: 'quarantined' }} onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

/** The inbox: the deliveries of the billing platform. For each delivery it shows whether its event could be parsed, and what it changed. */
export const DeliveriesScreen = () => {
  const { t } = useI18n()
  const list = useList({
    contract: billingAdminContract,
    name: 'deliveries',
    rows: 'deliveries',
    filters: ['type', 'verdict', 'customerId'],
    isCounted: true,
  })
  const { type, verdict, customerId } = list.query
  return (
    <Page title={t('billing.inbox')} lead={t('billing.inboxLead')} actions={<ReplayAll filter={{ type, verdict, customerId }} />}>
      <div className="filters">
        <SearchBox list={list} name="type" label={t('billing.searchType')} />
        <FilterSelect
          list={list}
          name="verdict"
          label={t('billing.verdict')}
          options={verdictOptions.map((one) => [one, t(`billing.verdict.${one}`)])}
        />
        <FilterName
          list={list}
          name="customerId"
          label={t('billing.customer')}
          kinds={['customer']}
          known={({ customer }) => [customer]}
        />
      </div>
      <DataTable
        label={t('billing.inbox')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ type: name, id }) => name ?? id}
        hrefOf={({ id }) => deliveryPath(id)}
        peek={(delivery) => (
          <>
            <DeliveryFacts delivery={delivery} />
            <DeliveryActions delivery={delivery} />
          </>
        )}
        bulk={() => import('./bulk.tsx').then(({ DeliveryBulk }) => DeliveryBulk)}
        empty={<ConnectPlatform title={t('billing.inboxEmpty')} text={t('billing.inboxEmptyText')} />}
        command={[
          'list-deliveries',
          ...(verdict ? ['--verdict', verdict] : []),
          ...(type ? ['--type', type] : []),
          ...(customerId ? ['--customer', customerId] : []),
        ]}
      />
      <EndpointsPanel />
    </Page>
  )
}
