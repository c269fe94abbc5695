import { useQuery } from '@tanstack/react-query'
import { rulesContract } from '../../../src/billing/dry-run/contract.ts'
import { seatsContract } from '../../../src/billing/seats/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterSelect } from '../shared/filters.tsx'
import { Named } from '../shared/named.tsx'
import { Page } from '../shared/page.tsx'
import { useList } from '../shared/use-list.ts'
import { OwnerLink } from './parts.tsx'

type OrganizationSeats = Answer<WireApi<typeof seatsContract>['seats']>['organizations'][number]

const states = ['over', 'full', 'free'] as const
const tones = { free: 'good', full: 'warn', over: 'bad' } as const

const linkOf = ({ organizationId, name }: OrganizationSeats) => ({ userId: null, organizationId, name })

const StateBadge = ({ state }: Pick<OrganizationSeats, 'state'>) => {
  const { t } = useI18n()
  return <Badge tone={tones[state]}>{t(`billing.seatState.${state}`)}</Badge>
}

/** Shows taken and available seats as a number and as a bar. */
const Taken = ({ row: { seats, members, invitations } }: { readonly row: OrganizationSeats }) => {
  const { t } = useI18n()
  const taken = members + invitations
  return (
    <span className="taken">
      {seats === null ? t('billing.takenOfAny', { taken }) : t('billing.takenOf', { taken, seats })}
      {seats === null ? null : <meter className="taken-bar" aria-hidden="true" min={0} max={Math.max(seats, 1)} value={taken} />}
    </span>
  )
}

const useColumns = (): readonly Column<OrganizationSeats>[] => {
  const { t } = useI18n()
  return [
    { id: 'organization', label: t('billing.anOrganization'), cell: (row) => <OwnerLink link={linkOf(row)} /> },
    { id: 'taken', label: t('billing.taken'), cell: (row) => <Taken row={row} /> },
    { id: 'state', label: t('billing.seatState'), cell: ({ state }) => <StateBadge state={state} /> },
    {
      id: 'customer',
      label: t('billing.customer'),
      isMinor: true,
      cell: ({ customers: [first] }) => (first === undefined ? '–' : <Named of={first} />),
    },
  ]
}

const SeatsPeek = ({ row }: { readonly row: OrganizationSeats }) => {
  const { t } = useI18n()
  const { seats, members, invitations, state, slug, customers } = row
  return (
    <>
      <Facts
        rows={[
          [t('billing.anOrganization'), <OwnerLink key="owner" link={linkOf(row)} />],
          [t('billing.slug'), slug],
          [t('billing.seatState'), <StateBadge key="state" state={state} />],
          [t('billing.paidSeats'), seats === null ? t('billing.unlimited') : String(seats)],
          [t('billing.members'), String(members)],
          [t('billing.invitations'), String(invitations)],
          [
            t('billing.customers'),
            <span key="customers">
              {customers.map((customer) => (
                <span key={customer.id} className="line-source">
                  <Named of={customer} />
                </span>
              ))}
            </span>,
          ],
        ]}
      />
      {state === 'free' ? null : <p className="panel-note">{t(`billing.seatText.${state}`)}</p>}
    </>
  )
}

/** The list of organizations with purchases: how many seats they have, and how many are taken. */
export const SeatsScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data: rules } = useQuery(api.query(rulesContract, 'entitlementRules'))
  const list = useList({ contract: seatsContract, name: 'seats', rows: 'organizations', filters: ['state'], isCounted: true })
  const hasRule = rules === undefined || rules.entitlements.some(({ quantity }) => quantity === 'seats')
  const free = rules?.freeSeats
  const lead =
    typeof free === 'number'
      ? t('billing.seatsLeadFree', { count: free })
      : hasRule
        ? t('billing.seatsLead')
        : t('billing.seatsNoRule')
  return (
    <Page title={t('billing.seatsTitle')} lead={lead}>
      <div className="filters">
        <FilterSelect
          list={list}
          name="state"
          label={t('billing.seatState')}
          options={states.map((state) => [state, t(`billing.seatState.${state}`)])}
        />
      </div>
      <DataTable
        label={t('billing.seatsTitle')}
        list={list}
        columns={useColumns()}
        idOf={({ organizationId }) => organizationId}
        nameOf={({ name }) => name}
        peek={(row) => <SeatsPeek row={row} />}
        empty={<Empty icon="building" title={t('billing.seatsEmpty')} text={t('billing.seatsEmptyText')} />}
      />
    </Page>
  )
}
