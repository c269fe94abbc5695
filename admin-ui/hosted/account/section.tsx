import type { ReactNode } from 'react'
import { createContext, use, useEffect, useRef } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useTitle } from '../context.tsx'
import { AccountLink, overviewPath } from './navigation.tsx'

/** True if the person came to the section from another section. */
export const HasNavigatedContext = createContext(false)

/** The title of a section, shown as its heading and in the browser tab. It takes the focus when the person has come from another section. */
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
  /** A link to the parent page. By default it leads to the overview of the account. */
  readonly back?: ReactNode
  /** The main action of the section, beside the title. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** The frame of a section of the account area. It has a title and panels, and on small screens a link back. */
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
