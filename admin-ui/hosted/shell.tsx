import type { ReactNode } from 'react'
import { lazy, Suspense } from 'react'
import type { Settings } from '../shared/api.ts'
import { Wordmark } from '../shared/logo.tsx'
import { useHosted } from './context.tsx'
import { LanguageSwitch } from './language-switch.tsx'

type Brand = Settings['brand']

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

/** Most pages have none: loaded where there is one. */
const Foot = lazy(() => import('./foot.tsx').then((file) => ({ default: file.Foot })))

const hasFoot = ({ links, poweredBy }: Brand) => poweredBy || Object.keys(links).length > 0

interface FrameProps {
  readonly layout: 'card' | 'wide'
  readonly background: Brand['background'] | undefined
  readonly signs: ReactNode
  readonly foot: ReactNode
  /** The foot has its room, and is not to be seen yet. */
  readonly isWaiting: boolean
  readonly children: ReactNode
}

/** What stands around every page. The server writes it too. */
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
  /** The operator's name for this place; undefined while it is on its way. */
  readonly name: string | undefined
  /** Undefined while it is on its way, and where it did not arrive. */
  readonly brand: Brand | undefined
  readonly children: ReactNode
}

/** The frame of every page. It stays while the page inside loads, so nothing jumps. */
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
