import type { Setting } from '../core/settings.ts'

/** A set key. The value of a secret is not recorded. */
export interface RecordedSetting {
  readonly key: string
  readonly value: unknown
}

/** Keys about files, listening and logs of one process: a command has its own. */
const ofTheProcess = /^(dataDir|databaseUrl|secret|host|port|logLevel|(database|log|http|metrics)\..*)$/

/** The settings of a process that affect its answers, without secrets, and without settings of the database, which all processes share. */
export const recordedSettings = (settings: readonly Setting[]): readonly RecordedSetting[] =>
  settings
    .filter(({ key, isSet, source }) => isSet && source !== 'default' && source !== 'database' && !ofTheProcess.test(key))
    .map(({ key, value, isSecret }) => ({ key, value: isSecret ? null : value }))

/** The configuration at the start of a process. */
export interface Configured {
  readonly url: string
  readonly settings: readonly RecordedSetting[]
}

/**
 * Keys with different values, or set on one side only, by name. The public address is compared if it is set, because its default depends
 * on the port.
 */
export const differingKeys = (one: Configured, other: Configured): readonly string[] => {
  const isUrlSet = [one, other].some(({ settings }) => settings.some(({ key }) => key === 'url'))
  const textsOf = ({ url, settings }: Configured) =>
    new Map([
      ...settings.map(({ key, value }) => [key, JSON.stringify(value)] as const),
      ...(isUrlSet ? [['url', url] as const] : []),
    ])
  const [own, theirs] = [textsOf(one), textsOf(other)]
  return [...new Set([...own.keys(), ...theirs.keys()])].filter((key) => own.get(key) !== theirs.get(key)).toSorted()
}
