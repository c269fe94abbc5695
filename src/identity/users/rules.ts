import { z } from 'zod'
import { plainText } from '../../core/wire.ts'

/** The value of a configured field. A date is text in ISO 8601. */
export type FieldValue = string | number | boolean | null
export type FieldValues = Readonly<Record<string, FieldValue>>
export const isFieldValue = (value: unknown): value is FieldValue =>
  value === null || /^(string|number|boolean)$/.test(typeof value)

interface Shape {
  readonly type: 'string' | 'number' | 'boolean' | 'date'
  readonly required: boolean
  readonly values?: readonly string[] | undefined
  readonly maxLength?: number | undefined
}

export const usualMaxLength = 200

/** The schema of a configured field's stored values. A date is stored with its time, because clients of Better Auth expect that. */
export const schemaOf = ({ type, values, maxLength = usualMaxLength, required }: Shape): z.ZodType<FieldValue> => {
  const text = plainText(maxLength).refine((given) => !required || given.trim() !== '', 'must not be empty')
  const value = {
    string: () => (values === undefined ? text : z.enum(values as [string, ...string[]])),
    number: () => z.number(),
    boolean: () => z.boolean(),
    date: () =>
      z
        .union([z.iso.date(), z.iso.datetime({ offset: true })], 'expected a date such as 2026-11-22')
        .transform((given) => new Date(given).toISOString()),
  }[type]()
  return required ? value : value.nullable()
}

/** False for a value that was stored while the field had another type. */
export const isOfType = (type: Shape['type'], value: FieldValue): boolean =>
  value === null || (type === 'date' ? typeof value === 'string' && !Number.isNaN(Date.parse(value)) : typeof value === type)
