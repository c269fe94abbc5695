import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'

interface PeekProps {
  readonly title: string
  readonly href: string | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A preview of a row, shown beside the table. It shows only what people need to recognize the row. */
export const Peek = ({ title, href, onClose, children }: PeekProps) => {
  const { t } = useI18n()
  return (
    <aside className="peek" aria-label={t('console.peek.region')}>
      <div className="peek-head">
        <h2 className="break">{title}</h2>
        <button type="button" className="icon-button" aria-label={t('console.peek.close')} onClick={onClose}>
          <Icon name="close" size={18} />
        </button>
      </div>
      {children}
      {href === undefined ? null : (
        <Link className="button button-secondary" to={href}>
          {t('console.peek.open')}
        </Link>
      )}
    </aside>
  )
}
