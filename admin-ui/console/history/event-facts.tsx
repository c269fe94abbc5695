import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { auditContract } from '../../../src/audit/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Facts } from '../shared/facts.tsx'
import { Id } from '../shared/id.tsx'
import { Named } from '../shared/named.tsx'
import { Time } from '../shared/time.tsx'
import '../styles/history.css'

export type ListedEvent = Answer<WireApi<typeof auditContract>['getEvent']>

const Data = ({ event: { data, mentions } }: { readonly event: ListedEvent }) => (
  <dl className="event-data">
    {Object.entries(data).map(([name, value]) => {
      const mentioned = mentions.find(({ id }) => id === value)
      return (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="break">
            {mentioned === undefined ? (
              <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
            ) : (
              <Named of={mentioned} />
            )}
          </dd>
        </div>
      )
    })}
  </dl>
)

const orNothing = (text: string | null, shown: ReactNode) => (text === null || text === '' ? undefined : shown)

/** All properties of an audit event. People and things are links to their screens. */
export const EventFacts = ({ event }: { readonly event: ListedEvent }) => {
  const { t } = useI18n()
  const { actor, subject, impersonator, organization, sessionId, reason, address, userAgent, requestId, position, hash } = event
  return (
    <Facts
      rows={[
        [t('history.when'), <Time key="when" at={event.occurredAt} exact />],
        [t('history.what'), <code key="what">{event.type}</code>],
        [t('history.who'), <Named key="who" of={actor} />],
        [t('history.impersonator'), impersonator === null ? undefined : <Named key="impersonator" of={impersonator} />],
        [
          t('history.whom'),
          <span key="whom" className="event-named">
            {event.subjectType} <Named of={subject} />
          </span>,
        ],
        [t('history.organization'), organization === null ? undefined : <Named key="organization" of={organization} />],
        [t('history.why'), orNothing(reason, reason)],
        [t('history.data'), Object.keys(event.data).length === 0 ? undefined : <Data key="data" event={event} />],
        [t('history.address'), orNothing(address, <code>{address}</code>)],
        [t('history.userAgent'), orNothing(userAgent, userAgent)],
        [t('history.session'), orNothing(sessionId, <Id id={sessionId ?? ''} />)],
        [
          t('history.request'),
          orNothing(
            requestId,
            <span className="event-named">
              <Id id={requestId} />
              <Link to={`/admin/events?${new URLSearchParams({ request: requestId })}`}>{t('history.sameRequest')}</Link>
            </span>,
          ),
        ],
        [t('history.id'), <Id key="id" id={event.id} />],
        [t('history.position'), position === null ? t('history.unsealed') : String(position)],
        [t('history.hash'), orNothing(hash, <Id id={hash ?? ''} />)],
      ]}
    />
  )
}
