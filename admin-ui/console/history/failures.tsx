import { Link } from 'react-router'
import { explanationContract } from '../../../src/authentication/explanation/contract.ts'
import { withQuery } from '../../../src/core/web.ts'
import { useI18n } from '../../shared/text.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterField } from '../shared/filter-field.tsx'
import { FilterSelect } from '../shared/filters.tsx'
import { Named } from '../shared/named.tsx'
import { Page } from '../shared/page.tsx'
import { useReasonName } from '../shared/reasons.ts'
import { RemedyLink } from '../shared/remedy.tsx'
import { Time } from '../shared/time.tsx'
import { useList } from '../shared/use-list.ts'
import { useFailureOptions } from './failure-names.ts'
import { MoreFilters } from './filter-fields.tsx'

const filters = ['reason', 'address', 'userId', 'clientId', 'method', 'provider', 'since', 'until'] as const
/** Flags of the command whose names differ from the names of the filters. */
const flags: Readonly<Record<string, string>> = { userId: 'user', clientId: 'client', reason: 'why' }
const story = '/admin/sign-ins/explanation'

/** The list of failed sign-ins with explanations, newest first. */
export const FailuresScreen = () => {
  const { t } = useI18n()
  const reasonOf = useReasonName()
  const { methods, reasons } = useFailureOptions()
  const list = useList({ contract: explanationContract, name: 'listSignInFailures', rows: 'failures', filters, isCounted: true })
  const given = filters.flatMap((name) => {
    const value = list.query[name]
    return value === undefined ? [] : [`--${flags[name] ?? name}`, value]
  })
  return (
    <Page title={t('console.screen.failures')} lead={t('history.failuresLead')}>
      <div className="filters">
        <FilterSelect list={list} name="method" label={t('history.method')} options={methods} />
        <FilterSelect list={list} name="reason" label={t('history.reason')} options={reasons} />
        <FilterField list={list} name="address" label={t('history.address')} />
        <MoreFilters
          list={list}
          fields={[
            ['userId', t('history.person'), { kinds: ['user'], known: ({ user }) => [user] }],
            ['clientId', t('history.kind.application'), { kinds: ['application'], known: ({ application }) => [application] }],
            ['provider', t('history.provider')],
            ['since', t('history.since'), true],
            ['until', t('history.until'), true],
          ]}
        />
      </div>
      <DataTable
        label={t('console.screen.failures')}
        list={list}
        columns={[
          { id: 'when', label: t('history.when'), sort: 'occurredAt', cell: ({ at }) => <Time at={at} /> },
          { id: 'why', label: t('history.why'), cell: ({ what }) => reasonOf(what) },
          {
            id: 'whom',
            label: t('history.whom'),
            cell: ({ user, application }) => (
              <span className="event-named">
                {user === null ? '–' : <Named of={user} />}
                {application === null ? null : <Named of={application} />}
              </span>
            ),
          },
          { id: 'address', label: t('history.address'), isMinor: true, cell: ({ address }) => <code>{address}</code> },
          { id: 'attempts', label: t('history.attemptCount'), isMinor: true, cell: ({ attempts }) => String(attempts) },
        ]}
        idOf={({ id }) => id}
        nameOf={({ what }) => reasonOf(what)}
        peek={({
          at,
          lastAt,
          what,
          detail,
          remedy,
          code,
          userId,
          user,
          provider,
          application,
          address,
          userAgent,
          requestId,
          attempts,
        }) => (
          <>
            <Facts
              rows={[
                [t('history.when'), <Time key="at" at={at} exact />],
                [t('history.lastAttempt'), attempts > 1 ? <Time key="last" at={lastAt} exact /> : undefined],
                [t('history.why'), reasonOf(what)],
                [t('history.data'), detail ?? undefined],
                [
                  t('history.remedy'),
                  remedy === null ? undefined : <RemedyLink key="remedy" command={remedy} otherwise={<code>{remedy}</code>} />,
                ],
                [t('history.code'), code === null ? undefined : <code key="code">{code}</code>],
                [t('history.whom'), user === null ? undefined : <Named key="user" of={user} />],
                [t('history.kind.application'), application === null ? undefined : <Named key="client" of={application} />],
                [t('history.provider'), provider ?? undefined],
                [t('history.address'), <code key="address">{address}</code>],
                [t('history.userAgent'), userAgent],
              ]}
            />
            <Link className="button button-secondary" to={withQuery(story, userId === null ? { address } : { user: userId })}>
              {t('console.screen.explanation')}
            </Link>
            {requestId === '' ? null : <span className="who-detail break">{requestId}</span>}
          </>
        )}
        command={['list-failed-sign-ins', ...given]}
        empty={<Empty icon="lock" title={t('history.failuresEmpty')} text={t('history.failuresEmptyText')} />}
      />
    </Page>
  )
}
