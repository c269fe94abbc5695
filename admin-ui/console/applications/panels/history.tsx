import { Link } from 'react-router'
import { auditContract } from '../../../../src/audit/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { Named } from '../../shared/named.tsx'
import { PagedPanel } from '../../shared/paged-panel.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { Time } from '../../shared/time.tsx'

/** The history of an application, newest first. */
export const HistoryPanel = ({ clientId }: { readonly clientId: string }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  return (
    <PagedPanel
      title={t('clients.events')}
      permission="events:read"
      queryKey={[auditContract.listEvents.path, 'of application', clientId]}
      load={async ({ after }) => {
        const { events, next } = await api.call(auditContract, 'listEvents', { query: { subject: clientId, limit: 10, after } })
        return { rows: events, next }
      }}
      idOf={({ id }) => id}
      row={({ id, type, occurredAt, actor, reason }) => (
        <div className="entry-text">
          <p className="entry-title">
            <Link to={`/admin/events/${id}`}>
              <code>{type}</code>
            </Link>
            <span className="entry-aside">
              <Time at={occurredAt} /> {t('clients.by')} <Named of={actor} />
            </span>
          </p>
          {reason === null ? null : <p className="entry-detail">{reason}</p>}
        </div>
      )}
      empty={t('clients.eventsNone')}
      foot={
        <ShowCall
          target={auditContract.listEvents}
          input={{ query: { subject: clientId } }}
          command={['list-audit', '--subject', clientId]}
          isQuery
        />
      }
    />
  )
}
