import { Link } from 'react-router'
import { providerAdministrationContract } from '../../../src/authentication/methods/federated/administration/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Page } from '../shared/page.tsx'
import { useList } from '../shared/use-list.ts'

export type Provider = Answer<WireApi<typeof providerAdministrationContract>['adminListProviders']>['providers'][number]

const pathOf = ({ id }: Provider) => `/admin/providers/${encodeURIComponent(id)}`

const useColumns = (): readonly Column<Provider>[] => {
  const { t } = useI18n()
  return [
    { id: 'name', label: t('ways.provider'), cell: (provider) => <Link to={pathOf(provider)}>{provider.name}</Link> },
    { id: 'type', label: t('ways.type'), cell: ({ type }) => t(`ways.type.${type}`) },
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
