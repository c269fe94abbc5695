import type { Configuration } from '../core/configuration.ts'
import type { Core } from '../core/core.ts'
import { configurationFile, configurationSources, type Setting, someNames } from '../core/settings.ts'
import { inShell } from '../core/terminal.ts'
import { daySeconds } from '../core/time.ts'
import { differingKeys, recordedSettings } from './rules.ts'
import * as store from './store.ts'

/** How often a daemon records that it is running, in milliseconds. */
export const noteMs = 60_000
/** If a daemon was not seen for this many seconds, it counts as stopped. */
const unseenSeconds = 150

/** Records with which configuration each daemon is running. A command can compare it with the configuration that the command itself has read. */
export interface DaemonConfigurations {
  /** Stores the configuration of this daemon, and that it is running now. */
  note(): Promise<void>
  /** Removes the record of this daemon, because it is stopping. */
  forget(): Promise<void>
  /** Names the sources of this process's configuration: file, environment variables and options. */
  ownSources(): string
  /** Explains in a sentence how the configuration of this process differs from that of the running daemon. Undefined if both are equal. */
  difference(): Promise<string | undefined>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'url'> {
  readonly settings: () => readonly Setting[]
  readonly configuration: Pick<Configuration, 'state'>
}

export const createDaemonConfigurations = ({
  db,
  transact,
  clock,
  random,
  url,
  settings,
  configuration,
}: Deps): DaemonConfigurations => {
  let noted: Omit<store.DaemonRow, 'seenAt' | 'settingsVersion' | 'settingsProblem'> | undefined
  return {
    note: async () => {
      const now = clock.now()
      noted ??= {
        id: random.id(),
        startedAt: now,
        url,
        file: configurationFile(settings()),
        settings: recordedSettings(settings()),
      }
      const { version: settingsVersion, problem: settingsProblem = null } = configuration.state()
      const row = { ...noted, seenAt: now, settingsVersion, settingsProblem }
      await transact(async (tx) => {
        await store.noteDaemon(tx, row)
        await store.deleteUnseenDaemons(tx, clock.after(-daySeconds))
      })
    },
    forget: async () => {
      const id = noted?.id
      // If the record cannot be removed, the daemon counts as stopped a little later.
      if (id !== undefined) await transact((tx) => store.deleteDaemon(tx, id)).catch(() => undefined)
    },
    ownSources: () => configurationSources(settings()),
    difference: async () => {
      const daemon = await store.findNewestDaemon(db)
      if (daemon === undefined || daemon.seenAt < clock.after(-unseenSeconds)) return undefined
      const keys = differingKeys({ url, settings: recordedSettings(settings()) }, daemon)
      if (keys.length === 0) return undefined
      const [own, theirs] = [configurationFile(settings()), daemon.file]
      const files =
        own === theirs
          ? `both read ${own ?? 'no file'}${own === null ? '' : ', which may have been changed since'}`
          : `the daemon reads ${theirs ?? 'no file'}, and this command ${own ?? 'no file'}`
      const advice = theirs === null || own === theirs ? 'Give' : `Pass --config ${inShell(theirs)}, and give`
      return `This command has another configuration than the running daemon: ${files}. They differ in ${someNames(keys)}. ${advice} this command the variables and options that the daemon was started with.`
    },
  }
}
