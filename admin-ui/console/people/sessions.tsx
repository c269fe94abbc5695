import { Link } from 'react-router'
import { sessionAdministrationContract } from '../../../src/authentication/sessions/administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterName } from '../shared/filter-name.tsx'
import { SearchBox } from '../shared/filters.tsx'
import { Id } from '../shared/id.tsx'
import { Named } from '../shared/named.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useDeviceName } from '../shared/use-device-name.ts'
import { useList } from '../shared/use-list.ts'
import { useUndo } from '../shared/use-undo.tsx'

/** The list of the sessions of all users, newest first. */
export const SessionsScreen = () => {
  const { t } = useI18n()
  const list = useList({
    contract: sessionAdministrationContract,
    name: 'adminListSessions',
    rows: 'sessions',
    filters: ['ipAddress', 'userId'],
    isCounted: true,
  })
  const end = useChange(sessionAdministrationContract, 'adminEndSession')
  const deviceName = useDeviceName()
  const undo = useUndo()
  return (
    <Page title={t('people.sessions')} lead={t('people.sessionsLead')}>
      <div className="filters">
        <SearchBox list={list} name="ipAddress" label={t('people.searchAddress')} />
        <FilterName
          list={list}
          name="userId"
          label={t('people.person')}
          kinds={['user']}
          known={({ user }) => [{ kind: 'user', ...user }]}
        />
      </div>
      <DataTable
        label={t('people.sessions')}
        list={list}
        columns={[
          {
            id: 'person',
            label: t('people.person'),
            cell: ({ user }) => (
              <span className="who-text">
                <Link to={`/admin/users/${user.id}`}>{user.name}</Link>
                <span className="who-detail">{user.email}</span>
              </span>
            ),
          },
          {
            id: 'device',
            label: t('people.device'),
            cell: (session) =>
              session.impersonatedBy === null ? deviceName(session) : <Badge tone="warn">{t('people.impersonated')}</Badge>,
          },
          { id: 'address', label: t('people.address'), isMinor: true, cell: ({ ipAddress }) => <code>{ipAddress}</code> },
          { id: 'createdAt', label: t('people.startedAt'), sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { id: 'updatedAt', label: t('people.lastUsed'), isMinor: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
        idOf={({ id }) => id}
        nameOf={({ user }) => user.name}
        peek={(session) => (
          <>
            <Facts
              rows={[
                [
                  t('people.person'),
                  <Link key="person" to={`/admin/users/${session.userId}`}>
                    {session.user.email}
                  </Link>,
                ],
                [t('people.device'), deviceName(session)],
                [
                  t('people.impersonator'),
                  session.impersonator === null ? undefined : <Named key="impersonator" of={session.impersonator} />,
                ],
                [
                  t('people.organization'),
                  session.organization === null ? undefined : <Named key="organization" of={session.organization} />,
                ],
                [t('people.address'), <code key="address">{session.ipAddress}</code>],
                [t('people.startedAt'), <Time key="started" at={session.createdAt} exact />],
                [t('people.endsAt'), <Time key="ends" at={session.expiresAt} exact />],
                [t('people.id'), <Id key="id" id={session.id} />],
              ]}
            />
            <ActionButton
              permission="user-sessions:delete"
              onClick={() =>
                undo(t('people.sessionEnding', { name: session.user.name }), () => end({ params: { id: session.id } }))
              }
            >
              {t('people.endSession')}
            </ActionButton>
            <ShowCall target={sessionAdministrationContract.adminEndSession} input={{ params: { id: session.id } }} />
          </>
        )}
        bulk={() => import('./bulk.tsx').then(({ SessionBulk }) => SessionBulk)}
        empty={<Empty icon="device" title={t('people.sessionsEmpty')} text={t('people.sessionsEmptyText')} />}
      />
    </Page>
  )
}
