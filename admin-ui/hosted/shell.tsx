import type { ReactNode } from 'react'
import { lazy, Suspense } from 'react'
import type { Settings } from '../shared/api.ts'
import { Wordmark } from '../shared/logo.tsx'
import { useHosted } from './context.tsx'
import { LanguageSwitch } from './language-switch.tsx'

type Brand = Settings['brand']

/** The arches of the gate behind the card, each fainter than the one before. Decoration. */
const arches = [340, 436, 548, 676, 820, 980] as const

/** Drawn around the top of the innermost arch, in CSS pixels; the legs reach below every screen. */
const Arches = () => (
  <svg className="arches" aria-hidden="true" focusable="false">
    {arches.map((radius) => (
      <path key={radius} d={`M${-radius} 4000V${arches[0]}a${radius} ${radius} 0 0 1 ${radius * 2} 0V4000`} />
    ))}
  </svg>
)

/** Loaded on demand: most pages have none. */
const Foot = lazy(() => import('./foot.tsx').then((file) => ({ default: file.Foot })))

const hasFoot = ({ links, poweredBy }: Brand) => poweredBy || Object.keys(links).length > 0

interface FrameProps {
  readonly layout: 'card' | 'wide'
  readonly background: Brand['background'] | undefined
  readonly signs: ReactNode
  readonly foot: ReactNode
  /** The footer has its space, and is not visible yet. */
  readonly isWaiting: boolean
  readonly children: ReactNode
}

/** The frame around every page, which the server writes, too. */
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
  /** Undefined while it loads, and after a failure. */
  readonly brand: Brand | undefined
  readonly children: ReactNode
}

/** The frame of every page. It stays while the page inside loads, so that nothing moves. */
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

/** Title and a line below it, which has its space even if it is empty. */
export const Heading = ({ title, children }: HeadingProps) => (
  <div className="heading">
    <h1>{title}</h1>
    {children === undefined ? null : <p className="lead">{children}</p>}
  </div>
)
