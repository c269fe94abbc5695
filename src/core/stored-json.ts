/**
 * Parsers for JSON that the database stores. Stored JSON is always parsed, and never only cast to a type. Where time does not matter, a
 * zod schema parses it. What every request reads is parsed by the functions in this file: they check the fields that the program uses,
 * and return the value itself. zod would copy the value. For a payload with 16 fields zod takes 1.2 µs and `record` 10 ns, beside 1.1 µs
 * for `JSON.parse`.
 */

/** Turns a stored value into a typed one. Throws if the value has another form. Every zod schema is such a parser. */
export interface Parser<T> {
  parse(value: unknown): T
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The message does not contain the value, because it may be a secret. */
const refuse = (expected: string): never => {
  throw new Error(`stored JSON is not what is expected: ${expected}`)
}

/** Accepts any object. */
export const record: Parser<Readonly<Record<string, unknown>>> = {
  parse: (value) => (isObject(value) ? value : refuse('an object')),
}

/** Accepts a list of texts. */
export const texts: Parser<readonly string[]> = {
  parse: (value) => {
    const isText = (item: unknown): item is string => typeof item === 'string'
    return Array.isArray(value) && value.every(isText) ? value : refuse('a list of texts')
  },
}

/** Accepts an object if `isValue` is true for each of its values. */
export const recordOf = <T>(isValue: (value: unknown) => value is T): Parser<Readonly<Record<string, T>>> => {
  const isWhole = (object: Readonly<Record<string, unknown>>): object is Readonly<Record<string, T>> =>
    Object.values(object).every(isValue)
  return { parse: (value) => (isObject(value) && isWhole(value) ? value : refuse('an object of single values')) }
}

const kinds = {
  text: (value: unknown) => typeof value === 'string',
  'text or null': (value: unknown) => typeof value === 'string' || value === null,
  number: (value: unknown) => typeof value === 'number',
  boolean: (value: unknown) => typeof value === 'boolean',
  list: (value: unknown) => Array.isArray(value),
  object: isObject,
} as const

/** For each field, the names of the checks that fit its type. */
type Fields<T> = { readonly [K in keyof T]?: KindOf<NonNullable<T[K]> | Extract<T[K], null>> }
type KindOf<V> = [V] extends [string]
  ? 'text'
  : [V] extends [number]
    ? 'number'
    : [V] extends [boolean]
      ? 'boolean'
      : [V] extends [string | null]
        ? 'text or null'
        : [V] extends [readonly unknown[]]
          ? 'list'
          : [V] extends [object]
            ? 'object'
            : never

const checksOf = (fields: object) => Object.entries<keyof typeof kinds>({ ...fields })

/** Accepts an object with these fields. The fields in `optional` may be missing. Other fields are allowed and not checked. */
export const objectWith = <T extends object>(fields: Fields<T>, optional: Fields<T> = {}): Parser<T> => {
  const [checks, further] = [checksOf(fields), checksOf(optional)]
  const isWhole = (value: unknown): value is T =>
    isObject(value) &&
    checks.every(([key, kind]) => kinds[kind](value[key])) &&
    further.every(([key, kind]) => value[key] === undefined || kinds[kind](value[key]))
  return {
    parse: (value) =>
      isWhole(value) ? value : refuse(`an object with ${[...checks, ...further].map((check) => check.join(': ')).join(', ')}`),
  }
}

/** Accepts a list if the parser accepts each of its elements. */
export const listOf = <T>({ parse }: Parser<T>): Parser<readonly T[]> => ({
  parse: (value) => (Array.isArray(value) ? value.map(parse) : refuse('a list')),
})

/** Parses a JSON text. Throws SyntaxError and the errors of the parser. */
export const parseStored = <T>(parser: Parser<T>, text: string): T => parser.parse(JSON.parse(text))
