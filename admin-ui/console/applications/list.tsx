import { Link, useNavigate } from 'react-router'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { AppTile } from '../../shared/ui.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterSelect, SearchBox } from '../shared/filters.tsx'
import { Id } from '../shared/id.tsx'
import { Page } from '../shared/page.tsx'
import { Time } from '../shared/time.tsx'
import { unsorted, useList } from '../shared/use-list.ts'
import type { Application } from './parts.tsx'
import { StateBadge, Words } from './parts.tsx'
import { applicationPath, newApplicationPath } from './paths.ts'

const useColumns = (isSearched: boolean): readonly Column<Application>[] => {
  const { t } = useI18n()
  return [
    {
      id: 'name',
      label: t('clients.name'),
      sort: 'name',
      cell: ({ clientId, name, logo }) => (
        <span className="who">
          <AppTile name={name} logo={logo} />
          <Link to={applicationPath(clientId)}>{name}</Link>
        </span>
      ),
    },
    { id: 'type', label: t('clients.kind'), cell: ({ type }) => t(`clients.kind.${type}`) },
    { id: 'clientId', label: t('clients.id'), cell: ({ clientId }) => <Id id={clientId} /> },
    {
      id: 'registeredBy',
      label: t('clients.registeredBy'),
      isMinor: true,
      cell: ({ registeredBy, review }) =>
        `${t(`clients.registeredBy.${registeredBy}`)}${review === null ? '' : ` · ${t(`clients.review.${review}`)}`}`,
    },
    { id: 'state', label: t('clients.state'), isMinor: true, cell: (application) => <StateBadge application={application} /> },
    {
      id: 'createdAt',
      label: t('clients.createdAt'),
      // The server sorts search results by name, so a search sends no `sort`.
      ...(isSearched ? {} : { sort: 'createdAt' }),
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

const ApplicationPeek = ({ application }: { readonly application: Application }) => {
  const { t } = useI18n()
  return (
    <Facts
      rows={[
        [t('clients.state'), <StateBadge key="state" application={application} />],
        [t('clients.kind'), t(`clients.kind.${application.type}`)],
        [t('clients.id'), <Id key="id" id={application.clientId} />],
        [t('clients.redirectUris'), <Words key="redirects" words={application.redirectUris} />],
        [t('clients.registeredBy'), t(`clients.registeredBy.${application.registeredBy}`)],
        [t('clients.createdAt'), <Time key="created" at={application.createdAt} exact />],
      ]}
    />
  )
}

const NewButton = () => {
  const { t } = useI18n()
  const navigate = useNavigate()
  return (
    <ActionButton permission="clients:create" kind="primary" icon="plus" onClick={() => void navigate(newApplicationPath)}>
      {t('clients.new')}
    </ActionButton>
  )
}

/** All applications, page by page. */
export const ApplicationsScreen = () => {
  const { t } = useI18n()
  const list = useList({
    contract: applicationContract,
    name: 'listApplications',
    rows: 'clients',
    filters: ['search', 'type', 'disabled'],
    isCounted: true,
  })
  const { search, type, disabled } = list.query
  const columns = useColumns(search !== undefined)
  return (
    <Page title={t('clients.title')} lead={t('clients.lead')} actions={<NewButton />}>
      <div className="filters">
        <SearchBox list={unsorted(list)} label={t('clients.search')} />
        <FilterSelect
          list={list}
          name="type"
          label={t('clients.kind')}
          options={(['web', 'spa', 'native', 'machine'] as const).map((kind) => [kind, t(`clients.kind.${kind}`)])}
        />
        <FilterSelect
          list={list}
          name="disabled"
          label={t('clients.disabled')}
          options={[
            ['true', t('console.yes')],
            ['false', t('console.no')],
          ]}
        />
      </div>
      <DataTable
        label={t('clients.title')}
        list={list}
        columns={columns}
        idOf={({ clientId }) => clientId}
        nameOf={({ name }) => name}
        hrefOf={({ clientId }) => applicationPath(clientId)}
        peek={(application) => <ApplicationPeek application={application} />}
        empty={
          <Empty icon="apps" title={t('clients.empty')} text={t('clients.emptyText')}>
            <NewButton />
          </Empty>
        }
        command={[
          'list-clients',
          ...(search ? ['--search', search] : []),
          ...(type ? ['--type', type] : []),
          ...(disabled ? [disabled === 'true' ? '--disabled' : '--enabled'] : []),
        ]}
      />
    </Page>
  )
}
