import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { InstancePermission } from '../../../../src/access/permissions.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Button } from '../../../shared/ui.tsx'
import { usePermission } from '../../api.ts'
import { Panel } from '../../shared/facts.tsx'
import { Failure } from '../../shared/failure.tsx'

interface PagedPanelProps<Row> {
  readonly title: string
  readonly permission: InstancePermission
  /** Names what is listed among all queries. */
  readonly queryKey: readonly string[]
  readonly load: (after: string | undefined) => Promise<{ readonly rows: readonly Row[]; readonly next: string | null }>
  readonly idOf: (row: Row) => string
  readonly row: (row: Row) => ReactNode
  readonly empty: string
  /** Beside the title: what can be done here. */
  readonly actions?: ReactNode
  /** Under the rows. */
  readonly foot?: ReactNode
}

/** In the place of what the person may not read: who may. */
export const Denied = ({ permission }: { readonly permission: InstancePermission }) => {
  const { t, list } = useI18n()
  const { roles } = usePermission(permission)
  return (
    <p className="panel-note">
      {roles.length === 0
        ? t('console.denied.nobody', { permission })
        : t('console.denied.text', { permission, roles: list(roles) })}
    </p>
  )
}

const Rows = <Row,>({ queryKey, load, idOf, row, empty, foot }: PagedPanelProps<Row>) => {
  const { t } = useI18n()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  if (data === undefined)
    return error === null ? (
      <div className="panel-waiting" aria-busy="true">
        <p className="visually-hidden">{t('console.table.loading')}</p>
        <span className="placeholder bone-line" />
        <span className="placeholder bone-line" />
      </div>
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    )
  const rows = data.pages.flatMap((page) => page.rows)
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

/** A list of the API within a screen, some rows at a time; without the permission it says who may. */
export const PagedPanel = <Row,>(props: PagedPanelProps<Row>) => {
  const { isAllowed } = usePermission(props.permission)
  return (
    <Panel title={props.title} {...(props.actions === undefined || !isAllowed ? {} : { actions: props.actions })}>
      {isAllowed ? <Rows {...props} /> : <Denied permission={props.permission} />}
    </Panel>
  )
}
