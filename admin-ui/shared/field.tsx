import type { KeyboardEvent, ReactNode } from 'react'
import { useId, useState } from 'react'
import { Icon } from './icons.tsx'
import { useI18n } from './text.tsx'

export interface FieldProps {
  readonly name: string
  readonly label: ReactNode
  readonly autoComplete: string
  readonly type?: 'text' | 'email' | 'url' | 'number' | 'date'
  readonly maxLength?: number
  readonly error?: string | undefined
  readonly hint?: ReactNode
  readonly defaultValue?: string | undefined
  readonly autoFocus?: boolean
  readonly isOptional?: boolean
  readonly onValue?: (value: string) => void
}

/** The line under an input. Without a message it takes no room. */
export const Message = ({
  id,
  error,
  hint,
}: {
  readonly id: string
  readonly error: string | undefined
  readonly hint: ReactNode
}) => (
  <div id={id} className={error === undefined ? 'field-message' : 'field-message field-error'}>
    {error === undefined ? hint : <span>{error}</span>}
  </div>
)

export const Field = ({
  name,
  label,
  autoComplete,
  type = 'text',
  maxLength,
  error,
  hint,
  defaultValue,
  autoFocus,
  isOptional = false,
  onValue,
}: FieldProps) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        step={type === 'number' ? 'any' : undefined}
        maxLength={maxLength}
        autoComplete={autoComplete}
        autoCapitalize={type === 'text' && !autoComplete.startsWith('username') ? undefined : 'none'}
        spellCheck={false}
        defaultValue={defaultValue}
        // biome-ignore lint/a11y/noAutofocus: the form is what the page is for.
        autoFocus={autoFocus}
        aria-required={!isOptional}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-message`}
        onChange={(event) => onValue?.(event.currentTarget.value)}
      />
      <Message id={`${id}-message`} error={error} hint={hint} />
    </div>
  )
}

type PasswordFieldProps = Omit<FieldProps, 'type' | 'autoComplete'> & {
  readonly autoComplete: 'current-password' | 'new-password'
  /** What makers of passwords keep to, as Apple's browsers read it (`passwordrules`). */
  readonly rules?: string
  /** Hides the text again while the form is being sent, so that the browser offers to keep it. */
  readonly sending: boolean
}

/** A password input that can be looked at, and that notices Caps Lock. */
export const PasswordField = (props: PasswordFieldProps) => {
  const { name, label, autoComplete, defaultValue, error, hint, autoFocus, onValue, sending, rules } = props
  const id = useId()
  const { t } = useI18n()
  const [shown, setShown] = useState(false)
  const [capsLock, setCapsLock] = useState(false)
  const watch = (event: KeyboardEvent<HTMLInputElement>) => setCapsLock(event.getModifierState('CapsLock'))
  const caps = capsLock ? (
    <span className="field-caps">
      <Icon name="alert" size={15} />
      {t('field.capsLock')}
    </span>
  ) : undefined
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="field-box">
        <input
          id={id}
          name={name}
          type={shown && !sending ? 'text' : 'password'}
          autoComplete={autoComplete}
          {...{ passwordrules: rules }}
          autoCapitalize="none"
          spellCheck={false}
          defaultValue={defaultValue}
          // biome-ignore lint/a11y/noAutofocus: the address is known, only the password is missing.
          autoFocus={autoFocus}
          aria-required="true"
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-message`}
          onKeyDown={watch}
          onKeyUp={watch}
          onBlur={() => setCapsLock(false)}
          onChange={(event) => onValue?.(event.currentTarget.value)}
        />
        <button
          className="field-reveal"
          type="button"
          aria-pressed={shown}
          aria-controls={id}
          aria-label={t('field.showPassword')}
          title={t(shown ? 'field.hidePassword' : 'field.showPassword')}
          onClick={() => setShown(!shown)}
        >
          <Icon name={shown ? 'eyeOff' : 'eye'} />
        </button>
      </div>
      <Message id={`${id}-message`} error={error} hint={caps ?? hint} />
    </div>
  )
}

interface SelectFieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly isOptional?: boolean
  readonly defaultValue: string
  readonly options: readonly { readonly value: string; readonly text: string; readonly lang?: string }[]
  readonly onValue?: (value: string) => void
}

export const SelectField = ({
  name,
  label,
  hint,
  error,
  isOptional = true,
  defaultValue,
  options,
  onValue,
}: SelectFieldProps) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="field-box">
        <select
          id={id}
          name={name}
          defaultValue={defaultValue}
          aria-required={!isOptional}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-message`}
          onChange={(event) => onValue?.(event.currentTarget.value)}
        >
          {options.map(({ value, text, lang }) => (
            <option key={value} value={value} lang={lang}>
              {text}
            </option>
          ))}
        </select>
        <Icon name="down" size={18} />
      </div>
      <Message id={`${id}-message`} error={error} hint={hint} />
    </div>
  )
}
