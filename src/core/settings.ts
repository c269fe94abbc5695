import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { getPath, setPath, type Tree } from './config-file.ts'
import { anyName, type ConfigKey, keyOfName } from './config-keys.ts'
import type { SettingSource, Weakening } from './setting-words.ts'

/** A setting that the database contains. It wins over the default, but file, environment and options win over it. */
export interface StoredSetting {
  /** For example `sessions.freshAgeSeconds`. */
  readonly key: string
  readonly value: unknown
  /** Version of the settings in which this setting was last changed. */
  readonly version: number
  readonly changedAt: Date
  readonly changedBy: { readonly kind: string; readonly id: string | null }
}

/** Where settings come from. Later sources win over earlier ones. */
export interface SettingOrigin {
  /** A key, or a section that stands for all its keys. */
  readonly path: readonly string[]
  readonly source: Exclude<SettingSource, 'default'>
  /** The name of the file, variable or option. */
  readonly from: string
}

/** A configuration key with the value in effect. */
export interface Setting {
  /** For example `sessions.freshAgeSeconds`. */
  readonly key: string
  readonly description: string
  /** The type of its value, as a word. */
  readonly type: string
  /** Null for a secret, and if the key has no value. */
  readonly value: unknown
  readonly default: unknown
  readonly isSecret: boolean
  /** True if the key has a value. */
  readonly isSet: boolean
  readonly source: SettingSource
  /** The file, variable or option that sets the value, or null. */
  readonly from: string | null
  /** The environment variable of the key. */
  readonly variable: string
  /** The words that the key accepts. Null if it accepts other values. */
  readonly options: readonly string[] | null
  /** True if the database can store the key, and nodes adopt changes of it. Otherwise a change needs a restart. */
  readonly isRuntime: boolean
  /** True if file, environment or an option sets the key. They win over the database; `from` names the place. */
  readonly isLocked: boolean
  /** Which changes lower security. */
  readonly weakened: Weakening
  /** The value in the database, even if file or environment win over it. Null if there is none. For a secret, a hint. */
  readonly stored: StoredSetting | null
}

/** One key for each name in the tree that `<NAME>` can stand for. */
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

/** Removes the password from an address. It ends at the last `@`, because users of mail servers may themselves be addresses. */
const withoutPasswords = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(/(\w:\/\/[^\s/:]*):[^\s/]+@/g, '$1:…@')
  if (Array.isArray(value)) return value.map(withoutPasswords)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutPasswords(inner)]))
}

/** The end of a secret, or an address without its password. People can recognise the value by it, but not use it. */
export const hintOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(hintOf).join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const shown = String(withoutPasswords(text))
  if (shown !== text || /^smtps?:\/\/[^\s/]/.test(text)) return shown
  return text.length < 16 ? '…' : `…${text.slice(-4)}`
}

/** The value as it is displayed. For a secret, a hint. */
export const shownValue = ({ secret }: Pick<ConfigKey, 'secret'>, value: unknown): unknown =>
  value === undefined ? null : secret ? hintOf(value) : withoutPasswords(value)

/** True if the change lowers security. `undefined` stands for the default value, and null for no limit. */
export const isWeaker = ({ weakened, default: fallback }: ConfigKey, before: unknown, after: unknown): boolean => {
  const [old, next] = [before, after].map((value) => (value === undefined ? fallback : value))
  if (weakened === 'never' || isDeepStrictEqual(old, next)) return false
  if (weakened === 'on') return next !== false
  if (weakened === 'off') return next !== true
  if (weakened === 'lower' || weakened === 'higher')
    return typeof old !== 'number' || typeof next !== 'number' || (weakened === 'lower' ? next < old : next > old)
  if (weakened === 'added' || weakened === 'removed') {
    if (!Array.isArray(old ?? []) || !Array.isArray(next ?? [])) return true
    const [from, to] = [(old ?? []) as readonly unknown[], (next ?? []) as readonly unknown[]]
    return weakened === 'added' ? to.some((one) => !from.includes(one)) : from.some((one) => !to.includes(one))
  }
  return true
}

/** Adds the settings of the database to the sources. They apply only to keys that no other source sets. */
export const placeStored = (keys: readonly ConfigKey[], base: Tree, stored: readonly StoredSetting[]) => {
  const tree = structuredClone(base)
  const origins: SettingOrigin[] = []
  for (const { key: name, value } of stored) {
    const key = keyOfName(keys, name)
    // The setting comes from another version of gatehouse.
    if (key === undefined || key.needsRestart || getPath(base, key.path) !== undefined) continue
    setPath(tree, key.path, structuredClone(value))
    origins.push({ path: key.path, source: 'database', from: 'database' })
  }
  return { tree, origins }
}

const isPrefix = (path: readonly string[], of: readonly string[]) => path.every((part, i) => of[i] === part)

/** Every key with its value, default and source. A secret is only shown as set or not set. Type and default are computed when they are needed. */
export const settingsOf = (
  keys: readonly ConfigKey[],
  tree: Tree,
  origins: readonly SettingOrigin[],
  stored: readonly StoredSetting[] = [],
): readonly Setting[] => {
  const storedOf = new Map(stored.map((one) => [one.key, one]))
  return keys
    .flatMap((key) => expand(key, tree))
    .map((key) => {
      const { path, secret } = key
      const value = getPath(tree, path)
      const isSet = value !== undefined && value !== null
      const origin = value === undefined ? undefined : origins.findLast((one) => isPrefix(one.path, path))
      const inDatabase = storedOf.get(path.join('.'))
      return {
        ...{ key: path.join('.'), description: key.description },
        ...{ isRuntime: !key.needsRestart, weakened: key.weakened },
        isLocked: origin !== undefined && origin.source !== 'database',
        get options() {
          return key.options
        },
        get stored() {
          return inDatabase === undefined ? null : { ...inDatabase, value: shownValue(key, inDatabase.value) }
        },
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
        source: isSet ? (origin?.source ?? 'default') : origin?.source === 'database' ? 'database' : 'default',
        from: isSet ? (origin?.from ?? null) : null,
      }
    })
}

/** The configuration file, or null without one. */
export const configurationFile = (settings: readonly Setting[]): string | null => {
  const from = settings.find(({ source }) => source === 'file')?.from ?? undefined
  return from === undefined ? null : resolve(from)
}

const mostNames = 8

/** Names on one line. Of many names, only the first ones. */
export const someNames = (names: readonly string[]): string =>
  names.length <= mostNames ? names.join(', ') : `${names.slice(0, mostNames).join(', ')} and ${names.length - mostNames} more`

/** The sources of a configuration on one line: file, variables and options. */
export const configurationSources = (settings: readonly Setting[]): string => {
  const beside = settings.filter(({ source }) => source === 'environment' || source === 'flag').map(({ from }) => from ?? '')
  const file = configurationFile(settings) ?? 'no file'
  return beside.length === 0 ? file : `${file}; ${someNames([...new Set(beside)])}`
}
