import { useId } from 'react'

interface AddressFieldProps {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** An address that may be missing. */
export const AddressField = ({ name, label, hint, value, onValue }: AddressFieldProps) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="url"
        maxLength={2000}
        value={value}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-describedby={`${id}-message`}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
      <div id={`${id}-message`} className="field-message">
        {hint}
      </div>
    </div>
  )
}
