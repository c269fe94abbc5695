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
  /** The value, if the caller stores it. Without it, the input stores the value itself and begins with `defaultValue`. */
  readonly value?: string
  readonly defaultValue?: string | undefined
  readonly autoFocus?: boolean
  readonly isOptional?: boolean
  readonly onValue?: (value: string) => void
}

interface MessageProps {
  readonly id: string
  readonly error: string | undefined
  readonly hint: ReactNode
  /** True if the line changes while the person types. Screen readers then read out the new text. */
  readonly isLive?: boolean
}

/** The line below an input. Without a message it takes no space. */
export const Message = ({ id, error, hint, isLive = false }: MessageProps) => (
  <div
    id={id}
    className={error === undefined ? 'field-message' : 'field-message field-error'}
    role={isLive ? 'status' : undefined}
  >
    {error === undefined ? hint : <span>{error}</span>}
  </div>
)

interface FieldFrameProps extends Partial<Pick<MessageProps, 'error' | 'hint' | 'isLive'>> {
  readonly label: ReactNode
  /** Renders the control with the attributes that connect it with its label and message. */
  readonly children: (control: {
    readonly id: string
    readonly 'aria-invalid': boolean
    readonly 'aria-describedby': string
  }) => ReactNode
}

/** The label of a control, the control, and the line below it. */
export const FieldFrame = ({ label, error, hint, isLive = false, children }: FieldFrameProps) => {
  const id = useId()
  const message = `${id}-message`
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': error !== undefined, 'aria-describedby': message })}
      <Message id={message} error={error} hint={hint} isLive={isLive} />
    </div>
  )
}

export const Field = ({
  name,
  label,
  autoComplete,
  type = 'text',
  maxLength,
  error,
  hint,
  value,
  defaultValue,
  autoFocus,
  isOptional = false,
  onValue,
}: FieldProps) => (
  <FieldFrame label={label} error={error} hint={hint}>
    {(control) => (
      <input
        name={name}
        type={type}
        step={type === 'number' ? 'any' : undefined}
        maxLength={maxLength}
        autoComplete={autoComplete}
        autoCapitalize={type === 'text' && !autoComplete.startsWith('username') ? undefined : 'none'}
        spellCheck={false}
        value={value}
        defaultValue={defaultValue}
        // biome-ignore lint/a11y/noAutofocus: the form is the purpose of the page.
        autoFocus={autoFocus}
        aria-required={!isOptional}
        {...control}
        onChange={(event) => onValue?.(event.currentTarget.value)}
      />
    )}
  </FieldFrame>
)

type PasswordFieldProps = Omit<FieldProps, 'type' | 'value' | 'autoComplete'> & {
  readonly autoComplete: 'current-password' | 'new-password'
  /** Rules for password generators, in the syntax of Apple's attribute `passwordrules`. */
  readonly rules?: string
  /** True while the form is being sent. The text is then hidden, so that the browser offers to save it. */
  readonly sending: boolean
}

/** A password input with a button that shows the text. It also warns about Caps Lock. */
export const PasswordField = (props: PasswordFieldProps) => {
  const { name, label, autoComplete, defaultValue, error, hint, autoFocus, onValue, sending, rules } = props
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
    <FieldFrame label={label} error={error} hint={caps ?? hint}>
      {(control) => (
        <div className="field-box">
          <input
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
            {...control}
            onKeyDown={watch}
            onKeyUp={watch}
            onBlur={() => setCapsLock(false)}
            onChange={(event) => onValue?.(event.currentTarget.value)}
          />
          <button
            className="field-reveal"
            type="button"
            aria-pressed={shown}
            aria-controls={control.id}
            aria-label={t('field.showPassword')}
            title={t(shown ? 'field.hidePassword' : 'field.showPassword')}
            onClick={() => setShown(!shown)}
          >
            <Icon name={shown ? 'eyeOff' : 'eye'} />
          </button>
        </div>
      )}
    </FieldFrame>
  )
}

interface SelectFieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly isOptional?: boolean
  /** The value, if the caller stores it. Without it, the select stores the value itself and begins with `defaultValue`. */
  readonly value?: string
  readonly defaultValue?: string
  readonly options: readonly { readonly value: string; readonly text: string; readonly lang?: string }[]
  readonly onValue?: (value: string) => void
}

export const SelectField = ({
  name,
  label,
  hint,
  error,
  isOptional = true,
  value: chosen,
  defaultValue,
  options,
  onValue,
}: SelectFieldProps) => (
  <FieldFrame label={label} error={error} hint={hint}>
    {(control) => (
      <div className="field-box">
        <select
          name={name}
          value={chosen}
          defaultValue={defaultValue}
          aria-required={!isOptional}
          {...control}
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
    )}
  </FieldFrame>
)
