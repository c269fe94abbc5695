import type { z } from 'zod'
import type { NameSource, Names } from './access/names.ts'
import type { RequireAlive, SystemPrincipal } from './access/principal.ts'
import type { RequireProof } from './access/proof.ts'
import type { GatehouseCommand } from './cli/command.ts'
import type { Check } from './core/checks.ts'
import type { ClaimSource, RegisteredClaimSource } from './core/claims.ts'
import type { Configuration, Trial } from './core/configuration.ts'
import type {
  Core,
  DeleteUserGuard,
  Guards,
  Holdings,
  HoldingsOf,
  PlanOf,
  SeatLimit,
  SecondFactorGuard,
  SignInMethodCount,
} from './core/core.ts'
import type { Database, Db } from './core/db/database.ts'
import type { MigrationList } from './core/db/migrate.ts'
import type { SealedColumn } from './core/db/table.ts'
import type { ErrorTable } from './core/errors.ts'
import type { EventReader } from './core/events/readers.ts'
import type { Reaction } from './core/events/record.ts'
import type { EventTable, EventType } from './core/events/types.ts'
import type { Job } from './core/jobs.ts'
import type { Output } from './core/output/format.ts'
import type { PersonalData, WithheldData } from './core/personal-data.ts'
import type { RestoreStep, TaskKind } from './core/queue.ts'
import type { Remedies } from './core/remedies.ts'
import type { Retention } from './core/retention.ts'
import type { RememberedBrowsers, SecondFactor } from './core/second-factors.ts'
import type { Setting } from './core/settings.ts'
import type { SetupStep } from './core/setup-steps.ts'
import type { ConfiguredSchemas } from './http/contract.ts'
import type { Route } from './http/handlers.ts'
import type { Bearer } from './http/identify.ts'
import type { Mount } from './http/server.ts'
import type { TrustedUrls } from './http/trusted-url.ts'

/** The services that every feature gets. */
export interface InstanceBase extends Core {
  readonly database: Database
  readonly migrations: MigrationList
  readonly trustedUrls: TrustedUrls
  /** The database columns of all features with sealed values. */
  readonly sealedColumns: readonly SealedColumn[]
  /** The types of audit events of all features, by name. */
  readonly eventTypes: ReadonlyMap<string, EventType>
  /** Returns all settings with their values and sources. */
  settings(): readonly Setting[]
  readonly configuration: Configuration
  /** The version of gatehouse. */
  readonly version: string
}

/** The first argument of a feature's `build`. What features register for all is complete only after the last feature was built. */
export interface Base extends InstanceBase {
  readonly deleteUserGuards: readonly DeleteUserGuard[]
  readonly seatLimits: readonly SeatLimit[]
  /** Finds the plan of an organization. It works only after all features were built. */
  readonly planOf: PlanOf
  /**
   * Returns the claim sources of the features that were built before. The start fails if a feature that is built later registers another
   * claim source.
   */
  claimSources(): readonly RegisteredClaimSource[]
  /**
   * Returns the event readers of the features that were built before. The start fails if a feature that is built later registers another
   * event reader.
   */
  eventReaders(): readonly EventReader[]
  /** Returns the checks of all features. It works only after all features were built. */
  checks(): readonly Check[]
  /** Returns the setup steps of all features. It works only after all features were built. */
  setupSteps(): readonly SetupStep[]
  /** Returns the restore steps of all features. It works only after all features were built. */
  restoreSteps(): readonly RestoreStep[]
  /**
   * Returns the tables whose rows give access, such as sessions. A table that refers to another one comes before it. It works only after
   * all features were built.
   */
  access(): Readonly<Record<string, string>>
  comingBack(): readonly NonNullable<Built['comingBack']>[]
  /** Finds the names of the resources that responses refer to. It works only after all features were built. */
  readonly names: Names
  /** Counts the sign-in methods of a user. It works only after all features were built. */
  readonly countSignInMethods: SignInMethodCount
  /** True if an organization of the user requires two factors. It works only after all features were built. */
  readonly requiresSecondFactor: SecondFactorGuard
  /** Returns what an account contains that other people may control, such as API keys. It works only after all features were built. */
  holdingsOf(db: Db, userId: string): Promise<Holdings>
  /** Returns the retentions of all features. It works only after all features were built. */
  retentions(): readonly Retention[]
  /** Returns the kinds of personal data that all features store. It works only after all features were built. */
  personalData(): readonly PersonalData[]
  /** Throws unless the person has proved their identity recently. A feature that is built later provides the function. */
  readonly requireProof: RequireProof
  /** Throws if the session of a call has ended. The feature `sessions`, which is built later, provides the function. */
  readonly requireAlive: RequireAlive
  /** Returns the second factors of all features, and what remembers browsers. It works only after all features were built. */
  secondFactors(): { readonly factors: readonly SecondFactor[]; readonly remembered: RememberedBrowsers | undefined }
}

