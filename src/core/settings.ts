import { resolve } from 'node:path'
import { getPath, type Tree } from './config-file.ts'
import { anyName, type ConfigKey } from './config-keys.ts'

/** Where the value of a key comes from. */
export type SettingSource = 'default' | 'file' | 'environment' | 'flag'

/** The source of a setting, noted by the reader of the configuration; a later source wins. */
export interface SettingOrigin {
  /** A key, or a section with all keys in it. */
  readonly path: readonly string[]
  readonly source: Exclude<SettingSource, 'default'>
  /** The file, variable or flag. */
  readonly from: string
}

/** One key of the configuration as it is in effect. */
export interface Setting {
  /** `sessions.freshAgeSeconds` */
  readonly key: string
  readonly description: string
  /** The type of value that the key accepts, in a word. */
  readonly type: string
  /** Null for a secret, and where nothing is set. */
  readonly value: unknown
  readonly default: unknown
  readonly isSecret: boolean
  /** True when it was set to something, whatever that is. */
  readonly isSet: boolean
  readonly source: SettingSource
  /** The file, variable or flag that set it. */
  readonly from: string | null
  /** The variable that sets it. */
  readonly variable: string
}

/** Keys with the names of the sections that are there in the place of `<NAME>`. */
const expand = (key: ConfigKey, tree: Tree): readonly ConfigKey[] => {
  const at = key.path.indexOf(anyName)
  if (at === -1) return [key]
  const sections = getPath(tree, key.path.slice(0, at))
  if (typeof sections !== 'object' || sections === null) return []
  return Object.entries(sections).flatMap(([name, section]) =>
    typeof section !== 'object' || section === null || Array.isArray(section)
      ? []
      : {
          ...key,
          path: key.path.map((part) => (part === anyName ? name : part)),
          variable: key.variable.replace(anyName, name.replaceAll('-', '_').toUpperCase()),
        },
  )
}

/** An address of any kind may hold a password. */
const withoutPasswords = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(/(\w:\/\/[^\s/:@]*):[^\s/@]+@/g, '$1:…@')
  if (Array.isArray(value)) return value.map(withoutPasswords)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutPasswords(inner)]))
}

const isPrefix = (path: readonly string[], of: readonly string[]) => path.every((part, i) => of[i] === part)

/**
 * Every key with its value, its default and where the value comes from; secrets are set or not set. Type and default are read when they are asked
 * for, as those of the keys are.
 */
export const settingsOf = (keys: readonly ConfigKey[], tree: Tree, origins: readonly SettingOrigin[]): readonly Setting[] =>
  keys
    .flatMap((key) => expand(key, tree))
    .map((key) => {
      const { path, secret } = key
      const value = getPath(tree, path)
      const isSet = value !== undefined && value !== null
      const origin = isSet ? origins.findLast((one) => isPrefix(one.path, path)) : undefined
      return {
        ...{ key: path.join('.'), description: key.description },
        get type() {
          return key.type
        },
        ...{ variable: key.variable, isSecret: secret, isSet },
        get value() {
          return secret ? null : withoutPasswords(value ?? key.default ?? null)
        },
        get default() {
          return key.default ?? null
        },
        source: origin?.source ?? 'default',
        from: origin?.from ?? null,
      }
    })

/** The file of the configuration, or null where none was read. */
export const configurationFile = (settings: readonly Setting[]): string | null => {
  const from = settings.find(({ source }) => source === 'file')?.from ?? undefined
  return from === undefined ? null : resolve(from)
}

const mostNames = 8

/** Names in one line, the first of them where there are many. */
export const someNames = (names: readonly string[]): string =>
  names.length <= mostNames ? names.join(', ') : `${names.slice(0, mostNames).join(', ')} and ${names.length - mostNames} more`

/** Where a configuration comes from, in a line: its file, and the variables and options beside it. */
export const configurationSources = (settings: readonly Setting[]): string => {
  const beside = settings.filter(({ source }) => source === 'environment' || source === 'flag').map(({ from }) => from ?? '')
  const file = configurationFile(settings) ?? 'no file'
  return beside.length === 0 ? file : `${file}; ${someNames([...new Set(beside)])}`
}
