import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { getPath, setPath, type Tree } from './config-file.ts'
import { anyName, type ConfigKey, keyOfName } from './config-keys.ts'
import type { SettingSource, Weakening } from './setting-words.ts'

/** A setting that is stored in the database. It wins over the default value. File, environment and options win over it. */
export interface StoredSetting {
  /** For example `sessions.freshAgeSeconds`. */
  readonly key: string
  readonly value: unknown
  /** The version of all settings that the last change of this setting has made. */
  readonly version: number
  readonly changedAt: Date
  readonly changedBy: { readonly kind: string; readonly id: string | null }
}

/** A place that sets configuration keys. In a list of places, a later one wins over an earlier one. */
export interface SettingOrigin {
  /** The key that the place sets. If it is a section, the place sets all keys of the section. */
  readonly path: readonly string[]
  readonly source: Exclude<SettingSource, 'default'>
  /** The name of the file, environment variable or option. */
  readonly from: string
}

/** A configuration key, with the value that is in effect. */
export interface Setting {
  /** For example `sessions.freshAgeSeconds`. */
  readonly key: string
  readonly description: string
  /** The type of the key's value, in a word. */
  readonly type: string
  /** The value in effect. Null for a secret, and for a key without a value. */
  readonly value: unknown
  readonly default: unknown
  readonly isSecret: boolean
  /** True if the key has a value. For a secret, this is all that is shown. */
  readonly isSet: boolean
  readonly source: SettingSource
  /** The name of the file, environment variable or option that sets the value. Null if none of them does. */
  readonly from: string | null
  /** The environment variable that can set the key. */
  readonly variable: string
  /** The words that the key accepts as its value. Null if the key accepts other values, too. */
  readonly options: readonly string[] | null
  /** True if the key can be changed in the database while nodes run. False if a change takes effect only after a restart. */
  readonly isRuntime: boolean
  /** True if a file, environment variable or option sets the key. Then the database cannot change the value. `from` says which of them it is. */
  readonly isLocked: boolean
  /** Which changes of this configuration key lower security. */
  readonly weakened: Weakening
  /**
   * The value in the database, even if file, environment or an option wins over it. Null if the database has none. For a secret, only a
   * hint is shown.
   */
  readonly stored: StoredSetting | null
}

/** Replaces `<NAME>` in a key by each of the section names that the tree contains. Returns one key for each. */
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

/**
 * Removes the password from a URL. The user information of a URL ends at the last `@`, because the user name of a mail server may itself
 * be an email address.
 */
const withoutPasswords = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(/(\w:\/\/[^\s/:]*):[^\s/]+@/g, '$1:…@')
  if (Array.isArray(value)) return value.map(withoutPasswords)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutPasswords(inner)]))
}

/** The end of a secret, or a URL without its password. People can recognise the value by it, but cannot use it. */
export const hintOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(hintOf).join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const shown = String(withoutPasswords(text))
  if (shown !== text || /^smtps?:\/\/[^\s/]/.test(text)) return shown
  return text.length < 16 ? '…' : `…${text.slice(-4)}`
}

/** The value as it is shown. For a secret, only a hint. */
export const shownValue = ({ secret }: Pick<ConfigKey, 'secret'>, value: unknown): unknown =>
  value === undefined ? null : secret ? hintOf(value) : withoutPasswords(value)

/** True if a change of this key lowers security. `undefined` stands for the default value, and null for "no limit". */
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

/** Adds the settings of the database to a configuration. A setting is skipped if another source sets its key. */
export const placeStored = (keys: readonly ConfigKey[], base: Tree, stored: readonly StoredSetting[]) => {
  const tree = structuredClone(base)
  const origins: SettingOrigin[] = []
  for (const { key: name, value } of stored) {
    const key = keyOfName(keys, name)
    // Such a setting was stored by another version of gatehouse.
    if (key === undefined || key.needsRestart || getPath(base, key.path) !== undefined) continue
    setPath(tree, key.path, structuredClone(value))
    origins.push({ path: key.path, source: 'database', from: 'database' })
  }
  return { tree, origins }
}

const isPrefix = (path: readonly string[], of: readonly string[]) => path.every((part, i) => of[i] === part)

/**
 * Lists every configuration key with its value, its default and the source of the value. For a secret, the list only says whether it is
 * set. Type and default are computed when they are read.
 */
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

/** The name of the configuration file. Null if there is none. */
export const configurationFile = (settings: readonly Setting[]): string | null => {
  const from = settings.find(({ source }) => source === 'file')?.from ?? undefined
  return from === undefined ? null : resolve(from)
}

const mostNames = 8

/** Joins names on one line. If there are many, only the first ones are listed. */
export const someNames = (names: readonly string[]): string =>
  names.length <= mostNames ? names.join(', ') : `${names.slice(0, mostNames).join(', ')} and ${names.length - mostNames} more`

/** The sources of a configuration on one line: file, environment variables and options. */
export const configurationSources = (settings: readonly Setting[]): string => {
  const beside = settings.filter(({ source }) => source === 'environment' || source === 'flag').map(({ from }) => from ?? '')
  const file = configurationFile(settings) ?? 'no file'
  return beside.length === 0 ? file : `${file}; ${someNames([...new Set(beside)])}`
}
