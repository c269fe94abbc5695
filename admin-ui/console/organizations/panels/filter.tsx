import { useId } from 'react'
import { Icon } from '../../../shared/icons.tsx'
import { useI18n } from '../../../shared/text.tsx'

interface PanelFilterProps<Value extends string> {
  readonly label: string
  /** The selected value. Undefined while all values are shown. */
  readonly value: Value | undefined
  readonly options: readonly (readonly [value: Value, text: string])[]
  readonly onValue: (value: Value | undefined) => void
}

/** A filter for a list inside a screen. It selects one value, or shows all. */
export const PanelFilter = <Value extends string>({ label, value, options, onValue }: PanelFilterProps<Value>) => {
  const { t } = useI18n()
  const id = useId()
  return (
    <label htmlFor={id} className={value === undefined ? 'filter' : 'filter filter-set'}>
      <span className="filter-name">{label}</span>
      <select
        id={id}
        value={value ?? ''}
        onChange={({ currentTarget }) => onValue(options.find(([option]) => option === currentTarget.value)?.[0])}
      >
        <option value="">{t('console.table.all')}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="down" size={14} />
    </label>
  )
}
