import { coreErrors, type Issue } from '../core/errors.ts'
import type { FieldConfig } from './config.ts'
import type { AskedField } from './contract.ts'
import { type FieldValue, type FieldValues, isOfType, schemaOf, usualMaxLength } from './rules.ts'

/** Every request of a session reads them. */
const mostBytes = 8192

const refuse = (issues: readonly Issue[]) => coreErrors.refuse('VALIDATION_ERROR', { message: 'Invalid body parameters', issues })

export interface UserFields {
  /** What answers show of what is kept: configured, returned fields alone, with the default, else null, where nothing is kept. */
  read(kept: FieldValues | null): FieldValues
  /** What a sign-up gives. Throws VALIDATION_ERROR naming every field that is missing, wrong or not for users. */
  forSignUp(body: Readonly<Record<string, unknown>>): FieldValues
  /** What a user changes; other names are ignored. Throws as `forSignUp`, but nothing need be there. */
  forUpdate(body: Readonly<Record<string, unknown>>): FieldValues
  /** `name=value` of an operator, who writes any field. Throws VALIDATION_ERROR, for unknown names too. */
  forOperator(assignments: readonly string[]): FieldValues
  /** Throws VALIDATION_ERROR when all of it is longer than 8 kB. */
  merge(kept: FieldValues | null, changes: FieldValues): FieldValues | null
  /** What users write. */
  readonly asked: readonly AskedField[]
}

const fromText = ({ type }: FieldConfig, text: string): unknown => {
  if (type === 'number') return text.trim() === '' ? text : Number(text)
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}

export const createUserFields = (config: Readonly<Record<string, FieldConfig>>): UserFields => {
  const fields = Object.entries(config).map(([name, field]) => {
    const schema = schemaOf(field)
    // In the form that values are kept in.
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
    if (issues.length > 0) throw refuse(issues)
    return values
  }

  return {
    read: (kept) =>
      Object.fromEntries(
        returned.map(({ name, field, fallback }) => {
          const value = kept !== null && Object.hasOwn(kept, name) ? kept[name] : undefined
          const isGood = value !== undefined && isOfType(field.type, value)
          return [name, isGood ? value : fallback]
        }),
      ),
    forSignUp: (body) => parse(body, 'user', true),
    forUpdate: (body) => parse(body, 'user', false),
    forOperator: (assignments) => {
      const body: Record<string, unknown> = {}
      for (const assignment of assignments) {
        const [name = '', ...text] = assignment.split('=')
        const field = Object.hasOwn(config, name) ? config[name] : undefined
        if (field === undefined || text.length === 0)
          throw refuse([{ path: name, message: field === undefined ? 'is no field of users.fields' : 'expected name=value' }])
        body[name] = fromText(field, text.join('='))
      }
      return parse(body, 'operator', false)
    },
    merge: (kept, changes) => {
      const names = Object.keys(changes)
      if (names.length === 0) return kept
      const merged = { ...kept, ...changes }
      if (Buffer.byteLength(JSON.stringify(merged)) > mostBytes)
        throw refuse(names.map((path) => ({ path, message: `all extra fields together take at most ${mostBytes} bytes` })))
      return merged
    },
    asked: fields.flatMap(({ name, field, fallback }) =>
      field.writableBy === 'operator'
        ? []
        : {
            ...{ name, type: field.type, required: field.required, returned: field.returned, default: fallback },
            ...{ values: field.values ?? null, maxLength: field.maxLength ?? usualMaxLength, label: field.label ?? name },
          },
    ),
  }
}
