import { Link } from 'react-router'
import { auditContract } from '../../../src/audit/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Named } from '../shared/named.tsx'
import { Line, Lines, QueryPanel } from '../shared/query-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import type { AdministeredUser } from './users.tsx'

/** The latest audit events about the user: what happened, when, from where and why. */
export const UserTimeline = ({ user }: { readonly user: AdministeredUser }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const input = { query: { subject: user.id, limit: 20 } }
  return (
    <QueryPanel
      title={t('people.timeline')}
      permission="events:read"
      actions={
        <ShowCall target={auditContract.listEvents} input={input} command={['list-audit', '--subject', user.id]} isQuery />
      }
      query={api.query(auditContract, 'listEvents', input)}
    >
      {({ events }) => (
        <Lines empty={t('people.timelineNone')}>
          {events.map(({ id, type, occurredAt, actor, impersonator, address, reason }) => (
            <Line
              key={id}
              title={
                <>
                  <Link to={`/admin/events/${id}`}>
                    <code>{type}</code>
                  </Link>{' '}
                  {actor.kind === 'anonymous' ? null : (
                    <span className="entry-by">
                      {t('console.by')} <Named of={actor} />
                      {impersonator === null ? null : (
                        <>
                          {' ('}
                          <Named of={impersonator} />)
                        </>
                      )}
                    </span>
                  )}
                </>
              }
              detail={[address, reason].filter((part) => part !== null && part !== '').join(' · ')}
            >
              <Time at={occurredAt} />
            </Line>
          ))}
        </Lines>
      )}
    </QueryPanel>
  )
}
