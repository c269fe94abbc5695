import type { ConfigKey } from './config-keys.ts'
import type { Db } from './db/database.ts'
import type { Setting, StoredSetting } from './settings.ts'

/** The result of one step of a test. */
export interface TrialStep {
  readonly step: string
  /** `doubtful`: the answer shows neither success nor failure; `skipped`: not tested. */
  readonly outcome: 'passed' | 'doubtful' | 'failed' | 'skipped'
  readonly message: string
  readonly remedy: string | null
}

/** Tests settings of other servers before they are stored. */
export interface Trial {
  readonly kind: 'mail-server' | 'provider'
  /** The subject of the test, such as the id of a provider. */
  readonly subject: string
  /** True for a key whose change is tested. */
  touches(key: string): boolean
  run(): Promise<readonly TrialStep[]>
}

/** A configuration with built features that do not run. */
export interface TriedConfiguration {
  settings(): readonly Setting[]
  readonly trials: readonly Trial[]
  /** True if the user could sign in with it. `changes`: true for a key that it changes. */
  signsIn(db: Db, userId: string, changes: (key: string) => boolean): Promise<boolean>
}

/** The configuration of the node, and how other settings of the database come into effect. */
export interface Configuration {
  /** All keys; `<NAME>` stands for names of sections that operators choose. */
  readonly keys: readonly ConfigKey[]
  /** Every key with its value and source, as in effect. */
  settings(): readonly Setting[]
  /** Checks the whole with these settings of the database and builds the features with them, without running them. Throws `ConfigError`. */
  tryOut(stored: readonly StoredSetting[]): TriedConfiguration
  /**
   * Puts the settings of the database into effect on this node; resolves when they are. Never throws: a node that cannot adopt them
   * continues unchanged.
   */
  reload(): Promise<void>
  /** The version of the settings in effect, and the obstacle that keeps this node from a newer one. */
  state(): { readonly version: number; readonly problem: string | undefined }
}
