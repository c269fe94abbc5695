import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterField } from '../shared/filter-field.tsx'
import { FilterSelect, SearchBox } from '../shared/filters.tsx'
import { Id } from '../shared/id.tsx'
import { Page } from '../shared/page.tsx'
import { Time } from '../shared/time.tsx'
import { type List, useList } from '../shared/use-list.ts'
import { ConnectPlatform } from './connect.tsx'
import type { ListedCustomer } from './parts.tsx'
import { customerPath, LinkedBy, nameOfCustomer, OwnerLink } from './parts.tsx'
import { Amounts, PaymentBadge, PaymentTotals, paymentKey, paymentStatuses, Seats } from './payments.tsx'
import { useReason } from './why.ts'

const NameCell = ({ customer }: { readonly customer: ListedCustomer }) => (
  <span className="who-text">
    <Link to={customerPath(customer.id)} className="break">
      {nameOfCustomer(customer)}
    </Link>
    <span className="who-detail break">{customer.email ?? customer.id}</span>
  </span>
)

const useColumns = (): readonly Column<ListedCustomer>[] => {
  const { t } = useI18n()
  return [
    { id: 'customer', label: t('billing.customer'), cell: (customer) => <NameCell customer={customer} /> },
    { id: 'whose', label: t('billing.whose'), cell: ({ link }) => <OwnerLink link={link} /> },
    { id: 'plan', label: t('billing.planAndState'), cell: (customer) => <PaymentBadge customer={customer} /> },
    { id: 'amount', label: t('billing.amount'), cell: ({ subscriptions }) => <Amounts subscriptions={subscriptions} /> },
    { id: 'seats', label: t('billing.seatsTaken'), isMinor: true, cell: ({ seats }) => <Seats seats={seats} /> },
    {
      id: 'entitlements',
      label: t('billing.entitlements'),
      isMinor: true,
      cell: ({ entitlements }) => (entitlements.length === 0 ? '–' : <span className="break">{entitlements.join(', ')}</span>),
    },
    { id: 'why', label: t('billing.why'), isMinor: true, cell: ({ link }) => <LinkedBy link={link} /> },
    { id: 'createdAt', label: t('billing.createdAt'), sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

const CustomerPeek = ({ customer }: { readonly customer: ListedCustomer }) => {
  const { t } = useI18n()
  const { id, email, externalId, createdAt, deletedAt, link, subscriptions, seats, entitlements } = customer
  return (
    <Facts
      rows={[
        [t('billing.whose'), <OwnerLink key="whose" link={link} />],
        [t('billing.planAndState'), <PaymentBadge key="plan" customer={customer} />],
        [t('billing.amount'), <Amounts key="amount" subscriptions={subscriptions} />],
        [t('billing.seatsTaken'), <Seats key="seats" seats={seats} />],
        [t('billing.entitlements'), entitlements.length === 0 ? t('console.none') : entitlements.join(', ')],
        [t('billing.why'), useReason()(customer)],
        [t('billing.linkedAt'), link === null ? undefined : <Time key="linked" at={link.linkedAt} exact />],
        [t('billing.email'), email ?? undefined],
        [t('billing.externalId'), externalId === null ? undefined : <Id key="external" id={externalId} />],
        [t('billing.createdAt'), <Time key="created" at={createdAt} exact />],
        [t('billing.deletedAt'), deletedAt === null ? undefined : <Time key="deleted" at={deletedAt} exact />],
        [t('billing.id'), <Id key="id" id={id} />],
      ]}
    />
  )
}

/** The filters by plan and by entitlement. They offer the names that the present rules can grant. */
const NamesOfRules = ({ list }: { readonly list: List<ListedCustomer> }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data } = useQuery(api.query(billingAdminContract, 'paymentTotals'))
  const named = [
    ['plan', t('billing.planName'), data?.plans ?? []],
    ['entitlement', t('billing.entitlement'), data?.entitlements ?? []],
  ] as const
  return named.map(([name, label, names]) => {
    // If the address contains a name that no rule grants any more, for example in an old link, the filter still offers that name.
    const all = [...new Set([...names, ...(list.query[name] ? [list.query[name]] : [])])]
    if (all.length === 0) return null
    return <FilterSelect key={name} list={list} name={name} label={label} options={all.map((one) => [one, one])} />
  })
}

/** The list of the billing platform's customers, with their owners. */
export const CustomersScreen = () => {
  const { t } = useI18n()
  const list = useList({
    contract: billingAdminContract,
    name: 'customers',
    rows: 'customers',
    filters: ['search', 'email', 'payment', 'plan', 'entitlement', 'currency', 'externalId', 'unlinked'],
    isCounted: true,
  })
  return (
    <Page title={t('billing.customers')} lead={t('billing.customersLead')}>
      <PaymentTotals />
      <div className="filters">
        <SearchBox list={list} label={t('billing.search')} />
        <FilterSelect
          list={list}
          name="payment"
          label={t('billing.payment')}
          options={paymentStatuses.map((status) => [status, t(paymentKey(status))])}
        />
        <NamesOfRules list={list} />
        <FilterField list={list} name="currency" label={t('billing.currency')} hint="EUR" />
        <FilterSelect
          list={list}
          name="unlinked"
          label={t('billing.linked')}
          options={[
            ['false', t('console.yes')],
            ['true', t('console.no')],
          ]}
        />
        <FilterField list={list} name="externalId" label={t('billing.externalId')} />
      </div>
      <DataTable
        label={t('billing.customers')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={nameOfCustomer}
        hrefOf={({ id }) => customerPath(id)}
        peek={(customer) => <CustomerPeek customer={customer} />}
        empty={<ConnectPlatform title={t('billing.customersEmpty')} text={t('billing.customersEmptyText')} />}
      />
    </Page>
  )
}
