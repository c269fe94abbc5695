import { z } from 'zod'
import { withoutQuotes } from './environment.ts'
import type { Weakening } from './setting-words.ts'

/** A configuration key, with all that documentation and environment variables need to know about it. */
export interface ConfigKey {
  /** The parts of the key's dotted name: `sessions.freshAgeSeconds` has the path `['sessions', 'freshAgeSeconds']`. */
  readonly path: readonly string[]
  /** The environment variable of the key, such as `GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS`. */
  readonly variable: string
  /** Path and variable may contain `<NAME>`. These are the built-in names that can stand in its place. */
  readonly names: readonly string[]
  readonly type: string
  readonly secret: boolean
  /**
   * True if an empty environment variable is an error, and does not count as missing. Without such a key, a node would use another
   * instance or have less protection.
   */
  readonly neverEmpty: boolean
  readonly description: string
  readonly default: unknown
  /** The words that the key accepts as its value. Null if the key accepts other values, too. */
  readonly options: readonly string[] | null
  /** True for a key that a node reads only when it starts. Such a key cannot be set in the database. */
  readonly needsRestart: boolean
  /** Which changes of this configuration key lower security. Whoever makes such a change must have proved their identity recently. */
  readonly weakened: Weakening
}

interface JsonSchema {
  readonly type?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly const?: string
  readonly anyOf?: readonly JsonSchema[]
}

/** The metadata that a schema has for a key or section. */
interface Meta {
  readonly description?: string | undefined
  readonly secret?: boolean | undefined
  readonly neverEmpty?: boolean | undefined
  /** For a section whose subsections have names that operators choose: the names that are built in. */
  readonly names?: readonly string[] | undefined
  /** Name of the environment variable without its prefix `GATEHOUSE_`. Set if it differs from the name that follows from the path. */
  readonly variable?: string | undefined
  /** If a section sets `needsRestart` or `weakened`, the value holds for all keys of the section. */
  readonly needsRestart?: boolean | undefined
  readonly weakened?: Weakening | undefined
}

/** In paths and variables, this placeholder stands for the name that an operator chooses for a section. */
export const anyName = '<NAME>'

const upper = (name: string) => (name === anyName ? name : name.replace(/([A-Z])/g, '_$1').toUpperCase())

/** The types of values that the key accepts. Null is left out: an operator sets null by leaving out the key. */
const typesOf = ({ type = 'string', enum: values, const: only, anyOf }: JsonSchema): readonly string[] =>
  (anyOf?.flatMap(typesOf) ?? values ?? [only ?? type]).filter((one) => one !== 'null')

interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>
  /** The schema for keys that `shape` does not name. */
  readonly catchall?: z.ZodType
  /** The schema inside of a wrapper such as `optional` or `default`, or the schema before a `transform`. */
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
}

/**
 * Removes the wrappers around a schema (`optional`, `default`), and joins their metadata. If an outer and an inner schema have the same
 * metadata field, the outer one wins.
 */
const unwrap = (schema: z.ZodType): Definition & { readonly meta: Meta } => {
  const definition = schema.def as Definition
  const inner = definition.innerType ?? definition.in
  const { meta: before, ...bare } = inner === undefined ? { ...definition, meta: {} } : unwrap(inner)
  return { ...bare, meta: { ...before, ...schema.meta() } }
}

/**
 * A configuration key. Its type and default are computed when they are first used: they require a JSON Schema, which takes time to make,
 * and a starting node does not need them.
 */
const keyOf = (schema: z.ZodType, path: readonly string[], names: readonly string[], meta: Meta): ConfigKey => {
  const json = () => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return {
    ...{ path, names, secret: meta.secret === true, neverEmpty: meta.neverEmpty === true, description: meta.description ?? '' },
    variable: `GATEHOUSE_${meta.variable ?? path.map(upper).join('_')}`,
    ...{ needsRestart: meta.needsRestart === true, weakened: meta.weakened ?? 'always' },
    get options() {
      const { enum: values, anyOf = [] } = json()
      const words = values ?? (anyOf.every((one) => (one.enum ?? one.const) !== undefined) ? anyOf.flatMap(typesOf) : [])
      return words.length === 0 ? null : words
    },
    get type() {
      return typesOf(json()).join(' | ')
    },
    get default() {
      return json().default
    },
  }
}

type Inherited = Pick<Meta, 'needsRestart' | 'weakened'>

const readKeys = (
  schema: z.ZodType,
  path: readonly string[] = [],
  names: readonly string[] = [],
  section: Inherited = {},
): readonly ConfigKey[] => {
  const { shape, catchall, meta: own } = unwrap(schema)
  const meta = { ...section, ...own }
  if (shape === undefined) return [keyOf(schema, path, names, meta)]
  const inherited = { needsRestart: meta.needsRestart, weakened: meta.weakened }
  const keys = Object.entries(shape).flatMap(([name, child]) => readKeys(child, [...path, name], names, inherited))
  const hasSections = catchall !== undefined && unwrap(catchall).shape !== undefined
  return hasSections ? [...keys, ...readKeys(catchall, [...path, anyName], meta.names ?? [], inherited)] : keys
}

