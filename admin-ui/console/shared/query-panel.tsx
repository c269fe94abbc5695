import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import { useI18n } from '../../shared/text.tsx'
import { usePermission } from '../api.ts'
import { Panel } from './facts.tsx'
import { Failure } from './failure.tsx'

interface QueryPanelProps<T> {
  readonly title: string
  /** Without it the panel says who may read it, and asks nothing. */
  readonly permission: InstancePermission
  readonly query: { readonly queryKey: readonly unknown[]; readonly queryFn: () => Promise<T> }
  readonly actions?: ReactNode
  readonly children: (value: T) => ReactNode
}

/** In the place of what a panel asks for. */
export const PanelWaiting = () => (
  <div className="panel-waiting" aria-busy="true">
    <p className="visually-hidden">{useI18n().t('console.table.loading')}</p>
    <span className="placeholder bone-line" />
    <span className="placeholder bone-line" />
  </div>
)

/** In the place of what the person may not read: who may. */
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

/** A part of a screen that asks for its own data: it loads, fails and is refused by itself. */
export const QueryPanel = <T,>({ title, permission, query, actions, children }: QueryPanelProps<T>) => {
  const { isAllowed } = usePermission(permission)
  return (
    <Panel title={title} {...(actions === undefined || !isAllowed ? {} : { actions })}>
      {isAllowed ? <Content query={query}>{children}</Content> : <DeniedNote permission={permission} />}
    </Panel>
  )
}

/** Lines of a panel, or what is said when there are none. */
export const Lines = ({ empty, children }: { readonly empty: string; readonly children: readonly ReactNode[] }) =>
  children.length === 0 ? <p className="panel-note">{empty}</p> : <ul className="lines">{children}</ul>

interface LineProps {
  readonly title: ReactNode
  readonly detail: ReactNode
  /** At the end of the line: state, or what can be done with it. */
  readonly children?: ReactNode
}

/** What a line says, in a list that has the line already. */
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
