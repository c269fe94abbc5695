import { coreErrors, type Issue } from '../../core/errors.ts'
import type { FieldConfig } from './config.ts'
import type { WritableField } from './contract.ts'
import { type FieldValue, type FieldValues, isOfType, schemaOf, usualMaxLength } from './rules.ts'

/** Largest size of all configured fields of a user together, in bytes. The limit exists because every request with a session reads the fields. */
const mostBytes = 8192

const invalid = (issues: readonly Issue[]) => coreErrors.error('VALIDATION_ERROR', { message: 'Invalid body parameters', issues })

export interface UserFields {
  /** Those configured fields of a user that answers contain. If no value is stored, the field has its default value or null. */
  read(stored: FieldValues | null): FieldValues
  /**
   * Reads the configured fields from the body of a sign-up. Throws VALIDATION_ERROR, which lists each field that is missing or invalid,
   * or that users cannot set themselves.
   */
  forSignUp(body: Readonly<Record<string, unknown>>): FieldValues
  /**
   * Reads the configured fields from a change that users make themselves. Unknown names are ignored, and no field is required. Throws the
   * errors of `forSignUp`.
   */
  forUpdate(body: Readonly<Record<string, unknown>>): FieldValues
  /** True if a configured field has this name. */
  has(name: string): boolean
  /** Reads configured fields from an operator's texts `name=value`. Throws VALIDATION_ERROR for an invalid value and for an unknown name. */
  forOperator(assignments: readonly string[]): FieldValues
  /** Reads configured fields from an administrator's JSON. Throws the errors of `forOperator`. */
  forAdministrator(body: Readonly<Record<string, unknown>>): FieldValues
  /** Applies changes to the stored values. Throws VALIDATION_ERROR if all values together would exceed 8 kB. */
  merge(stored: FieldValues | null, changes: FieldValues): FieldValues | null
  /** The configured fields that users can set themselves, for forms on pages. */
  readonly writable: readonly WritableField[]
}

const fromText = ({ type }: FieldConfig, text: string): unknown => {
  if (type === 'number') return text.trim() === '' ? text : Number(text)
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}

export const createUserFields = (config: Readonly<Record<string, FieldConfig>>): UserFields => {
  const fields = Object.entries(config).map(([name, field]) => {
    const schema = schemaOf(field)
    // The default value in the form in which values are stored.
    const fallback = field.default === undefined ? null : schema.parse(field.default)
    return { name, field, schema, fallback }
  })
  const returned = fields.filter(({ field }) => field.returned)

  const parse = (body: Readonly<Record<string, unknown>>, by: FieldConfig['writableBy'], isNew: boolean): FieldValues => {
    const issues: Issue[] = []
    const values: Record<string, FieldValue> = {}
    for (const { name, field, schema } of fields) {
      const given = Object.hasOwn(body, name) ? body[name] : undefined
      if (given === undefined) {
        if (isNew && field.required && field.default === undefined) issues.push({ path: name, message: 'is required' })
      } else if (by === 'user' && field.writableBy === 'operator') issues.push({ path: name, message: 'is not for users to set' })
      else {
        const parsed = schema.safeParse(given)
        if (parsed.success) values[name] = parsed.data
        else issues.push({ path: name, message: parsed.error.issues[0]?.message ?? 'is wrong' })
      }
    }
    if (issues.length > 0) throw invalid(issues)
    return values
  }

  return {
    read: (stored) =>
      Object.fromEntries(
        returned.map(({ name, field, fallback }) => {
          const value = stored !== null && Object.hasOwn(stored, name) ? stored[name] : undefined
          const isValid = value !== undefined && isOfType(field.type, value)
          return [name, isValid ? value : fallback]
        }),
      ),
    forSignUp: (body) => parse(body, 'user', true),
    forUpdate: (body) => parse(body, 'user', false),
    has: (name) => Object.hasOwn(config, name),
    forOperator: (assignments) => {
      const body: Record<string, unknown> = {}
      for (const assignment of assignments) {
        const [name = '', ...text] = assignment.split('=')
        const field = Object.hasOwn(config, name) ? config[name] : undefined
        if (field === undefined || text.length === 0)
          throw invalid([{ path: name, message: field === undefined ? 'is no field of users.fields' : 'expected name=value' }])
        body[name] = fromText(field, text.join('='))
      }
      return parse(body, 'operator', false)
    },
    forAdministrator: (body) => {
      const unknown = Object.keys(body).filter((name) => !Object.hasOwn(config, name))
      if (unknown.length > 0)
        throw invalid(unknown.map((path) => ({ path, message: 'is no field of a user that can be changed' })))
      return parse(body, 'operator', false)
    },
    merge: (stored, changes) => {
      const names = Object.keys(changes)
      if (names.length === 0) return stored
      const merged = { ...stored, ...changes }
      if (Buffer.byteLength(JSON.stringify(merged)) > mostBytes)
        throw invalid(names.map((path) => ({ path, message: `all extra fields together take at most ${mostBytes} bytes` })))
      return merged
    },
    writable: fields.flatMap(({ name, field, fallback }) =>
      field.writableBy === 'operator'
        ? []
        : {
            ...{ name, type: field.type, required: field.required, returned: field.returned, default: fallback },
            ...{ values: field.values ?? null, maxLength: field.maxLength ?? usualMaxLength, label: field.label ?? name },
          },
    ),
  }
}
