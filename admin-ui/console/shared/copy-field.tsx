import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useCopy } from './use-copy.ts'

interface CopyFieldProps {
  readonly label: string
  readonly value: string
  /** True if line breaks of the value are kept. */
  readonly isBlock?: boolean
}

/** Shows a value in full, with a button that copies it. */
export const CopyField = ({ label, value, isBlock = false }: CopyFieldProps) => {
  const { t } = useI18n()
  const { outcome, copy } = useCopy(value)
  return (
    <div className="copy-field">
      <span className="copy-label">{label}</span>
      <div className="copy-box">
        {isBlock ? (
          <textarea className="copy-value copy-block" aria-label={label} readOnly rows={value.split('\n').length} value={value} />
        ) : (
          <input className="copy-value" aria-label={label} readOnly value={value} />
        )}
        <button type="button" className="icon-button" aria-label={`${t('console.copy')}: ${label}`} onClick={() => void copy()}>
          <Icon name={outcome === 'done' ? 'check' : 'copy'} size={18} />
        </button>
      </div>
      <span className={outcome === 'failed' ? 'copy-problem' : 'visually-hidden'} role="status">
        {outcome === undefined ? '' : t(outcome === 'done' ? 'console.copied' : 'console.copyFailed')}
      </span>
    </div>
  )
}
