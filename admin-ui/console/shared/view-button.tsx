import type { ComponentProps } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'

/** The button that opens the menu of views and columns. It shows the name of the present view. */
export const ViewButton = ({
  name,
  className = '',
  ...rest
}: ComponentProps<'button'> & { readonly name: string | undefined }) => {
  const { t } = useI18n()
  return (
    <button type="button" className={`view-button ${className}`} aria-keyshortcuts="v" {...rest}>
      <Icon name="columns" size={16} />
      <span className="break">{name ?? t('console.table.view')}</span>
      <Icon name="down" size={14} />
    </button>
  )
}
