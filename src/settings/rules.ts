import type { Setting } from '../core/settings.ts'

/** A key that is set. If it is a secret, its value is not recorded. */
export interface RecordedSetting {
  readonly key: string
  readonly value: unknown
}

/** Keys about files, listening and logs of one process. A command has its own values for them. */
const ofTheProcess = /^(dataDir|databaseUrl|secret|host|port|logLevel|(database|log|http|metrics)\..*)$/

/**
 * The settings of a process that affect its answers. Secrets are left out, and so are settings of the database, because all processes
 * share them.
 */
export const recordedSettings = (settings: readonly Setting[]): readonly RecordedSetting[] =>
  settings
    .filter(({ key, isSet, source }) => isSet && source !== 'default' && source !== 'database' && !ofTheProcess.test(key))
    .map(({ key, value, isSecret }) => ({ key, value: isSecret ? null : value }))

/** The configuration with which a process has started. */
export interface Configured {
  readonly url: string
  readonly settings: readonly RecordedSetting[]
}

/**
 * Names of the keys that have different values, or that only one side sets. The public address is compared only if it is set, because its
 * default depends on the port.
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
