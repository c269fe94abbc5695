import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import { useI18n } from '../../shared/text.tsx'
import { usePermission } from '../api.ts'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'

interface QueryPanelProps<T> {
  readonly title: string
  /** Without it the panel says who may read it, and asks nothing. */
  readonly permission: InstancePermission
  readonly query: { readonly queryKey: readonly unknown[]; readonly queryFn: () => Promise<T> }
  readonly actions?: ReactNode
  readonly children: (value: T) => ReactNode
}

const Content = <T,>({ query, children }: Pick<QueryPanelProps<T>, 'query' | 'children'>) => {
  const { t } = useI18n()
  const { data, error, refetch } = useQuery(query)
  if (data !== undefined) return children(data)
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <div className="panel-waiting" aria-busy="true">
      <p className="visually-hidden">{t('console.table.loading')}</p>
      <span className="placeholder bone-line" />
      <span className="placeholder bone-line" />
    </div>
  )
}

/** A part of a screen that asks for its own data: it loads, fails and is refused by itself. */
export const QueryPanel = <T,>({ title, permission, query, actions, children }: QueryPanelProps<T>) => {
  const { t, list } = useI18n()
  const { isAllowed, roles } = usePermission(permission)
  return (
    <Panel title={title} {...(actions === undefined || !isAllowed ? {} : { actions })}>
      {isAllowed ? (
        <Content query={query}>{children}</Content>
      ) : (
        <p className="panel-note">
          {roles.length === 0
            ? t('console.denied.nobody', { permission })
            : t('console.denied.text', { permission, roles: list(roles) })}
        </p>
      )}
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
