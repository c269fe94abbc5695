import type { ReactNode } from 'react'

/** A part of a screen with a title. */
export const Panel = ({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => (
  <section className="panel" aria-label={title}>
    <div className="panel-head">
      <h2>{title}</h2>
      {actions === undefined ? null : <div className="panel-actions">{actions}</div>}
    </div>
    {children}
  </section>
)

/** A list of labels and values, one row each. Rows with an undefined value are left out. */
export const Facts = ({ rows }: { readonly rows: readonly (readonly [label: string, value: ReactNode])[] }) => (
  <dl className="facts">
    {rows
      .filter(([, value]) => value !== undefined)
      .map(([label, value]) => (
        <div key={label} className="fact">
          <dt>{label}</dt>
          <dd className="break">{value}</dd>
        </div>
      ))}
  </dl>
)
