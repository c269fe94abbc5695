import type { Settings } from '../shared/api.ts'
import { Field, SelectField } from '../shared/field.tsx'
import type { FieldErrors, Values } from '../shared/form.tsx'
import type { I18n } from '../shared/i18n.ts'
import { useI18n } from '../shared/text.tsx'

/** A field of the user that the operator has configured. */
export type ExtraField = Settings['userFields'][number]
type Value = ExtraField['default']

/** A field for the user name, or none if people cannot choose their user names. `chosen` is the present user name. */
export const userNameField = ({ userNames }: Settings, { t }: I18n, chosen: unknown = null): readonly ExtraField[] =>
  userNames.mode === 'off' || (chosen !== null && userNames.changeableBy === 'operator')
    ? []
    : [
        {
          ...{ name: 'username', type: 'string', label: t('field.username'), required: userNames.mode === 'required' },
          ...{ returned: true, default: null, values: null, maxLength: 100 },
        },
      ]

/** The form field to which each error about a user name belongs, by error code. */
export const userNameErrors = {
  ...{ USERNAME_IS_ALREADY_TAKEN: 'username', INVALID_USERNAME: 'username', INVALID_DISPLAY_USERNAME: 'username' },
  ...{ USERNAME_TOO_SHORT: 'username', USERNAME_TOO_LONG: 'username', USERNAME_IS_IMMUTABLE: 'username' },
}

const labelOf = ({ label, name }: ExtraField, locale: string): string =>
  typeof label === 'string' ? label : (label[locale] ?? label['en'] ?? Object.values(label)[0] ?? name)

/** Formats a value as the text of its input. A date is a calendar day without a time. */
const textOf = ({ type }: ExtraField, value: Value): string =>
  value === null ? '' : type === 'date' ? String(value).slice(0, 10) : String(value)

const readValue = ({ type }: ExtraField, text: string): Value => {
  if (type === 'boolean') return text !== ''
  if (text.trim() === '') return null
  return type === 'number' ? Number(text) : text.trim()
}

/** Returns the typed values that differ from the former value, or without one from the default. Other values need not be sent. */
export const changedFields = (
  fields: readonly ExtraField[],
  values: Values<string>,
  current: (field: ExtraField) => Value,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = readValue(field, values[field.name] ?? '')
      const before = current(field)
      const isSame = field.type === 'boolean' ? value === before : textOf(field, value) === textOf(field, before)
      return isSame ? [] : [[field.name, value]]
    }),
  )

export const checkExtraFields = (fields: readonly ExtraField[], values: Values<string>, { t }: I18n): FieldErrors<string> =>
  Object.fromEntries(
    fields
      .filter((field) => field.required && readValue(field, values[field.name] ?? '') === null)
      .map(({ name }) => [name, t('problem.valueMissing')]),
  )

interface ExtraInputProps {
  readonly field: ExtraField
  readonly value: Value
  readonly error: string | undefined
}

const ExtraInput = ({ field, value, error }: ExtraInputProps) => {
  const { t, locale } = useI18n()
  const { name, type, required, values, maxLength } = field
  const label = labelOf(field, locale)
  const text = textOf(field, value)
  if (type === 'boolean') {
    return (
      <label className="check">
        <input type="checkbox" name={name} defaultChecked={value === true} />
        <span>{label}</span>
      </label>
    )
  }
  const usual = {
    name,
    label,
    error,
    defaultValue: text,
    isOptional: !required,
    hint: required ? undefined : t('field.optional'),
  }
  if (values === null) {
    const more = type === 'string' ? { maxLength } : { type }
    return <Field {...usual} {...more} autoComplete="off" />
  }
  // The present value stays an option, even if the operator no longer offers it.
  const offered = text === '' || values.includes(text) ? values : [text, ...values]
  return (
    <SelectField
      {...usual}
      options={[{ value: '', text: t('field.choose') }, ...offered.map((one) => ({ value: one, text: one }))]}
    />
  )
}

interface ExtraFieldsProps {
  readonly fields: readonly ExtraField[]
  readonly current: (field: ExtraField) => Value
  readonly errors: FieldErrors<string>
}

/** Inputs for the fields that the operator has configured. */
export const ExtraFields = ({ fields, current, errors }: ExtraFieldsProps) =>
  fields.map((field) => <ExtraInput key={field.name} field={field} value={current(field)} error={errors[field.name]} />)
