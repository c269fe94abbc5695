import type { ReactNode } from 'react'
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'

interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly children?: ReactNode
}

/** Shown in place of a list without entries. It says what the list is for, and how to add an entry. */
export const EmptyState = ({ icon, title, text, children }: EmptyStateProps) => (
  <div className="empty">
    <span className="emblem">
      <Icon name={icon} size={26} />
    </span>
    <p className="empty-title">{title}</p>
    <p className="quiet">{text}</p>
    {children}
  </div>
)
