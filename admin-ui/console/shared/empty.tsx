import type { ReactNode } from 'react'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'

interface EmptyProps {
  readonly icon: IconName
  /** Left out where the heading of the page says the same. */
  readonly title?: string
  /** What belongs here, and how it comes about. */
  readonly text: string
  /** The step to the first one. */
  readonly children?: ReactNode
}

/** Where there is nothing: says what would be, and how to get it. */
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
