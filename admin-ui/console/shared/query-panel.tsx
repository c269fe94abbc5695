import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import { useI18n } from '../../shared/text.tsx'
import { usePermission } from '../api.ts'
import { Panel } from './facts.tsx'
import { Failure } from './failure.tsx'

interface QueryPanelProps<T> {
  readonly title: string
  /** The permission that the request needs. If the person lacks it, the panel makes no request and shows which roles have it. */
  readonly permission: InstancePermission
  readonly query: { readonly queryKey: readonly unknown[]; readonly queryFn: () => Promise<T> }
  readonly actions?: ReactNode
  readonly children: (value: T) => ReactNode
}

/** Shown in a panel while its request is running. */
export const PanelWaiting = () => (
  <div className="panel-waiting" aria-busy="true">
    <p className="visually-hidden">{useI18n().t('console.table.loading')}</p>
    <span className="placeholder bone-line" />
    <span className="placeholder bone-line" />
  </div>
)

/** Shown in place of data that the person may not read. It names the roles that may read the data. */
export const DeniedNote = ({ permission }: { readonly permission: InstancePermission }) => {
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

const Content = <T,>({ query, children }: Pick<QueryPanelProps<T>, 'query' | 'children'>) => {
  const { data, error, refetch } = useQuery(query)
  if (data !== undefined) return children(data)
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  return <PanelWaiting />
}

/** A panel of a screen with a request of its own. If the request fails or is refused, other panels are not affected. */
export const QueryPanel = <T,>({ title, permission, query, actions, children }: QueryPanelProps<T>) => {
  const { isAllowed } = usePermission(permission)
  return (
    <Panel title={title} {...(actions === undefined || !isAllowed ? {} : { actions })}>
      {isAllowed ? <Content query={query}>{children}</Content> : <DeniedNote permission={permission} />}
    </Panel>
  )
}

/** A list of lines in a panel. An empty list is replaced by a text. */
export const Lines = ({ empty, children }: { readonly empty: string; readonly children: readonly ReactNode[] }) =>
  children.length === 0 ? <p className="panel-note">{empty}</p> : <ul className="lines">{children}</ul>

interface LineProps {
  readonly title: ReactNode
  readonly detail: ReactNode
  /** What is shown at the end of the line, for example a badge or a button. */
  readonly children?: ReactNode
}

/** The content of a line in a list. */
export const LineContent = ({ title, detail, children }: LineProps) => (
  <>
    <span className="line-text">
      <span className="line-title break">{title}</span>
      <span className="line-detail break">{detail}</span>
    </span>
    {children === undefined ? null : <span className="line-end">{children}</span>}
  </>
)

export const Line = (props: LineProps) => (
  <li className="line">
    <LineContent {...props} />
  </li>
)
