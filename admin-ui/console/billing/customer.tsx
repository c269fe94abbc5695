import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { ApiError } from '../../../src/http/client.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Id } from '../shared/id.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { CustomerEntitlements, UnusedPurchases } from './customer-entitlements.tsx'
import { CustomerEvents, ReceivedAbout } from './customer-history.tsx'
import { CustomerOwner } from './customer-link.tsx'
import { Benefits, Meters, Orders, Subscriptions } from './customer-purchases.tsx'
import { deliveriesOf, nameOfCustomer } from './parts.tsx'

/** Shown for a customer of whom no event is stored. Links to the deliveries that mention the customer. */
const UnknownCustomer = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  return (
    <Page title={id} back={{ to: '/admin/billing/customers', text: t('billing.customers') }}>
      <Panel title={t('billing.customer')}>
        <p className="panel-note">{t('billing.customerUnknown')}</p>
        <div className="panel-body">
          <Link className="button button-secondary" to={deliveriesOf(id)}>
            {t('billing.customerDeliveries')}
          </Link>
        </div>
      </Panel>
    </Page>
  )
}

/** The screen of a customer: owner, purchases and entitlements. */
export const CustomerScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { id = '' } = useParams()
  const input = { params: { id } }
  const { data: details, error, refetch } = useQuery(api.query(billingAdminContract, 'customer', input))
  // A delivery can name a customer although no event about that customer could be parsed. The server then answers 404.
  if (error instanceof ApiError && error.status === 404) return <UnknownCustomer id={id} />
  if (details === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  const { email, name, createdAt, deletedAt } = details.customer
  return (
    <Page
      title={nameOfCustomer(details.customer)}
      lead={email ?? id}
      back={{ to: '/admin/billing/customers', text: t('billing.customers') }}
      actions={<ShowCall target={billingAdminContract.customer} input={input} isQuery />}
    >
      <div className="columns">
        <div className="column">
          <CustomerOwner details={details} />
          <CustomerEntitlements details={details} />
          <UnusedPurchases details={details} />
          <Panel title={t('billing.customer')}>
            <Facts
              rows={[
                [t('billing.name'), name ?? t('billing.noName')],
                [t('billing.email'), email ?? undefined],
                [t('billing.createdAt'), <Time key="created" at={createdAt} exact />],
                [t('billing.deletedAt'), deletedAt === null ? undefined : <Time key="deleted" at={deletedAt} exact />],
                [t('billing.id'), <Id key="id" id={id} />],
              ]}
            />
          </Panel>
        </div>
        <div className="column">
          <Subscriptions details={details} />
          <Orders details={details} />
          <Benefits details={details} />
          <Meters details={details} />
          <ReceivedAbout details={details} />
          <CustomerEvents details={details} />
        </div>
      </div>
    </Page>
  )
}
