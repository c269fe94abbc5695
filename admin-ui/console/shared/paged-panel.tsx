import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { usePermission } from '../api.ts'
import { Panel } from './facts.tsx'
import { Failure } from './failure.tsx'
import { DeniedNote, PanelWaiting } from './query-panel.tsx'
import { type Total, useCountOf } from './use-list.ts'

/** Which page of the list to request. The request for the first page also asks for the number of all rows, if the endpoint can count them. */
interface PagePlace {
  readonly after: string | undefined
  readonly total: 'true' | undefined
}

interface PagedPanelProps<Row> {
  readonly title: string
  readonly permission: InstancePermission
  /** The key under which the query cache stores the list. */
  readonly queryKey: readonly string[]
  readonly load: (
    place: PagePlace,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next: string | null; readonly total?: Total | null }>
  readonly idOf: (row: Row) => string
  readonly row: (row: Row) => ReactNode
  readonly empty: string
  /** Actions beside the title. */
  readonly actions?: ReactNode
  /** Shown below the rows. */
  readonly foot?: ReactNode
}

const Rows = <Row,>({ queryKey, load, idOf, row, empty, foot }: PagedPanelProps<Row>) => {
  const { t } = useI18n()
  const countOf = useCountOf()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load({ after: pageParam, total: pageParam === undefined ? 'true' : undefined }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  if (data === undefined) return error === null ? <PanelWaiting /> : <Failure error={error} onRetry={() => void refetch()} />
  const rows = data.pages.flatMap((page) => page.rows)
  const total = data.pages[0]?.total ?? undefined
  return (
    <>
      {rows.length === 0 ? <p className="panel-note">{empty}</p> : null}
      <ul className="entries">
        {rows.map((one) => (
          <li key={idOf(one)} className="entry">
            {row(one)}
          </li>
        ))}
      </ul>
      {hasNextPage || foot !== undefined ? (
        <div className="panel-foot">
          {hasNextPage && total !== undefined ? <span className="who-detail">{countOf(rows.length, total)}</span> : null}
          {hasNextPage ? (
            <Button kind="secondary" working={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('console.table.more')}
            </Button>
          ) : null}
          {foot}
        </div>
      ) : null}
    </>
  )
}

/** A list of the API inside a screen, with a few rows on each page. People without the permission see which roles have it. */
export const PagedPanel = <Row,>(props: PagedPanelProps<Row>) => {
  const { isAllowed } = usePermission(props.permission)
  return (
    <Panel title={props.title} {...(props.actions === undefined || !isAllowed ? {} : { actions: props.actions })}>
      {isAllowed ? <Rows {...props} /> : <DeniedNote permission={props.permission} />}
    </Panel>
  )
}