/** The configuration keys of each schema. They are stored because a schema does not change. */
const keysOfSchemas = new WeakMap<z.ZodType, readonly ConfigKey[]>()

/** Lists every configuration key of a schema, in order. Nested objects are sections. */
export const listKeys = (schema: z.ZodType): readonly ConfigKey[] => {
  const keys = keysOfSchemas.get(schema) ?? readKeys(schema)
  keysOfSchemas.set(schema, keys)
  return keys
}

/**
 * Finds a configuration key by its dotted name. The name may contain the name of a section that an operator chose. Undefined if no key
 * has this name.
 */
export const keyOfName = (keys: readonly ConfigKey[], name: string): ConfigKey | undefined => {
  const parts = name.split('.')
  const fits = ({ path }: ConfigKey) =>
    path.length === parts.length &&
    path.every((part, i) => part === parts[i] || (part === anyName && /^[a-z0-9][a-z0-9_-]{0,63}$/i.test(parts[i] ?? '')))
  const key = keys.find(({ path }) => path.join('.') === name) ?? keys.find(fits)
  if (key === undefined || !key.path.includes(anyName)) return key
  const variable = key.variable.replace(anyName, variableName(parts[key.path.indexOf(anyName)] ?? ''))
  return { ...key, path: parts, variable }
}

/** How an environment variable spells the name of a section. For example, both sections `acme_eu` and `acme-eu` are `ACME_EU`. */
const variableName = (name: string) => name.replaceAll('-', '_').toUpperCase()

/**
 * Finds the configuration key for an environment variable. The variable may contain the name of a section that an operator chose, in
 * upper case. If `sections` has that section, its spelling is used; otherwise the name in lower case.
 */
export const keyOfVariable = (
  keys: readonly ConfigKey[],
  variable: string,
  sections: (path: readonly string[]) => readonly string[],
): ConfigKey | undefined => {
  const exact = keys.find((key) => key.variable === variable)
  if (exact !== undefined) return exact
  const matches = keys.flatMap((key) => {
    const [before = '', after] = key.variable.split(anyName)
    if (after === undefined || !variable.startsWith(before) || !variable.endsWith(after)) return []
    // A variable may also begin with its section, as other variables do. So `GATEHOUSE_SOCIAL_ACME_CLIENT_ID` means the same key as
    // `GATEHOUSE_ACME_CLIENT_ID`.
    const section = `GATEHOUSE_${key.path.slice(0, key.path.indexOf(anyName)).map(upper).join('_')}_`
    const name = variable.slice(variable.startsWith(section) ? section.length : before.length, -after.length)
    return /^[A-Z0-9][A-Z0-9_]*$/.test(name) ? [{ key, name, rest: after.length }] : []
  })
  // If a variable could mean several keys, the key with the longest end wins: `…_CLAIMS_NAME` means the key `claims.name`, not the key
  // `name` of a provider called CLAIMS.
  const [found] = matches.sort((a, b) => b.rest - a.rest)
  if (found === undefined) return undefined
  const { key, name } = found
  const at = key.path.indexOf(anyName)
  const known = [...key.names, ...sections(key.path.slice(0, at))]
  const chosen = known.find((one) => variableName(one) === name) ?? name.toLowerCase()
  return { ...key, variable, path: key.path.map((part) => (part === anyName ? chosen : part)) }
}

const fromJson = (value: string): unknown => {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/**
 * Converts text from the environment to the type of the key. Text that does not fit stays text, so that the schema can name the expected
 * type.
 */
export const fromText = ({ type }: Pick<ConfigKey, 'type'>, value: string): unknown => {
  // In a variable, a mapping or a list of mappings is written as JSON.
  if (type === 'object' || (type === 'array' && /^\s*\[/.test(value))) return fromJson(value)
  if (type === 'array')
    return value
      .split(/[,\n]/)
      .map((part) => withoutQuotes(part.trim()).trim())
      .filter((part) => part !== '')
  if (type === 'boolean') return /^true$/i.test(value) || (/^false$/i.test(value) ? false : value)
  const isNumber = type.split(' | ').some((one) => one === 'integer' || one === 'number')
  return isNumber && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
}

/** Number of edits that turn one word into the other. An edit inserts, removes or replaces one letter, or swaps two neighbouring letters. */
const distance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      const above = rows[i - 1] ?? []
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (rows[i - 2]?.[j - 2] ?? i) + 1 : i + j
      row.push(Math.min((above[j] ?? j) + 1, (row[j - 1] ?? i) + 1, (above[j - 1] ?? j) + cost, swapped))
    }
    rows.push(row)
  }
  return rows.at(-1)?.at(-1) ?? b.length
}

/** Returns a text such as ` (did you mean port?)` if a known word is similar to `word`. Returns an empty text if none is. */
export const didYouMean = (word: string, known: readonly string[]): string => {
  const near = known
    .map((name) => ({ name, far: distance(word.toLowerCase().slice(0, 100), name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)[0]
  return near === undefined || near.far > Math.max(2, Math.floor(word.length / 4)) ? '' : ` (did you mean ${near.name}?)`
}
