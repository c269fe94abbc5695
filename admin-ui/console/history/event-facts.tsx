import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { auditContract } from '../../../src/audit/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'
import { Facts } from '../shared/facts.tsx'
import { Id } from '../shared/id.tsx'
import { ResourceLink } from '../shared/resource-link.tsx'
import { Time } from '../shared/time.tsx'
import '../styles/history.css'

export type ListedEvent = Answer<WireApi<typeof auditContract>['getEvent']>

const kinds = ['user', 'application', 'api-key', 'system', 'anonymous'] as const

/** The name of a kind of actor, translated where the console knows the kind. */
export const useKindName = () => {
  const { t } = useI18n()
  return (kind: string): string => {
    const known = kinds.find((one) => one === kind)
    return known === undefined ? kind : t(`history.kind.${known}`)
  }
}

/** The name of a person, or the id where the reader may not read users or the person no longer exists. */
const PersonLink = ({ id }: { readonly id: string }) => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('users:read')
  const { data } = useQuery({
    ...api.query(userAdministrationContract, 'adminGetUser', { params: { id } }),
    enabled: isAllowed,
    retry: false,
  })
  if (data === undefined) return <Id id={id} />
  return (
    <Link to={`/admin/users/${id}`} title={id}>
      {data.name} · {data.email}
    </Link>
  )
}

/** A link to the thing or person that an event names by kind and id. */
export const Named = ({ kind, id }: { readonly kind: string; readonly id: string }) =>
  kind === 'user' ? <PersonLink id={id} /> : <ResourceLink kind={kind} id={id} />

const Data = ({ data }: { readonly data: ListedEvent['data'] }) => (
  <dl className="event-data">
    {Object.entries(data).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd className="break">
          <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
        </dd>
      </div>
    ))}
  </dl>
)

const orNothing = (text: string | null, shown: ReactNode) => (text === null || text === '' ? undefined : shown)

/** All facts of an event. The things and people that the event names are links to their screens. */
export const EventFacts = ({ event }: { readonly event: ListedEvent }) => {
  const { t } = useI18n()
  const nameOf = useKindName()
  const { actorId, impersonatorId, sessionId, organizationId, reason, address, userAgent, requestId, position, hash } = event
  return (
    <Facts
      rows={[
        [t('history.when'), <Time key="when" at={event.occurredAt} exact />],
        [t('history.what'), <code key="what">{event.type}</code>],
        [t('history.who'), actorId === null ? nameOf(event.actorKind) : <Named key="who" kind={event.actorKind} id={actorId} />],
        [t('history.impersonator'), orNothing(impersonatorId, <Named kind="user" id={impersonatorId ?? ''} />)],
        [
          t('history.whom'),
          <span key="whom" className="event-named">
            {event.subjectType} <Named kind={event.subjectType} id={event.subjectId} />
          </span>,
        ],
        [t('history.organization'), orNothing(organizationId, <ResourceLink kind="organization" id={organizationId ?? ''} />)],
        [t('history.why'), orNothing(reason, reason)],
        [t('history.data'), Object.keys(event.data).length === 0 ? undefined : <Data key="data" data={event.data} />],
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
