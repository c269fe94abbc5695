import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { auditContract } from '../../../src/audit/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { NotFound } from '../shell/not-found.tsx'
import { EventFacts } from './event-facts.tsx'

/** The screen of one audit event. It has an address of its own that people can share. */
export const EventScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { id = '' } = useParams()
  const input = { params: { id } }
  const { data: event, error, refetch } = useQuery(api.query(auditContract, 'getEvent', input))
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  if (event === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return (
    <Page
      title={event.type}
      back={{ to: '/admin/events', text: t('history.events') }}
      actions={
        <Link className="button button-secondary" to={`/admin/events?${new URLSearchParams({ subject: event.subjectId })}`}>
          {t('history.sameSubject')}
        </Link>
      }
    >
      <Panel title={t('history.data')} actions={<ShowCall target={auditContract.getEvent} input={input} isQuery />}>
        <EventFacts event={event} />
      </Panel>
    </Page>
  )
}
