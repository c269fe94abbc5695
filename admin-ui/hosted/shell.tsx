import type { ReactNode } from 'react'
import { lazy, Suspense } from 'react'
import type { Settings } from '../shared/api.ts'
import { Wordmark } from '../shared/logo.tsx'
import { useHosted } from './context.tsx'
import { LanguageSwitch } from './language-switch.tsx'

type Brand = Settings['brand']

/** Radii of the decorative arches behind the card, in CSS pixels. Each arch is fainter than the next smaller arch. */
const arches = [340, 436, 548, 676, 820, 980] as const

/** Decorative arches. They share the centre of the innermost arch, and their legs reach below the bottom of every screen. */
const Arches = () => (
  <svg className="arches" aria-hidden="true" focusable="false">
    {arches.map((radius) => (
      <path key={radius} d={`M${-radius} 4000V${arches[0]}a${radius} ${radius} 0 0 1 ${radius * 2} 0V4000`} />
    ))}
  </svg>
)

/** The code of the footer is loaded when it is first needed, because most installations have no links in it. */
const Foot = lazy(() => import('./foot.tsx').then((file) => ({ default: file.Foot })))

const hasFoot = ({ links, poweredBy }: Brand) => poweredBy || Object.keys(links).length > 0

interface FrameProps {
  readonly layout: 'card' | 'wide'
  readonly background: Brand['background'] | undefined
  readonly signs: ReactNode
  readonly foot: ReactNode
  /** True while the footer's space is reserved, but the footer has not loaded yet. */
  readonly isWaiting: boolean
  readonly children: ReactNode
}

/** The frame around every page. The server also writes this frame into its HTML. */
export const Frame = ({ layout, background, signs, foot, isWaiting, children }: FrameProps) => (
  <div className={`shell shell-${layout}${background === 'plain' ? ' shell-plain' : ''}`}>
    {layout === 'card' && background !== 'plain' ? <Arches /> : null}
    <header className="brand">{signs}</header>
    <main className="main">{children}</main>
    <footer className={isWaiting ? 'foot foot-waiting' : 'foot'}>{foot}</footer>
  </div>
)

interface ShellProps {
  readonly layout: 'card' | 'wide'
  /** The operator's name; undefined while it loads. */
  readonly name: string | undefined
  /** The operator's brand. Undefined while it loads, and if it could not be loaded. */
  readonly brand: Brand | undefined
  readonly children: ReactNode
}

/** The frame of every page. It stays while the page inside it is loading, so that nothing moves. */
export const Shell = ({ layout, name, brand, children }: ShellProps) => {
  const { query } = useHosted()
  const foot = (
    <>
      <LanguageSwitch />
      {brand !== undefined && (hasFoot(brand) || query.has('interaction')) ? (
        <Suspense>
          <Foot {...brand} />
        </Suspense>
      ) : null}
    </>
  )
  return (
    <Frame
      layout={layout}
      background={brand?.background}
      signs={<Wordmark name={name} brand={brand} />}
      foot={foot}
      isWaiting={name === undefined}
    >
      {children}
    </Frame>
  )
}

/** The card of a page with a single task. */
export const Card = ({ children }: { readonly children: ReactNode }) => <div className="card">{children}</div>

interface HeadingProps {
  readonly title: ReactNode
  readonly children?: ReactNode
}

/** A title with a line of text below it. An empty line keeps its space. */
export const Heading = ({ title, children }: HeadingProps) => (
  <div className="heading">
    <h1>{title}</h1>
    {children === undefined ? null : <p className="lead">{children}</p>}
  </div>
)
