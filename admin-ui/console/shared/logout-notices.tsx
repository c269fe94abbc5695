import { Link } from 'react-router'
import { logoutContract } from '../../../src/oidc/logout/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Named } from './named.tsx'
import { PagedPanel } from './paged-panel.tsx'
import { ShowCall } from './show-call.tsx'
import { Time } from './time.tsx'

const tones = { waiting: 'warn', delivered: 'good', failed: 'bad', dropped: 'plain' } as const

/**
 * The logout notifications that were sent to applications when sessions ended, with times and the applications' responses. `of` selects
 * the notifications about one application or one user.
 */
export const LogoutNotices = ({ of }: { readonly of: { readonly clientId: string } | { readonly userId: string } }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const isOfPerson = 'userId' in of
  return (
    <PagedPanel
      title={t('logouts.title')}
      permission="clients:read"
      queryKey={[logoutContract.listLogoutNotices.path, isOfPerson ? of.userId : of.clientId]}
      load={async (place) => {
        const { notices, next, total } = await api.call(logoutContract, 'listLogoutNotices', {
          query: { ...of, limit: 10, ...place },
        })
        return { rows: notices, next, total }
      }}
      idOf={({ id }) => id}
      row={({ client, user, cause, state, attempts, answer, problem, createdAt, attemptedAt }) => (
        <div className="entry-text">
          <p className="entry-title">
            <Named of={isOfPerson ? client : user} /> <Badge tone={tones[state]}>{t(`logouts.${state}`)}</Badge>
            <span className="entry-aside">
              <Time at={attemptedAt ?? createdAt} /> <code>{cause}</code>
            </span>
          </p>
          <p className="entry-detail">
            {problem ?? (answer === null ? null : t('logouts.answer', { status: String(answer) }))}
            {attempts > 1 ? ` ${t('logouts.attempts', { count: attempts })}` : null}
            {state === 'failed' ? (
              <>
                {' '}
                <Link to="/admin/tasks?kind=oidc.logout&status=dead">{t('logouts.tasks')}</Link>
              </>
            ) : null}
          </p>
        </div>
      )}
      empty={t('logouts.none')}
      foot={
        <ShowCall
          target={logoutContract.listLogoutNotices}
          input={{ query: of }}
          command={['list-logout-notices', ...(isOfPerson ? ['--user', of.userId] : ['--client', of.clientId])]}
          isQuery
        />
      }
    />
  )
}
