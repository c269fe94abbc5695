import { Link } from 'react-router'
import { auditContract } from '../../../../src/audit/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { Named } from '../../shared/named.tsx'
import { PagedPanel } from '../../shared/paged-panel.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { Time } from '../../shared/time.tsx'
import type { Organization } from '../parts.tsx'

/** The audit events of the organization, newest first. */
export const HistoryPanel = ({ organization: { id } }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { api, screens } = useConsole()
  const query = { organization: id }
  return (
    <PagedPanel
      title={t('organizations.history')}
      permission="events:read"
      queryKey={[auditContract.listEvents.path, 'of organization', id]}
      load={async ({ after }) => {
        const { events, next } = await api.call(auditContract, 'listEvents', { query: { ...query, limit: 10, after } })
        return { rows: events, next }
      }}
      idOf={(event) => event.id}
      row={(event) => (
        <div className="entry-text">
          <p className="entry-title">
            <Link to={`/admin/events/${event.id}`}>
              <code>{event.type}</code>
            </Link>
            {event.subjectId === id ? null : <Named of={event.subject} />}
            <span className="entry-aside">
              <Time at={event.occurredAt} /> {t('organizations.by')} <Named of={event.actor} />
            </span>
          </p>
          {event.reason === null ? null : <p className="entry-detail">{event.reason}</p>}
        </div>
      )}
      empty={t('organizations.historyNone')}
      foot={
        <>
          {screens.has('/admin/events') ? (
            <Link to={`/admin/events?${new URLSearchParams(query)}`}>{t('organizations.allEvents')}</Link>
          ) : null}
          <ShowCall target={auditContract.listEvents} input={{ query }} command={['list-audit', '--org', id]} isQuery />
        </>
      }
    />
  )
}
