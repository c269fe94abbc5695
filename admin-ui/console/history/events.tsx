import { auditContract } from '../../../src/audit/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { FilterField } from '../shared/filter-field.tsx'
import { allKinds, FilterName } from '../shared/filter-name.tsx'
import { FilterSelect } from '../shared/filters.tsx'
import { Named, useKindName } from '../shared/named.tsx'
import { Page } from '../shared/page.tsx'
import { Time } from '../shared/time.tsx'
import { useList } from '../shared/use-list.ts'
import type { ListedEvent } from './event-facts.tsx'
import { EventFacts } from './event-facts.tsx'
import { eventGroups } from './event-groups.ts'
import { ExportButtons, ExportsPanel } from './exports.tsx'
import { MoreFilters } from './filter-fields.tsx'
import '../styles/history.css'

const filters = [
  ...['type', 'subject', 'actor', 'actorKind', 'organization', 'session', 'address', 'request', 'reason', 'since', 'until'],
] as const

/** Flags of the command whose names differ from the names of the filters. */
const flags: Readonly<Record<string, string>> = { actorKind: 'actor-kind', organization: 'org', reason: 'with-reason' }

const useColumns = (): readonly Column<ListedEvent>[] => {
  const { t } = useI18n()
  const nameOf = useKindName()
  return [
    { id: 'when', label: t('history.when'), sort: 'occurredAt', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
    { id: 'what', label: t('history.what'), cell: ({ type }) => <code className="event-type break">{type}</code> },
    {
      id: 'who',
      label: t('history.who'),
      cell: ({ actor }) => (
        <span className="event-named">
          {actor.id === null || actor.kind === 'user' ? null : nameOf(actor.kind)}
          <Named of={actor} />
        </span>
      ),
    },
    {
      id: 'whom',
      label: t('history.whom'),
      isMinor: true,
      cell: ({ subject }) => (
        <span className="event-named">
          {subject.kind} <Named of={subject} />
        </span>
      ),
    },
    { id: 'why', label: t('history.why'), isMinor: true, cell: ({ reason }) => <span className="break">{reason ?? '–'}</span> },
  ]
}

/** The screen of the audit log. The filters of the API are in the address. */
export const EventsScreen = () => {
  const { t } = useI18n()
  const nameOf = useKindName()
  const list = useList({ contract: auditContract, name: 'listEvents', rows: 'events', filters, isCounted: true })
  const given = filters.flatMap((name) => {
    const value = list.query[name]
    return value === undefined ? [] : [`--${flags[name] ?? name}`, value]
  })
  return (
    <Page
      title={t('history.events')}
      lead={t('history.eventsLead')}
      actions={<ExportButtons filters={Object.fromEntries(filters.map((name) => [name, list.query[name]]))} />}
    >
      <ExportsPanel />
      <div className="filters">
        <FilterField
          list={list}
          name="type"
          label={t('history.type')}
          hint={t('history.typeHint')}
          options={eventGroups.map((group) => `${group}.*`)}
        />
        <FilterName list={list} name="subject" label={t('history.subject')} kinds={allKinds} known={({ subject }) => [subject]} />
        <FilterSelect
          list={list}
          name="actorKind"
          label={t('history.actorKind')}
          options={['user', 'application', 'api-key', 'system', 'anonymous'].map((kind) => [kind, nameOf(kind)])}
        />
        <MoreFilters
          list={list}
          fields={[
            ['actor', t('history.actor'), { kinds: allKinds, known: ({ actor }) => [actor] }],
            ['organization', t('history.organization'), { kinds: ['organization'], known: ({ organization }) => [organization] }],
            ['reason', t('history.reason')],
            ['request', t('history.request')],
            ['address', t('history.address')],
            ['session', t('history.session')],
            ['since', t('history.since'), true],
            ['until', t('history.until'), true],
          ]}
        />
      </div>
      <DataTable
        label={t('history.events')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ type }) => type}
        hrefOf={({ id }) => `/admin/events/${id}`}
        peek={(event) => <EventFacts event={event} />}
        empty={<Empty icon="clock" title={t('history.empty')} text={t('history.emptyText')} />}
        command={['list-audit', ...given]}
      />
    </Page>
  )
}
