import { z } from 'zod'
import { plainText } from '../../core/wire.ts'
import type { FieldConfig } from './config.ts'
import type { UserShape } from './contract.ts'
import type { UserNamesConfig } from './names/config.ts'
import { schemaOf } from './rules.ts'

/** The schema of a field in answers. The field is null for a user who has no value. */
const shownAs = (field: FieldConfig): z.ZodType =>
  (field.type === 'date' ? z.iso.datetime() : schemaOf({ ...field, required: true })).nullable()

const shape = (fields: readonly (readonly [string, FieldConfig])[], schema: (field: FieldConfig) => z.ZodType) =>
  Object.fromEntries(fields.map(([name, field]) => [name, schema(field)]))

/** Returns the fields that the configuration adds to the schemas of users. The API document of the instance contains them. */
export const createUserSchemas = (
  config: Readonly<Record<string, FieldConfig>>,
  mode: UserNamesConfig['mode'],
): Readonly<Record<UserShape, z.ZodObject>> => {
  const fields = Object.entries(config)
  const own = fields.filter(([, { writableBy }]) => writableBy === 'user')
  const name = plainText(100)
  const names = (schema: z.ZodType, display = schema) => (mode === 'off' ? {} : { username: schema, displayUsername: display })
  return {
    shown: z.object({
      ...shape(
        fields.filter(([, { returned }]) => returned),
        shownAs,
      ),
      ...names(z.string().nullable()),
    }),
    'sign-up': z.object({
      ...shape(own, (field) => (field.required && field.default === undefined ? schemaOf(field) : schemaOf(field).optional())),
      ...names(mode === 'required' ? name : name.nullable().optional(), name.nullable().optional()),
    }),
    change: z.object({ ...shape(own, (field) => schemaOf(field).optional()), ...names(name.nullable().optional()) }),
    operator: z.object(shape(fields, (field) => schemaOf(field).optional())),
  }
}