/** Sections of the configuration by name. A feature can also add keys to a section of another feature. */
export type Sections = Readonly<Record<string, z.ZodType | Readonly<Record<string, z.ZodType>>>>

/** A text for operators, such as metrics, that the daemon serves on a port of its own. */
export interface Listener {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly path: string
  readonly mediaType: string
  read(): Promise<string>
}

/** What the `build` function of a feature returns. */
export interface Built {
  /** What the feature offers to later features and to commands, by name. */
  readonly api: object
  readonly routes?: readonly Route[]
  readonly mounts?: readonly Mount[]
  readonly listeners?: readonly Listener[]
  /** Origins of the operator's own pages. They may call the API with the person's session. */
  readonly pageOrigins?: readonly string[]
  /** The kinds of Bearer tokens that the feature accepts. */
  readonly bearers?: readonly Bearer[]
  /** Work that every node does regularly. */
  readonly jobs?: readonly Job[]
  /** Finds the names of the feature's resources. Responses of other features contain these names. */
  readonly names?: readonly NameSource[]
  /** The kinds of tasks that the feature puts into the queue. Any node may run them. */
  readonly tasks?: readonly TaskKind<unknown>[]
  /** Data that expires. Tasks delete it regularly, and the command `prune` deletes it immediately. */
  readonly retentions?: readonly Retention[]
  /**
   * Data about users, which they can download. A test checks that every table with a reference to users is included, or left out for a
   * stated reason.
   */
  readonly personalData?: readonly PersonalData[]
  readonly withheldData?: readonly WithheldData[]
  readonly claims?: readonly ClaimSource[]
  /** Schemas that the configuration extends. The API document of the instance contains the extensions. */
  readonly schemas?: ConfiguredSchemas
  readonly guards?: Guards
  /**
   * Returns what an account contains that other people may control. When the owner of the email address takes the account over, the owner
   * is asked about it.
   */
  readonly holdings?: HoldingsOf
  /** Functions that run in the transaction in which an audit event is recorded, and are committed with it. */
  readonly reactions?: readonly Reaction[]
  /** Event readers, which get audit events a moment after the commit. */
  readonly readers?: readonly EventReader[]
  /** Checks that `doctor` and the admin API run. */
  readonly checks?: readonly Check[]
  /** Tests of servers that settings of the feature name. They run before the settings are stored. */
  readonly trials?: readonly Trial[]
  /** Steps that an operator has to take before people can sign in. */
  readonly setupSteps?: readonly SetupStep[]
  /** Second factors that the feature provides. */
  readonly secondFactors?: readonly SecondFactor[]
  readonly rememberedBrowsers?: RememberedBrowsers
  /** Throws unless the person has proved their identity recently. Only one feature provides it. */
  readonly requireProof?: RequireProof
  /** Throws if the session of a call has ended. Only the feature `sessions` provides it. */
  readonly requireAlive?: RequireAlive
  /** Repairs a database after a restore, because its rows may refer to nodes that no longer exist. */
  readonly onRestore?: RestoreStep
  /** Tables whose rows give access, such as sessions. Each has a word for its rows. A restore empties these tables. */
  readonly access?: Readonly<Record<string, string>>
  /**
   * Returns resources that are valid again after a restore, although operators may have ended them since the backup was made. They are
   * texts by kind, at most `most` of each kind.
   */
  readonly comingBack?: (db: Db, most: number) => Promise<Readonly<Record<string, readonly string[]>>>
  /** Called once when the daemon begins to stop. It ends endless responses and other open connections. */
  readonly drain?: () => void
  /**
   * Called on every node after the migration and before the first request, in the order of the features. After a change of settings it is
   * called again, with `isReload`.
   */
  readonly prepare?: (start: { readonly isReload: boolean }) => Promise<void>
}

