import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { providerAdministrationContract } from '../../../src/authentication/methods/federated/administration/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { statisticsContract } from '../../../src/statistics/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Page } from '../shared/page.tsx'
import { useList } from '../shared/use-list.ts'
import { mostCounted } from './provider-use.tsx'

export type Provider = Answer<WireApi<typeof providerAdministrationContract>['adminListProviders']>['providers'][number]

const pathOf = ({ id }: Provider) => `/admin/providers/${encodeURIComponent(id)}`

/** Sign-ins of the last thirty days by provider; undefined where they are not known, or not for this person. */
const useSignIns = () => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('health:read')
  const { data } = useQuery({ ...api.query(statisticsContract, 'statistics', { query: {} }), enabled: isAllowed })
  const counted = data?.series.filter(({ measure }) => measure === 'providerSignIns')
  // Only the largest are named where there are many.
  const rest = counted?.some(({ key }) => key === '*') ? undefined : 0
  return (id: string) => (counted === undefined ? undefined : (counted.find(({ key }) => key === id)?.total ?? rest))
}

const useColumns = (): readonly Column<Provider>[] => {
  const { t, locale } = useI18n()
  const signInsOf = useSignIns()
  const number = new Intl.NumberFormat(locale)
  return [
    { id: 'name', label: t('ways.provider'), cell: (provider) => <Link to={pathOf(provider)}>{provider.name}</Link> },
    { id: 'type', label: t('ways.type'), cell: ({ type }) => t(`ways.type.${type}`) },
    {
      id: 'accounts',
      label: t('ways.accounts'),
      cell: ({ accounts }) => (accounts > mostCounted ? t('ways.accountsMore', { count: mostCounted }) : number.format(accounts)),
    },
    {
      id: 'signIns',
      label: t('ways.signIns'),
      cell: ({ id }) => {
        const count = signInsOf(id)
        return count === undefined ? '–' : number.format(count)
      },
    },
    {
      id: 'clientId',
      label: t('ways.clientId'),
      isMinor: true,
      cell: ({ clientId }) => <code className="break">{clientId}</code>,
    },
    {
      id: 'scopes',
      label: t('ways.scopes'),
      isMinor: true,
      cell: ({ scopes }) => <span className="break">{scopes.join(' ')}</span>,
    },
    {
      id: 'signUp',
      label: t('ways.newPeople'),
      cell: ({ signUpEnabled }) => (
        <Badge tone={signUpEnabled ? 'good' : 'plain'}>{t(signUpEnabled ? 'ways.open' : 'ways.closed')}</Badge>
      ),
    },
    {
      id: 'trusts',
      label: t('ways.trustsEmail'),
      isMinor: true,
      cell: ({ trustsEmail }) => t(trustsEmail ? 'console.yes' : 'console.no'),
    },
  ]
}

/** The providers that people sign in with, as they are in effect. */
export const ProvidersScreen = () => {
  const { t } = useI18n()
  const list = useList({ contract: providerAdministrationContract, name: 'adminListProviders', rows: 'providers', filters: [] })
  return (
    <Page title={t('console.screen.providers')} lead={t('ways.providersLead')}>
      <DataTable
        label={t('console.screen.providers')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={pathOf}
        empty={<Empty icon="key" title={t('ways.providersEmpty')} text={t('ways.providersEmptyText')} />}
      />
    </Page>
  )
}
