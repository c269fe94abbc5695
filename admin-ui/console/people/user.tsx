import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useParams } from 'react-router'
import { ApiError } from '../../../src/http/client.ts'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import { useI18n } from '../../shared/text.tsx'
import { Avatar } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Id } from '../shared/id.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { Time } from '../shared/time.tsx'
import { useLater } from '../shared/use-later.ts'
import { NotFound } from '../shell/not-found.tsx'
import { FactorBadge, StateBadges } from './state.tsx'
import { UserActions } from './user-actions.tsx'
import { UserApplications, UserEntitlements, UserInvitations, UserMails, UserOrganizations } from './user-belongings.tsx'
import { UserFactors, UserIdentities } from './user-methods.tsx'
import { EditProfile, VerifyAddress } from './user-profile.tsx'
import { UserSessions } from './user-sessions.tsx'
import { UserTimeline } from './user-timeline.tsx'
import type { AdministeredUser } from './users.tsx'

const Profile = ({ user }: { readonly user: AdministeredUser }) => {
  const { t } = useI18n()
  const { username } = user as { readonly username?: string | null }
  return (
    <Panel
      title={t('people.profile')}
      actions={
        <>
          <VerifyAddress user={user} />
          <EditProfile user={user} />
        </>
      }
    >
      <Facts
        rows={[
          [t('people.state'), <StateBadges key="state" user={user} />],
          [
            t('people.banReason'),
            user.banned ? (
              <span key="reason">
                {user.banReason ?? t('console.none')}
                {user.banExpires === null ? null : (
                  <>
                    {' · '}
                    <Time at={user.banExpires} exact />
                  </>
                )}
              </span>
            ) : undefined,
          ],
          [t('people.email'), user.email],
          [t('people.userName'), username ?? undefined],
          [t('people.secondFactor'), <FactorBadge key="factor" user={user} />],
          [t('people.roles'), <code key="role">{user.role}</code>],
          [t('people.createdAt'), <Time key="created" at={user.createdAt} exact />],
          [t('people.updatedAt'), <Time key="updated" at={user.updatedAt} exact />],
          [t('people.id'), <Id key="id" id={user.id} />],
        ]}
      />
    </Panel>
  )
}

/** The panel of logout notifications uses the texts of the group "applications", so they are loaded together with its code. */
const loadNotices = () => import('../shared/logout-notices.tsx').then(({ LogoutNotices }) => LogoutNotices)

/** The screen of a user: all data about the user, and the possible actions. */
export const UserScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { id = '' } = useParams()
  const LogoutNotices = useLater(loadNotices, 'consoleApplications')
  const { data: user, error, refetch } = useQuery(api.query(userAdministrationContract, 'adminGetUser', { params: { id } }))
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  if (user === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return (
    <Page
      title={user.name}
      mark={<Avatar name={user.name} size="large" />}
      lead={user.email}
      actions={<UserActions user={user} />}
      back={{ to: '/admin/users', text: t('people.users') }}
    >
      <div className="columns">
        <div className="column">
          <Profile user={user} />
          <UserIdentities user={user} />
          <UserFactors user={user} />
          <UserEntitlements user={user} />
        </div>
        <div className="column">
          <UserSessions user={user} />
          <UserOrganizations user={user} />
          <UserInvitations user={user} />
          <UserMails user={user} />
          <UserApplications user={user} />
          <UserTimeline user={user} />
          <Suspense fallback={null}>
            <LogoutNotices of={{ userId: user.id }} />
          </Suspense>
        </div>
      </div>
    </Page>
  )
}
