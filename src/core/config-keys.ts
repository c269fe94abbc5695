import { z } from 'zod'
import { withoutQuotes } from './environment.ts'
import type { Weakening } from './setting-words.ts'

/** A key of the configuration, for the documentation and for environment variables. */
export interface ConfigKey {
  /** `sessions.freshAgeSeconds` */
  readonly path: readonly string[]
  /** `GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS` */
  readonly variable: string
  /** The built-in names of `<NAME>` in path and variable. */
  readonly names: readonly string[]
  readonly type: string
  readonly secret: boolean
  /** True if an empty variable is refused, because without the key a node would use another instance, or have less protection. */
  readonly neverEmpty: boolean
  readonly description: string
  readonly default: unknown
  /** The values of a key that accepts only some words; null for others. */
  readonly options: readonly string[] | null
  /** True for a key that a node reads once, at its start: the database cannot hold it. */
  readonly needsRestart: boolean
  /** Changes of the key that lower security, and so need a recent proof. */
  readonly weakened: Weakening
}

interface JsonSchema {
  readonly type?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly const?: string
  readonly anyOf?: readonly JsonSchema[]
}

/** The metadata of a key or a section, besides its values. */
interface Meta {
  readonly description?: string | undefined
  readonly secret?: boolean | undefined
  readonly neverEmpty?: boolean | undefined
  /** Built-in names of sections whose name the operator chooses. */
  readonly names?: readonly string[] | undefined
  /** Name of the variable without its prefix, where it does not follow from the path. */
  readonly variable?: string | undefined
  /** These two apply to a whole section if its keys do not set them. */
  readonly needsRestart?: boolean | undefined
  readonly weakened?: Weakening | undefined
}

/** The placeholder in a path and a variable for a section whose name the operator chooses. */
export const anyName = '<NAME>'

const upper = (name: string) => (name === anyName ? name : name.replace(/([A-Z])/g, '_$1').toUpperCase())

/** The values that the key accepts; null is written by leaving the key out. */
const typesOf = ({ type = 'string', enum: values, const: only, anyOf }: JsonSchema): readonly string[] =>
  (anyOf?.flatMap(typesOf) ?? values ?? [only ?? type]).filter((one) => one !== 'null')

interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>
  /** Keys of sections with other names. */
  readonly catchall?: z.ZodType
  /** The schema within `optional`, `default` and the like, and before a `transform`. */
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
}

/** The innermost definition of a schema, with the metadata of all wrappers around it (`optional`, `default`). Metadata of an outer wrapper wins. */
const unwrap = (schema: z.ZodType): Definition & { readonly meta: Meta } => {
  const definition = schema.def as Definition
  const inner = definition.innerType ?? definition.in
  const { meta: before, ...bare } = inner === undefined ? { ...definition, meta: {} } : unwrap(inner)
  return { ...bare, meta: { ...before, ...schema.meta() } }
}

/** A key whose type and default are computed on first use: a start needs neither, and their JSON Schema takes time. */
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

/** Keys of each schema, computed once: schemas do not change. */
const keysOfSchemas = new WeakMap<z.ZodType, readonly ConfigKey[]>()

/** Every key of a schema, in order; nested objects are sections. */
export const listKeys = (schema: z.ZodType): readonly ConfigKey[] => {
  const keys = keysOfSchemas.get(schema) ?? readKeys(schema)
  keysOfSchemas.set(schema, keys)
  return keys
}

/** The key of a dotted name, with the name of the section where the operator chooses it; undefined for a name that no key has. */
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

/** `ACME_EU` for the sections `acme_eu` and `acme-eu`. */
const variableName = (name: string) => name.replaceAll('-', '_').toUpperCase()

/** The key for a variable. The name of an operator's section comes from `sections`, else from the variable, in lower case. */
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
    // `GATEHOUSE_SOCIAL_ACME_CLIENT_ID`, spelled like the others, is `GATEHOUSE_ACME_CLIENT_ID`.
    const section = `GATEHOUSE_${key.path.slice(0, key.path.indexOf(anyName)).map(upper).join('_')}_`
    const name = variable.slice(variable.startsWith(section) ? section.length : before.length, -after.length)
    return /^[A-Z0-9][A-Z0-9_]*$/.test(name) ? [{ key, name, rest: after.length }] : []
  })
  // `…_CLAIMS_NAME` is the key `claims.name`, not `name` of a provider called CLAIMS.
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

/** Text of the environment as the key's type. Text of another type stays text, so that the schema can name the expected type. */
export const fromText = ({ type }: Pick<ConfigKey, 'type'>, value: string): unknown => {
  // A mapping, and a list of mappings, is written as JSON.
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

/** Letters to insert, remove, replace or swap with their neighbour until one word is the other. */
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

/** ` (did you mean port?)` for a word that is similar to a known one, else an empty text. */
export const didYouMean = (word: string, known: readonly string[]): string => {
  const near = known
    .map((name) => ({ name, far: distance(word.toLowerCase().slice(0, 100), name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)[0]
  return near === undefined || near.far > Math.max(2, Math.floor(word.length / 4)) ? '' : ` (did you mean ${near.name}?)`
}
