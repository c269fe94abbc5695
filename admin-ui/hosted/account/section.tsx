import type { ReactNode } from 'react'
import { createContext, use, useEffect, useRef } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useTitle } from '../context.tsx'
import { overviewPath, PlaceLink } from './places.tsx'

/** True when the section was come to from another one. */
export const MovedContext = createContext(false)

interface SectionProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/** A section of the account area: its way back on small screens, its title, its panels. */
export const Section = ({ title, lead, children }: SectionProps) => {
  const { t } = useI18n()
  const heading = useRef<HTMLHeadingElement>(null)
  const hasMoved = use(MovedContext)
  useTitle(title)
  useEffect(() => {
    if (hasMoved) heading.current?.focus({ preventScroll: true })
  }, [hasMoved])
  return (
    <>
      <PlaceLink path={overviewPath} className="account-back">
        <Icon name="back" size={18} />
        {t('account.title')}
      </PlaceLink>
      <div className="heading">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead === undefined ? null : <p className="lead">{lead}</p>}
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
