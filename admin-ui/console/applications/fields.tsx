import { useState } from 'react'
import { FieldFrame } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import type { Remark } from './addresses.ts'

interface LinesFieldProps {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly placeholder?: string
  readonly remarks?: readonly Remark[]
  /** True to show problems before the person has left the field. */
  readonly isChecked?: boolean
  /** An error that is shown in place of the remarks, for example because the field is empty. */
  readonly error?: string | undefined
  readonly onValue: (value: string) => void
}

/** A text field with one entry on each line. Remarks on the entries appear when the person leaves the field. */
export const LinesField = (props: LinesFieldProps) => {
  const { name, label, hint, value, placeholder, remarks = [], isChecked = false, error, onValue } = props
  const { t } = useI18n()
  const [wasLeft, setWasLeft] = useState(false)
  const shown = wasLeft || isChecked ? remarks : []
  const remarked = shown.map(({ address, text, isError }) => (
    <p key={`${address} ${text}`} className={isError ? 'field-error break' : 'field-caution break'}>
      <code>{address}</code> {t(text)}
    </p>
  ))
  return (
    <FieldFrame label={label} error={error} hint={shown.length === 0 ? hint : remarked} isLive>
      {(control) => (
        <textarea
          {...control}
          name={name}
          className="lines"
          rows={Math.min(8, Math.max(2, value.split('\n').length))}
          value={value}
          placeholder={placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={error !== undefined || shown.some(({ isError }) => isError)}
          onChange={({ currentTarget }) => onValue(currentTarget.value)}
          onBlur={() => setWasLeft(true)}
        />
      )}
    </FieldFrame>
  )
}
