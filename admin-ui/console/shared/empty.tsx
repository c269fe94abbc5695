import type { ReactNode } from 'react'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'

interface EmptyProps {
  readonly icon: IconName
  /** A heading. It is omitted if the page already has a heading with the same text. */
  readonly title?: string
  /** Says what the list is for, and how to add the first entry. */
  readonly text: string
  /** A button that adds the first entry. */
  readonly children?: ReactNode
}

/** Shown in place of a list without entries. */
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
