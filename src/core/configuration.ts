import type { ConfigKey } from './config-keys.ts'
import type { Db } from './db/database.ts'
import type { Setting, StoredSetting } from './settings.ts'

/** The result of one step of a trial. */
export interface TrialStep {
  readonly step: string
  /** `doubtful`: the other server's answer shows neither success nor failure. `skipped`: the step was not run. */
  readonly outcome: 'passed' | 'doubtful' | 'failed' | 'skipped'
  readonly message: string
  readonly remedy: string | null
}

/** Tries out settings that concern another server, before they are stored. */
export interface Trial {
  readonly kind: 'mail-server' | 'provider'
  /** What the trial is about, such as the id of a provider. */
  readonly subject: string
  /** True if a change of this configuration key requires the trial. */
  touches(key: string): boolean
  run(): Promise<readonly TrialStep[]>
}

/** A configuration that is being tried out: its features are built but not started. */
export interface TriedConfiguration {
  settings(): readonly Setting[]
  readonly trials: readonly Trial[]
  /**
   * True if the user could sign in with this configuration. `changes` returns true for each configuration key that the new configuration
   * changes.
   */
  signsIn(db: Db, userId: string, changes: (key: string) => boolean): Promise<boolean>
}

/** The configuration of this node, and the functions that put changed settings into effect. */
export interface Configuration {
  /** All configuration keys. In a key, `<NAME>` stands for the name of a section that an operator chooses. */
  readonly keys: readonly ConfigKey[]
  /** Lists every configuration key with the value that is in effect, and the source of the value. */
  settings(): readonly Setting[]
  /**
   * Checks the configuration that results from these settings of the database, and builds the features with it. Does not start the
   * features. Throws `ConfigError`.
   */
  tryOut(stored: readonly StoredSetting[]): TriedConfiguration
  /**
   * Reads the settings of the database, and resolves when they are in effect on this node. Never throws: if a node cannot use the new
   * settings, it continues with the old ones.
   */
  reload(): Promise<void>
  /** The version of the settings that are in effect on this node. If a problem keeps the node from using a newer version, also that problem. */
  state(): { readonly version: number; readonly problem: string | undefined }
}
