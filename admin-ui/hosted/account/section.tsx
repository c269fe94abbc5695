import type { ReactNode } from 'react'
import { createContext, use, useEffect, useRef } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useTitle } from '../context.tsx'
import { AccountLink, overviewPath } from './navigation.tsx'

/** True if the section was opened from another one. */
export const HasNavigatedContext = createContext(false)

/** The title of a section, on the page and in the browser's tab. It takes the focus after a change of section. */
export const SectionTitle = ({ title, tab = title }: { readonly title: string; readonly tab?: string }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const hasNavigated = use(HasNavigatedContext)
  useTitle(tab)
  useEffect(() => {
    if (hasNavigated) heading.current?.focus({ preventScroll: true })
  }, [hasNavigated])
  return (
    <h1 ref={heading} tabIndex={-1} className="break">
      {title}
    </h1>
  )
}

interface SectionProps {
  readonly title: string
  readonly lead?: ReactNode
  /** The parent page; by default the account. */
  readonly back?: ReactNode
  /** The main action of the section, beside the title. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A section of the account area: a link back on small screens, title and panels. */
export const Section = ({ title, lead, back, action, children }: SectionProps) => {
  const { t } = useI18n()
  return (
    <>
      {back ?? (
        <AccountLink path={overviewPath} className="account-back">
          <Icon name="back" size={18} />
          {t('account.title')}
        </AccountLink>
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
  readonly children: ReactNode
}

export const Panel = ({ id, title, children }: PanelProps) => (
  <section className="panel" aria-labelledby={title === undefined ? undefined : id}>
    {title === undefined ? null : <h2 id={id}>{title}</h2>}
    {children}
  </section>
)
