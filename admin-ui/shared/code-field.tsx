import { useRef } from 'react'
import { FieldFrame } from './field.tsx'

const digits = 6

interface CodeFieldProps {
  readonly name: string
  readonly label: string
  readonly error: string | undefined
  readonly hint?: string
  readonly autoFocus?: boolean
}

/**
 * A field for six digits, typed, pasted with spaces or filled in by the browser. A complete code is sent automatically, but the same code
 * only once.
 */
export const CodeField = ({ name, label, error, hint, autoFocus = true }: CodeFieldProps) => {
  const sent = useRef('')
  const take = (input: HTMLInputElement) => {
    const plain = input.value.replaceAll(/\D/g, '').slice(0, digits)
    if (plain !== input.value) input.value = plain
    if (plain.length < digits || plain === sent.current) return
    sent.current = plain
    input.form?.requestSubmit()
  }
  return (
    <FieldFrame label={label} error={error} hint={hint}>
      {(control) => (
        <input
          className="code-input"
          name={name}
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the code is what the page asks for.
          autoFocus={autoFocus}
          aria-required="true"
          {...control}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onChange={({ currentTarget }) => take(currentTarget)}
        />
      )}
    </FieldFrame>
  )
}
