import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { getPath, setPath, type Tree } from './config-file.ts'
import { anyName, type ConfigKey, keyOfName } from './config-keys.ts'
import type { SettingSource, Weakening } from './setting-words.ts'

/** A setting of the database: above the defaults, below file, environment and flags. */
export interface StoredSetting {
  /** `sessions.freshAgeSeconds` */
  readonly key: string
  readonly value: unknown
  /** The version of the settings that it came with. */
  readonly version: number
  readonly changedAt: Date
  readonly changedBy: { readonly kind: string; readonly id: string | null }
}

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
  /** True when the setting has any value. */
  readonly isSet: boolean
  readonly source: SettingSource
  /** The file, variable or flag that set it. */
  readonly from: string | null
  /** The variable that sets it. */
  readonly variable: string
  /** The values of a key that accepts only some words; null for others. */
  readonly options: readonly string[] | null
  /** True when it can be stored in the database and changed while the nodes run. Otherwise a change needs a restart. */
  readonly isRuntime: boolean
  /** True when file, environment or an option of the command line sets it, which win over the database: `from` names the place. */
  readonly isLocked: boolean
  /** Which changes of it lower security. */
  readonly weakened: Weakening
  /** The value in the database, also where file or environment win; null for none. For a secret, the value is a hint. */
  readonly stored: StoredSetting | null
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

/** An address of any kind may hold a password. It ends at the last `@`: users of mail servers are addresses, too. */
const withoutPasswords = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(/(\w:\/\/[^\s/:]*):[^\s/]+@/g, '$1:…@')
  if (Array.isArray(value)) return value.map(withoutPasswords)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutPasswords(inner)]))
}

/** The end of a secret, or of an address all but its password: enough to recognise it, and too little to use it. */
export const hintOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(hintOf).join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const shown = String(withoutPasswords(text))
  if (shown !== text || /^smtps?:\/\/[^\s/]/.test(text)) return shown
  return text.length < 16 ? '…' : `…${text.slice(-4)}`
}

/** The value as it may be shown: of a secret, a hint. */
export const shownValue = ({ secret }: Pick<ConfigKey, 'secret'>, value: unknown): unknown =>
  value === undefined ? null : secret ? hintOf(value) : withoutPasswords(value)

/** True when the change lowers security. `undefined`: the default, which is compared as the value that it is. Null is a value: that of no bound. */
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

/** The sources with the settings of the database below them: a setting counts where nothing else sets the key. */
export const placeStored = (keys: readonly ConfigKey[], base: Tree, stored: readonly StoredSetting[]) => {
  const tree = structuredClone(base)
  const origins: SettingOrigin[] = []
  for (const { key: name, value } of stored) {
    const key = keyOfName(keys, name)
    // Of another version of this program.
    if (key === undefined || key.needsRestart || getPath(base, key.path) !== undefined) continue
    setPath(tree, key.path, structuredClone(value))
    origins.push({ path: key.path, source: 'database', from: 'database' })
  }
  return { tree, origins }
}

const isPrefix = (path: readonly string[], of: readonly string[]) => path.every((part, i) => of[i] === part)

/**
 * Every key with its value, its default and where the value comes from; secrets are set or not set. Type and default are read when they are asked
 * for, as those of the keys are.
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