export type Fail = (path: readonly string[], message: string) => void

/** How a feature is registered. It is switched on by its line in `src/composition.ts`. */
export interface FeatureDefinition {
  readonly name: string
  /** The feature's keys or sections at the top level of the configuration. */
  readonly config?: Sections
  /**
   * Checks rules that concern several sections. It calls `fail` with the key that is wrong and what was expected. `config` contains the
   * sections that the rules read.
   */
  readonly check?: (config: never, fail: Fail, isTrustedOrigin: (origin: string) => boolean) => void
  readonly errors?: ErrorTable
  /** The types of audit events that the feature records. */
  readonly events?: EventTable
  readonly commands?: readonly Commands<never>[]
  /** Database columns whose values are sealed with the master secret. After a change of the master secret, the values are sealed again. */
  readonly sealedColumns?: readonly SealedColumn[]
  /**
   * Builds the feature. `config` contains the configuration sections that it reads, its own and those of others. `needs` contains APIs of
   * features before it. What the feature can do without is optional in both types.
   */
  readonly build: (base: Base, config: never, needs: never) => Built
}

/** Registers a feature, and infers its types. */
export const defineFeature = <const Feature extends FeatureDefinition>(feature: Feature): Feature => feature

/** The sections of the configuration that a command reads. */
type ConfigIn<Needs> = Needs extends { readonly config: infer Config } ? Config : unknown

/** The functions with which commands use the application and the terminal. */
export interface Cli<Needs> {
  /** Makes the command lines that messages suggest. They name the instance with the options of this command. */
  remedies(): Remedies
  /**
   * Opens the application, does the work as the principal `system`, prints the result and closes the application. A daemon may be running
   * at the same time.
   */
  run(work: (app: Needs, principal: SystemPrincipal) => Promise<Output>): Promise<void>
  /**
   * Runs a command whose result is too large for memory. `write` prints one piece after another, and waits while the reader of the output
   * is slow.
   */
  stream(work: (app: Needs, principal: SystemPrincipal, write: (text: string) => Promise<void>) => Promise<void>): Promise<void>
  /**
   * Runs a command that fills a database. The database may be empty, and it is not migrated. `secretOf` returns the master secrets to use
   * with a configuration. Its `secret` is empty if none is configured.
   */
  create(
    secretOf: (config: ConfigIn<Needs>) => Promise<readonly string[] | undefined>,
    work: (app: Needs, principal: SystemPrincipal) => Promise<Output>,
  ): Promise<void>
  /**
   * Reads a password or secret. With the option `--…-stdin`, it is the first line of standard input. Otherwise the person types it
   * without echo. It can never be an argument.
   */
  readSecret(label: string, fromStdin: boolean, flag?: string): Promise<string>
  /** Reads all of standard input. `flag` is the option that asked for it. Throws `UsageError` if the input is empty. */
  readInput(flag: string): Promise<string>
  /** Reads standard input in pieces, if it may be long. */
  inputPieces(): AsyncIterable<Buffer>
  /** Asks the person to confirm a deletion, unless `isConfirmed` is true (option `--yes`). Throws `UsageError` without a confirmation. */
  confirm(isConfirmed: boolean, consequence: string, word?: string): Promise<void>
  /** Shows progress on a terminal. Each text replaces the text before, and an empty text removes it. */
  progress(text: string): void
}

/** Adds the commands of a feature to the program. */
export type Commands<Needs> = (program: GatehouseCommand, cli: Cli<Needs>) => void
