/** The parts of the server's OpenAPI 3.1 document that the API documentation shows. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Content {
  readonly schema?: Schema
  readonly example?: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

interface Response {
  readonly description: string
  readonly content?: Readonly<Record<string, Content>>
}

interface DocumentOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Response>>
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly securitySchemes?: Readonly<Record<string, { readonly type: string; readonly name?: string }>>
  }
}

export interface Operation extends DocumentOperation {
  readonly method: string
  readonly path: string
  readonly tag: string
}

/** All operations of the document, in the order of their paths. */
export const operationsOf = ({ paths }: ApiDocument): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      tag: operation.tags[0] ?? 'Other',
    })),
  )

/** True when every word of `text` occurs in the method, path, name, texts or error codes of the operation, in any case. */
export const matchesSearch = (operation: Operation, text: string): boolean => {
  const { method, path, operationId, summary, description = '', tag, responses } = operation
  const errors = Object.values(responses).map((response) => response.description)
  const searched = [method, path, operationId, summary, description, tag, ...errors].join(' ').toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}

/**
 * The name of a schema, which is the last part of its `$ref`. Undefined for a schema without `$ref`, and for a name that the generator
 * made up.
 */
export const nameOf = ({ $ref }: Schema): string | undefined => {
  const name = $ref?.split('/').at(-1)
  return name === undefined || name.startsWith('__') ? undefined : name
}

/** Follows the `$ref` of a schema. A schema without `$ref` is returned unchanged. */
export const resolve = (document: ApiDocument, schema: Schema): Schema => {
  const name = schema.$ref?.split('/').at(-1)
  const target = name === undefined ? undefined : document.components.schemas?.[name]
  return target === undefined ? schema : resolve(document, target)
}

export const alternativesOf = ({ anyOf, oneOf }: Schema): readonly Schema[] => anyOf ?? oneOf ?? []

/** The type of a schema in one line: `array of Member`, `"a" | "b"`, `string (date-time) | null`. */
export const typeOf = (document: ApiDocument, schema: Schema): string => {
  const name = nameOf(schema)
  if (name !== undefined) return name
  const { type, format, items, enum: values, const: value, additionalProperties, ...rest } = resolve(document, schema)
  if (value !== undefined) return JSON.stringify(value)
  if (values !== undefined) return values.map((choice) => JSON.stringify(choice)).join(' | ')
  const alternatives = alternativesOf(rest)
  if (alternatives.length > 0) return [...new Set(alternatives.map((choice) => typeOf(document, choice)))].join(' | ')
  if (items !== undefined) return `array of ${typeOf(document, items)}`
  if (typeof additionalProperties === 'object' && rest.properties === undefined)
    return `map of ${typeOf(document, additionalProperties)}`
  const types = typeof type === 'string' ? [type] : (type ?? ['any'])
  return types.map((word) => (word !== 'null' && format !== undefined ? `${word} (${format})` : word)).join(' | ')
}

const limits: readonly (readonly [name: keyof Schema, text: string])[] = [
  ['minLength', 'at least # characters'],
  ['maxLength', 'at most # characters'],
  ['minimum', 'at least #'],
  ['exclusiveMinimum', 'more than #'],
  ['maximum', 'at most #'],
  ['minItems', 'at least # items'],
  ['maxItems', 'at most # items'],
  ['pattern', 'matches #'],
  ['default', 'default #'],
]

/** The constraints of a value other than its type, as texts. Constraints that exclude nothing, such as a minimum length of 0, are left out. */
export const limitsOf = (schema: Schema): readonly string[] =>
  limits.flatMap(([name, text]) => {
    const value = schema[name]
    if (value === undefined || (name === 'minLength' && value === 0) || value === Number.MAX_SAFE_INTEGER) return []
    if (value === Number.MIN_SAFE_INTEGER) return []
    return [text.replace('#', () => (typeof value === 'string' && name === 'pattern' ? value : JSON.stringify(value)))]
  })

/** The schema whose fields are to be shown: the schema itself, or the schema of its items, its values or its first alternative with fields. */
export const fieldsOf = (document: ApiDocument, schema: Schema): Schema | undefined => {
  const resolved = resolve(document, schema)
  if (resolved.properties !== undefined) return resolved
  const { items, additionalProperties } = resolved
  const inner = [
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...alternativesOf(resolved),
  ]
  for (const candidate of inner) {
    const found = fieldsOf(document, candidate)
    if (found !== undefined) return found
  }
  return undefined
}

export interface ErrorLine {
  readonly status: string
  readonly code: string
  readonly message: string
}

/** The error codes of an operation. The document contains them as lines "`CODE`: message" in the description of a response. */
export const errorsOf = ({ responses }: Operation): readonly ErrorLine[] =>
  Object.entries(responses).flatMap(([status, { description }]) =>
    /^[45]/.test(status)
      ? [...description.matchAll(/^`(\w+)`: (.*)$/gm)].map(([, code = '', message = '']) => ({ status, code, message }))
      : [],
  )
