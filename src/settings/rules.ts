import type { Setting } from '../core/settings.ts'

/** A setting that has a value. The value of a secret is not recorded. */
export interface RecordedSetting {
  readonly key: string
  readonly value: unknown
}

/** Keys about files, ports and logs of a single process. The process of a command has its own values for them. */
const ofTheProcess = /^(dataDir|databaseUrl|secret|host|port|logLevel|(database|log|http|metrics)\..*)$/

/**
 * The settings of a process that affect what it returns. Secrets are left out. Settings in the database are left out, too, because all
 * processes share them.
 */
export const recordedSettings = (settings: readonly Setting[]): readonly RecordedSetting[] =>
  settings
    .filter(({ key, isSet, source }) => isSet && source !== 'default' && source !== 'database' && !ofTheProcess.test(key))
    .map(({ key, value, isSecret }) => ({ key, value: isSecret ? null : value }))

/** The configuration with which a process was started. */
export interface Configured {
  readonly url: string
  readonly settings: readonly RecordedSetting[]
}

/**
 * Keys whose values differ, or that only one of the two configurations sets. The public URL is compared only if one of them sets it, because its
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
