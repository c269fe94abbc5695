import { useState } from 'react'
import { sessionAdministrationContract } from '../../../src/authentication/sessions/administration/contract.ts'
import { administrationContract } from '../../../src/identity/users/administration/contract/actions.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { PagedPanel } from '../shared/paged-panel.tsx'
import { LineContent } from '../shared/query-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useDeviceName } from '../shared/use-device-name.ts'
import { useUndo } from '../shared/use-undo.tsx'
import type { AdministeredUser } from './users.tsx'

const EndAll = ({ user }: { readonly user: AdministeredUser }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [count, setCount] = useState<{ readonly sessions: number; readonly isMore: boolean }>()
  const end = useChange(administrationContract, 'revokeUserSessions', t('people.sessionsEnded'))
  const body = { userId: user.id }
  // Counts the sessions again before the dialog opens, because the data of the page may be a minute old.
  const ask = async () => {
    const page = await api.call(sessionAdministrationContract, 'adminListSessionsOfUser', {
      params: { id: user.id },
      query: { limit: 100 },
    })
    setCount({ sessions: page.sessions.length, isMore: page.next !== null })
  }
  return (
    <>
      <ActionButton permission="user-sessions:delete" onClick={() => void ask()}>
        {t('people.endSessions')}
      </ActionButton>
      {count === undefined ? null : (
        <Confirm
          title={t('people.endSessionsOf', { name: user.name })}
          consequences={[
            count.isMore ? t('people.sessionsManyEnd') : t('people.sessionsEnd', { count: count.sessions }),
            t('people.tokensEnd'),
          ]}
          action={t('people.endSessions')}
          reason="optional"
          foot={
            <ShowCall
              target={administrationContract.revokeUserSessions}
              input={{ body }}
              command={['end-sessions', '--user', user.email]}
            />
          }
          onConfirm={(reason) => end({ body, reason })}
          onClose={() => setCount(undefined)}
        />
      )}
    </>
  )
}

/** A panel with the sessions of the user. Each has a button that ends it. */
export const UserSessions = ({ user }: { readonly user: AdministeredUser }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const end = useChange(sessionAdministrationContract, 'adminEndSession')
  const deviceName = useDeviceName()
  const undo = useUndo()
  return (
    <PagedPanel
      title={t('people.sessions')}
      permission="user-sessions:read"
      actions={<EndAll user={user} />}
      queryKey={[sessionAdministrationContract.adminListSessionsOfUser.path, user.id]}
      load={async (place) => {
        const { sessions, next, total } = await api.call(sessionAdministrationContract, 'adminListSessionsOfUser', {
          params: { id: user.id },
          query: { limit: 10, ...place },
        })
        return { rows: sessions, next, total }
      }}
      idOf={({ id }) => id}
      row={({ id, userAgent, ipAddress, updatedAt, impersonatedBy }) => (
        <LineContent
          title={
            <>
              {deviceName({ userAgent })} {impersonatedBy === null ? null : <Badge tone="warn">{t('people.impersonated')}</Badge>}
            </>
          }
          detail={
            <>
              {ipAddress} · <Time at={updatedAt} />
            </>
          }
        >
          <ActionButton
            permission="user-sessions:delete"
            onClick={() => undo(t('people.sessionEnding', { name: user.name }), () => end({ params: { id } }))}
          >
            {t('people.end')}
          </ActionButton>
        </LineContent>
      )}
      empty={t('people.sessionsNone')}
    />
  )
}
