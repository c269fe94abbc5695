import { useId } from 'react'

interface TextFieldProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly onValue: (value: string) => void
}

/** One line of text. */
export const TextField = ({ name, label, value, hint, error, onValue }: TextFieldProps) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        maxLength={128}
        value={value}
        autoComplete="off"
        spellCheck={false}
        aria-required
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-message`}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
      <div id={`${id}-message`} className={error === undefined ? 'field-message' : 'field-message field-error'}>
        {error ?? hint}
      </div>
    </div>
  )
}
