import type { ReactNode } from 'react'
import { Wordmark } from '../shared/logo.tsx'

/** The arches of the gate behind the card, each a little fainter. Decoration. */
const arches = [340, 436, 548, 676, 820, 980] as const

/** Drawn around the crown of the innermost arch, in CSS pixels; the legs reach below every screen. */
const Arches = () => (
  <svg className="arches" aria-hidden="true" focusable="false">
    {arches.map((radius) => (
      <path key={radius} d={`M${-radius} 4000V${arches[0]}a${radius} ${radius} 0 0 1 ${radius * 2} 0V4000`} />
    ))}
  </svg>
)

interface ShellProps {
  readonly layout: 'card' | 'wide'
  /** The operator's name for this place; undefined while it is on its way. */
  readonly name: string | undefined
  readonly children: ReactNode
}

/** The frame of every page. It stays while the page inside loads, so nothing jumps. */
export const Shell = ({ layout, name, children }: ShellProps) => (
  <div className={`shell shell-${layout}`}>
    {layout === 'card' ? <Arches /> : null}
    <header className="brand">
      <Wordmark name={name} />
    </header>
    <main className="main">{children}</main>
  </div>
)

/** The surface of a page with one thing to do. */
export const Card = ({ children }: { readonly children: ReactNode }) => <div className="card">{children}</div>

interface HeadingProps {
  readonly title: ReactNode
  readonly children?: ReactNode
}

/** Title and one line below it; the line has its place also when it is empty. */
export const Heading = ({ title, children }: HeadingProps) => (
  <div className="heading">
    <h1>{title}</h1>
    {children === undefined ? null : <p className="lead">{children}</p>}
  </div>
)
