import type { ConfigKey } from './config-keys.ts'
import type { Db } from './db/database.ts'
import type { Setting, StoredSetting } from './settings.ts'

/** The result of one step of a trial. */
export interface TrialStep {
  readonly step: string
  /** `doubtful`: the answer says neither that it works nor that it does not; `skipped`: not tried. */
  readonly outcome: 'passed' | 'doubtful' | 'failed' | 'skipped'
  readonly message: string
  readonly remedy: string | null
}

/** Tries settings of servers elsewhere before they are kept. */
export interface Trial {
  readonly kind: 'mail-server' | 'provider'
  /** The subject of the trial: the id of a provider, for example. */
  readonly subject: string
  /** True for a key whose change it tries. */
  touches(key: string): boolean
  run(): Promise<readonly TrialStep[]>
}

/** A configuration whose features are built and do not run. */
export interface TriedConfiguration {
  settings(): readonly Setting[]
  readonly trials: readonly Trial[]
  /** True if the user could sign in with it. `changes`: true for a key that it changes. */
  signsIn(db: Db, userId: string, changes: (key: string) => boolean): Promise<boolean>
}

/** The configuration of the node, and how other settings of the database come into effect. */
export interface Configuration {
  /** All keys; keys of sections whose name the operator chooses have a placeholder. */
  readonly keys: readonly ConfigKey[]
  /** Every key with its value and source, as the features have them. */
  settings(): readonly Setting[]
  /** Checks the whole with these settings of the database and builds the features with them, without running them. Throws `ConfigError`. */
  tryOut(stored: readonly StoredSetting[]): TriedConfiguration
  /** Brings what the database holds into effect on this node; resolves when it is. Throws nothing: a node that cannot stays as it was. */
  reload(): Promise<void>
  /** The version of the settings in effect, and the obstacle that keeps this node from a newer one. */
  state(): { readonly version: number; readonly problem: string | undefined }
}
