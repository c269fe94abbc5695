import { coreErrors, type Issue } from '../../core/errors.ts'
import type { FieldConfig } from './config.ts'
import type { WritableField } from './contract.ts'
import { type FieldValue, type FieldValues, isOfType, schemaOf, usualMaxLength } from './rules.ts'

/** Largest size of all fields of a user in bytes: every request with a session reads them. */
const mostBytes = 8192

const invalid = (issues: readonly Issue[]) => coreErrors.error('VALIDATION_ERROR', { message: 'Invalid body parameters', issues })

export interface UserFields {
  /** The configured, returned fields of a user; a field without a stored value has its default, else null. */
  read(stored: FieldValues | null): FieldValues
  /** The fields of a sign-up. Throws VALIDATION_ERROR with each field that is missing, invalid or not for users. */
  forSignUp(body: Readonly<Record<string, unknown>>): FieldValues
  /** The fields that a user changes; other names are ignored. Throws the errors of `forSignUp`, but no field is required. */
  forUpdate(body: Readonly<Record<string, unknown>>): FieldValues
  /** True for a field of the configuration. */
  has(name: string): boolean
  /** All fields from an operator's `name=value`. Throws VALIDATION_ERROR, also for unknown names. */
  forOperator(assignments: readonly string[]): FieldValues
  /** Fields from an administrator's JSON. Throws the errors of `forOperator`. */
  forAdministrator(body: Readonly<Record<string, unknown>>): FieldValues
  /** The stored fields with the changes. Throws VALIDATION_ERROR for more than 8 kB in total. */
  merge(stored: FieldValues | null, changes: FieldValues): FieldValues | null
  /** The fields that users set, for forms of pages. */
  readonly writable: readonly WritableField[]
}

const fromText = ({ type }: FieldConfig, text: string): unknown => {
  if (type === 'number') return text.trim() === '' ? text : Number(text)
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}

export const createUserFields = (config: Readonly<Record<string, FieldConfig>>): UserFields => {
  const fields = Object.entries(config).map(([name, field]) => {
    const schema = schemaOf(field)
    // In stored form.
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
