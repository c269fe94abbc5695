import { Link, useNavigate } from 'react-router'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
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
import type { ListedOrganization } from './parts.tsx'
import { FactorRule } from './parts.tsx'
import { newOrganizationPath, organizationPath } from './paths.ts'

const useColumns = (isSearched: boolean): readonly Column<ListedOrganization>[] => {
  const { t, number } = useI18n()
  // The sort order to request. The server sorts search results by relevance and results of a time range by time, so a search sends no
  // `sort`.
  const sorted = (sort: string) => (isSearched ? {} : { sort })
  return [
    {
      id: 'name',
      label: t('organizations.name'),
      ...sorted('name'),
      cell: ({ id, name, slug, logo }) => (
        <span className="who">
          <AppTile name={name} logo={logo} />
          <span className="who-text">
            <Link to={organizationPath(id)}>{name}</Link>
            <span className="who-detail">{slug}</span>
          </span>
        </span>
      ),
    },
    { id: 'members', label: t('organizations.members'), cell: ({ memberCount }) => number(memberCount) },
    { id: 'slug', label: t('organizations.slug'), isMinor: true, ...sorted('slug'), cell: ({ slug }) => <code>{slug}</code> },
    {
      id: 'factor',
      label: t('organizations.secondFactor'),
      isMinor: true,
      cell: (organization) => <FactorRule organization={organization} />,
    },
    {
      id: 'createdAt',
      label: t('organizations.createdAt'),
      ...sorted('createdAt'),
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

const OrganizationPeek = ({ organization }: { readonly organization: ListedOrganization }) => {
  const { t, number } = useI18n()
  return (
    <Facts
      rows={[
        [t('organizations.slug'), <code key="slug">{organization.slug}</code>],
        [t('organizations.members'), number(organization.memberCount)],
        [t('organizations.secondFactor'), <FactorRule key="factor" organization={organization} />],
        [t('organizations.createdAt'), <Time key="created" at={organization.createdAt} exact />],
        [t('organizations.id'), <Id key="id" id={organization.id} />],
      ]}
    />
  )
}

const days = [7, 30, 365] as const

/** Options of the filter by time. Each begins at the start of a day, so that the address of the filtered list stays the same for a day. */
const sinceOptions = (now: number) =>
  days.map((count) => [new Date(Math.floor(now / 86_400_000 - count) * 86_400_000).toISOString(), count] as const)

const NewButton = () => {
  const { t } = useI18n()
  const navigate = useNavigate()
  return (
    <ActionButton
      permission="all-organizations:create"
      kind="primary"
      icon="plus"
      onClick={() => void navigate(newOrganizationPath)}
    >
      {t('organizations.new')}
    </ActionButton>
  )
}

/** The list of all organizations, page by page. */
export const OrganizationsScreen = () => {
  const { t, date } = useI18n()
  const list = useList({
    contract: organizationAdministrationContract,
    name: 'adminListOrganizations',
    rows: 'organizations',
    filters: ['search', 'createdSince'],
    isCounted: true,
  })
  const { search, createdSince } = list.query
  const known = sinceOptions(Date.now()).map(([at, count]) => [at, t('organizations.sinceDays', { count })] as const)
  const isKnown = createdSince === undefined || known.some(([at]) => at === createdSince)
  return (
    <Page title={t('organizations.title')} lead={t('organizations.lead')} actions={<NewButton />}>
      <div className="filters">
        <SearchBox list={unsorted(list)} label={t('organizations.search')} />
        <FilterSelect
          list={unsorted(list)}
          name="createdSince"
          label={t('organizations.createdAt')}
          options={isKnown ? known : [...known, [createdSince, date(createdSince)]]}
        />
      </div>
      <DataTable
        label={t('organizations.title')}
        list={list}
        columns={useColumns(search !== undefined || createdSince !== undefined)}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => organizationPath(id)}
        peek={(organization) => <OrganizationPeek organization={organization} />}
        bulk={() => import('./bulk.tsx').then(({ OrganizationBulk }) => OrganizationBulk)}
        empty={
          <Empty icon="building" title={t('organizations.empty')} text={t('organizations.emptyText')}>
            <NewButton />
          </Empty>
        }
        command={['list-orgs', ...(search ? ['--search', search] : [])]}
      />
    </Page>
  )
}
