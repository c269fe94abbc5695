import type { ReactNode } from 'react'
import { createContext, use, useEffect, useRef } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useTitle } from '../context.tsx'
import { overviewPath, PlaceLink } from './places.tsx'

/** True when the section was come to from another one. */
export const MovedContext = createContext(false)

/** The title of what was come to: it names the tab, and the keyboard goes on from it. */
export const SectionTitle = ({ title, tab = title }: { readonly title: string; readonly tab?: string }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const hasMoved = use(MovedContext)
  useTitle(tab)
  useEffect(() => {
    if (hasMoved) heading.current?.focus({ preventScroll: true })
  }, [hasMoved])
  return (
    <h1 ref={heading} tabIndex={-1} className="break">
      {title}
    </h1>
  )
}

interface SectionProps {
  readonly title: string
  readonly lead?: ReactNode
  /** One step up; to the account when there is no step between. */
  readonly back?: ReactNode
  /** Beside the title: what one comes here for. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A section of the account area: its way back on small screens, its title, its panels. */
export const Section = ({ title, lead, back, action, children }: SectionProps) => {
  const { t } = useI18n()
  return (
    <>
      {back ?? (
        <PlaceLink path={overviewPath} className="account-back">
          <Icon name="back" size={18} />
          {t('account.title')}
        </PlaceLink>
      )}
      <div className="heading section-heading">
        <div>
          <SectionTitle title={title} />
          {lead === undefined ? null : <p className="lead">{lead}</p>}
        </div>
        {action}
      </div>
      {children}
    </>
  )
}

interface PanelProps {
  readonly id?: string
  readonly title?: string
  /** Left out on small screens. */
  readonly isWideOnly?: boolean
  readonly children: ReactNode
}

export const Panel = ({ id, title, isWideOnly = false, children }: PanelProps) => (
  <section className={isWideOnly ? 'panel panel-wide-only' : 'panel'} aria-labelledby={title === undefined ? undefined : id}>
    {title === undefined ? null : <h2 id={id}>{title}</h2>}
    {children}
  </section>
)
