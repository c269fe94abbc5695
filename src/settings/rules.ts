import type { Setting } from '../core/settings.ts'

/** A key that was set. Of a secret, its value is not recorded. */
export interface RecordedSetting {
  readonly key: string
  readonly value: unknown
}

/** Keys that say where one process keeps its files, listens and logs: a command has its own. */
const ofTheProcess = /^(dataDir|databaseUrl|secret|host|port|logLevel|(database|log|http|metrics)\..*)$/

/** The settings of a process that decide what it answers, without secrets and without those of the database, which all processes share. */
export const recordedSettings = (settings: readonly Setting[]): readonly RecordedSetting[] =>
  settings
    .filter(({ key, isSet, source }) => isSet && source !== 'default' && source !== 'database' && !ofTheProcess.test(key))
    .map(({ key, value, isSecret }) => ({ key, value: isSecret ? null : value }))

/** The configuration that a process was started with. */
export interface Configured {
  readonly url: string
  readonly settings: readonly RecordedSetting[]
}

/**
 * Keys that are set on one side alone or to another value, in the order of their names. The public address counts where it is set: otherwise it
 * follows from the port.
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
