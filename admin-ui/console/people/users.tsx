import { Link, useNavigate } from 'react-router'
import type { WireApi } from '../../../src/http/contract.ts'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Avatar } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
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
import { newUserPath } from './paths.ts'
import { FactorBadge, StateBadges } from './state.tsx'

export type AdministeredUser = Answer<WireApi<typeof userAdministrationContract>['adminGetUser']>

const NameCell = ({ user }: { readonly user: AdministeredUser }) => (
  <span className="who">
    <Avatar name={user.name} />
    <span className="who-text">
      <Link to={`/admin/users/${user.id}`}>{user.name}</Link>
      <span className="who-detail">{user.email}</span>
    </span>
  </span>
)

const useColumns = (isSearched: boolean): readonly Column<AdministeredUser>[] => {
  const { t } = useI18n()
  // The sort order to request. The server sorts search results by relevance, so a search sends no `sort`.
  const sorted = (sort: string) => (isSearched ? {} : { sort })
  return [
    { id: 'name', label: t('people.name'), ...sorted('name'), cell: (user) => <NameCell user={user} /> },
    { id: 'state', label: t('people.state'), cell: (user) => <StateBadges user={user} /> },
    { id: 'role', label: t('people.role'), isMinor: true, cell: ({ role }) => <code>{role}</code> },
    { id: 'factor', label: t('people.secondFactor'), isMinor: true, cell: (user) => <FactorBadge user={user} /> },
    { id: 'createdAt', label: t('people.createdAt'), ...sorted('createdAt'), cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

const UserPeek = ({ user }: { readonly user: AdministeredUser }) => {
  const { t } = useI18n()
  return (
    <Facts
      rows={[
        [t('people.email'), user.email],
        [t('people.state'), <StateBadges key="state" user={user} />],
        [t('people.secondFactor'), <FactorBadge key="factor" user={user} />],
        [t('people.roles'), <code key="role">{user.role}</code>],
        [t('people.createdAt'), <Time key="time" at={user.createdAt} exact />],
        [t('people.id'), <Id key="id" id={user.id} />],
      ]}
    />
  )
}

const NewButton = () => {
  const { t } = useI18n()
  const navigate = useNavigate()
  return (
    <ActionButton permission="users:create" kind="primary" icon="plus" onClick={() => void navigate(newUserPath)}>
      {t('people.new')}
    </ActionButton>
  )
}

/** The list of all users, page by page. The server searches, filters and sorts. */
export const UsersScreen = () => {
  const { t } = useI18n()
  const { access } = useConsole()
  const list = useList({
    contract: userAdministrationContract,
    name: 'adminListUsers',
    rows: 'users',
    filters: ['search', 'role', 'verified', 'banned', 'secondFactor'],
    isCounted: true,
  })
  const yesNo = [
    ['true', t('console.yes')],
    ['false', t('console.no')],
  ] as const
  const { search, role, verified, banned, secondFactor } = list.query
  const columns = useColumns(search !== undefined)
  return (
    <Page title={t('people.users')} lead={t('people.usersLead')} actions={<NewButton />}>
      <div className="filters">
        <SearchBox list={unsorted(list)} label={t('people.search')} />
        <FilterSelect list={list} name="role" label={t('people.role')} options={access.roles.map(({ name }) => [name, name])} />
        <FilterSelect list={list} name="banned" label={t('people.filterBanned')} options={yesNo} />
        <FilterSelect list={list} name="verified" label={t('people.filterVerified')} options={yesNo} />
        <FilterSelect
          list={list}
          name="secondFactor"
          label={t('people.secondFactor')}
          options={(['on', 'required', 'overdue'] as const).map((state) => [state, t(`people.factor.${state}`)])}
        />
      </div>
      <DataTable
        label={t('people.users')}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => `/admin/users/${id}`}
        peek={(user) => <UserPeek user={user} />}
        bulk={() => import('./bulk.tsx').then(({ UserBulk }) => UserBulk)}
        empty={
          <Empty icon="people" title={t('people.emptyTitle')} text={t('people.emptyText')}>
            <NewButton />
          </Empty>
        }
        command={[
          ...['list-users', ...(search ? ['--search', search] : []), ...(role ? ['--role', role] : [])],
          ...(verified ? ['--verified', verified] : []),
          ...(banned ? ['--banned', banned] : []),
          ...(secondFactor ? ['--second-factor', secondFactor] : []),
        ]}
      />
    </Page>
  )
}
