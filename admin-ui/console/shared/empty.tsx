import type { ReactNode } from 'react'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'

interface EmptyProps {
  readonly icon: IconName
  /** Omitted if the page has the same heading. */
  readonly title?: string
  /** The purpose of the list, and how to make an entry. */
  readonly text: string
  /** A button for making the first entry. */
  readonly children?: ReactNode
}

/** Replaces an empty list. */
export const Empty = ({ icon, title, text, children }: EmptyProps) => (
  <div className="empty">
    <span className="empty-icon">
      <Icon name={icon} size={24} />
    </span>
    {title === undefined ? null : <p className="empty-title">{title}</p>}
    <p className="empty-text">{text}</p>
    {children === undefined ? null : <div className="empty-actions">{children}</div>}
  </div>
)
