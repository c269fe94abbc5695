import type { ConfigKey } from './config-keys.ts'
import type { Db } from './db/database.ts'
import type { Setting, StoredSetting } from './settings.ts'

/** The result of one step of a test. */
export interface TrialStep {
  readonly step: string
  /** `doubtful`: the answer shows neither success nor failure. `skipped`: the step was not tested. */
  readonly outcome: 'passed' | 'doubtful' | 'failed' | 'skipped'
  readonly message: string
  readonly remedy: string | null
}

/** Tests settings about other servers before they are stored. */
export interface Trial {
  readonly kind: 'mail-server' | 'provider'
  /** What is tested, such as the id of a provider. */
  readonly subject: string
  /** True for a key whose change needs the test. */
  touches(key: string): boolean
  run(): Promise<readonly TrialStep[]>
}

/** A configuration for which the features are built but not started. */
export interface TriedConfiguration {
  settings(): readonly Setting[]
  readonly trials: readonly Trial[]
  /** True if the user could sign in with this configuration. `changes` returns true for a key that the configuration changes. */
  signsIn(db: Db, userId: string, changes: (key: string) => boolean): Promise<boolean>
}

/** The configuration of the node, and the functions that put changed settings into effect. */
export interface Configuration {
  /** All keys. `<NAME>` stands for the name of a section that operators choose. */
  readonly keys: readonly ConfigKey[]
  /** Every key with the value in effect, and its source. */
  settings(): readonly Setting[]
  /**
   * Checks the configuration with these settings of the database and builds the features with it, without starting them. Throws
   * `ConfigError`.
   */
  tryOut(stored: readonly StoredSetting[]): TriedConfiguration
  /**
   * Puts the settings of the database into effect on this node, and resolves after that. Never throws: if a node cannot adopt the
   * settings, it continues with the old ones.
   */
  reload(): Promise<void>
  /** The version of the settings in effect, and the problem that keeps this node from a newer version. */
  state(): { readonly version: number; readonly problem: string | undefined }
}
