import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useCopy } from './use-copy.ts'

/** An id with its ends, by which people tell ids apart. */
export const shortened = (id: string): string => (id.length <= 16 ? id : `${id.slice(0, 6)}…${id.slice(-6)}`)

/** An id, shortened in the middle and copied whole. */
export const Id = ({ id }: { readonly id: string }) => {
  const { t } = useI18n()
  const { outcome, copy } = useCopy(id)
  return (
    <button type="button" className="id" title={id} onClick={() => void copy()}>
      <code>{shortened(id)}</code>
      <span className="visually-hidden">{t('console.copy')}</span>
      <Icon name={outcome === 'done' ? 'check' : 'copy'} size={14} />
      <span className="visually-hidden" role="status">
        {outcome === undefined ? '' : t(outcome === 'done' ? 'console.copied' : 'console.copyFailed')}
      </span>
    </button>
  )
}
