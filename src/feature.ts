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

/** The services that the composition gives to every feature. */
export interface InstanceBase extends Core {
  readonly database: Database
  readonly migrations: MigrationList
  readonly trustedUrls: TrustedUrls
  /** The sealed columns of all features. */
  readonly sealedColumns: readonly SealedColumn[]
  /** Event types of all features by name. */
  readonly eventTypes: ReadonlyMap<string, EventType>
  /** Every configuration key with its value and source. */
  settings(): readonly Setting[]
  readonly configuration: Configuration
  /** Version of gatehouse. */
  readonly version: string
}

/** The first argument of `build`. What all features register is complete only after the last one is built. */
export interface Base extends InstanceBase {
  readonly deleteUserGuards: readonly DeleteUserGuard[]
  readonly seatLimits: readonly SeatLimit[]
  /** The plan of an organization. Complete after all features are built. */
  readonly planOf: PlanOf
  /** The claim sources of the features before this one. The start fails if a later feature registers another source. */
  claimSources(): readonly RegisteredClaimSource[]
  /** The event readers of the features before this one. The start fails if a later feature registers another reader. */
  eventReaders(): readonly EventReader[]
  /** The checks of all features. Complete after all of them are built. */
  checks(): readonly Check[]
  /** The setup steps of all features. Complete after all of them are built. */
  setupSteps(): readonly SetupStep[]
  /** The restore steps of all features. Complete after all of them are built. */
  restoreSteps(): readonly RestoreStep[]
  /**
   * Tables whose rows give access (tables that refer to others come first), and resources that are valid again after a restore. Complete
   * after all features are built.
   */
  access(): Readonly<Record<string, string>>
  comingBack(): readonly NonNullable<Built['comingBack']>[]
  /** Names of the rows to which answers refer. Complete after all features are built. */
  readonly names: Names
  /** The number of a user's sign-in methods. Complete after all features are built. */
  readonly countSignInMethods: SignInMethodCount
  /** True if an organization of the user requires two factors. Complete after all features are built. */
  readonly requiresSecondFactor: SecondFactorGuard
  /** Parts of an account that other people may control. Complete after all features are built. */
  holdingsOf(db: Db, userId: string): Promise<Holdings>
  /** The retentions of all features. Complete after all of them are built. */
  retentions(): readonly Retention[]
  /** The data about users in all features. Complete after all of them are built. */
  personalData(): readonly PersonalData[]
  /** Requires a recent proof. A feature that is built after its callers provides it. */
  readonly requireProof: RequireProof
  /** Requires that the session of a call has not ended. The feature of sessions provides it, which is built after its callers. */
  readonly requireAlive: RequireAlive
  /** The second factors of all features, and the remembered browsers. Complete after all features are built. */
  secondFactors(): { readonly factors: readonly SecondFactor[]; readonly remembered: RememberedBrowsers | undefined }
}

/** A section of the configuration, or the keys that a feature adds to a section of another feature. */
export type Sections = Readonly<Record<string, z.ZodType | Readonly<Record<string, z.ZodType>>>>

/** A text for operators that the daemon serves on a port of its own. */
export interface Listener {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly path: string
  readonly mediaType: string
  read(): Promise<string>
}

/** What a feature's `build` returns. */
export interface Built {
  /** The interfaces for later features and for commands, by name. */
  readonly api: object
  readonly routes?: readonly Route[]
  readonly mounts?: readonly Mount[]
  readonly listeners?: readonly Listener[]
  /** Origins of the operator's own pages that call the API with the session. */
  readonly pageOrigins?: readonly string[]
  /** Kinds of Bearer tokens that the feature accepts. */
  readonly bearers?: readonly Bearer[]
  /** Work that every node does for itself. */
  readonly jobs?: readonly Job[]
  /** Names of the feature's rows. Answers of other features contain them. */
  readonly names?: readonly NameSource[]
  /** Kinds of tasks in the queue, which any node may run. */
  readonly tasks?: readonly TaskKind<unknown>[]
  /** Data with a limited life. Tasks delete it regularly, and `prune` deletes it at once. */
  readonly retentions?: readonly Retention[]
  /** Data about users that they can download. Each table that names users is in one part, or is left out for a stated reason. */
  readonly personalData?: readonly PersonalData[]
  readonly withheldData?: readonly WithheldData[]
  readonly claims?: readonly ClaimSource[]
  /** How the configuration extends schemas. The API document of the instance includes these extensions. */
  readonly schemas?: ConfiguredSchemas
  readonly guards?: Guards
  /** Parts of an account that other people may control. The owner of its address is asked about them. */
  readonly holdings?: HoldingsOf
  /** Functions that run in the transaction of an event, and commit with it. */
  readonly reactions?: readonly Reaction[]
  /** Readers that get events a moment after their commit. */
  readonly readers?: readonly EventReader[]
  /** Checks that `doctor` and the admin API run. */
  readonly checks?: readonly Check[]
  /** Tests of the feature's settings, which run before the settings are stored. */
  readonly trials?: readonly Trial[]
  /** Setup steps that are needed before people can sign in. */
  readonly setupSteps?: readonly SetupStep[]
  /** Possible second steps of a sign-in. */
  readonly secondFactors?: readonly SecondFactor[]
  readonly rememberedBrowsers?: RememberedBrowsers
  /** The rule about recent proofs. One feature provides it. */
  readonly requireProof?: RequireProof
  /** Only the feature of sessions provides it. */
  readonly requireAlive?: RequireAlive
  /** Repairs a restored database, whose rows refer to nodes that no longer exist. */
  readonly onRestore?: RestoreStep
  /** Tables whose rows give access, each with a word for its rows. A restore empties them. */
  readonly access?: Readonly<Record<string, string>>
  /**
   * Resources, by kind, that are valid again after a restore, although operators may have ended them since the backup. Returns at most
   * `most` texts of each kind.
   */
  readonly comingBack?: (db: Db, most: number) => Promise<Readonly<Record<string, readonly string[]>>>
  /** Called once when the daemon begins to stop. Ends endless responses and other open connections. */
  readonly drain?: () => void
  /**
   * Called on every node after the migration and before the first request, in the order of the features. Called again with `isReload`
   * after settings have changed.
   */
  readonly prepare?: (start: { readonly isReload: boolean }) => Promise<void>
}

export type Fail = (path: readonly string[], message: string) => void

/** The registration of a feature. Only a line in `src/composition.ts` switches it on. */
export interface FeatureDefinition {
  readonly name: string
  /** Top-level keys of the configuration. */
  readonly config?: Sections
  /** Checks rules across sections. It calls `fail` with the key and the expected value. `config` names the sections that it reads. */
  readonly check?: (config: never, fail: Fail, isTrustedOrigin: (origin: string) => boolean) => void
  readonly errors?: ErrorTable
  /** Types of events that the feature records. */
  readonly events?: EventTable
  readonly commands?: readonly Commands<never>[]
  /** Columns that the master secret seals. A rotation of the secret seals them again. */
  readonly sealedColumns?: readonly SealedColumn[]
  /**
   * `config` are the sections that the feature reads, its own and others. `needs` are APIs of earlier features. Parts that the feature
   * can do without are optional in both.
   */
  readonly build: (base: Base, config: never, needs: never) => Built
}

/** Infers the types of a feature from its registration. */
export const defineFeature = <const Feature extends FeatureDefinition>(feature: Feature): Feature => feature

/** The part of the configuration that a command needs. */
type ConfigIn<Needs> = Needs extends { readonly config: infer Config } ? Config : unknown

/** The tools that commands have for the application and the terminal. */
export interface Cli<Needs> {
  /** The command lines that messages show. They name the instance as the options do. */
  remedies(): Remedies
  /** Opens the application (a daemon may be running), does the work as `system`, prints the result and closes the application. */
  run(work: (app: Needs, principal: SystemPrincipal) => Promise<Output>): Promise<void>
  /** Runs a command whose result is too long for memory. `write` takes one piece after the other, and waits while the reader is slow. */
  stream(work: (app: Needs, principal: SystemPrincipal, write: (text: string) => Promise<void>) => Promise<void>): Promise<void>
  /**
   * Runs a command that fills a database. The database may be empty, and is not migrated. `secretOf` returns the master secrets for a
   * configuration, whose `secret` is empty if none is configured.
   */
  create(
    secretOf: (config: ConfigIn<Needs>) => Promise<readonly string[] | undefined>,
    work: (app: Needs, principal: SystemPrincipal) => Promise<Output>,
  ): Promise<void>
  /**
   * Reads a password or secret: with the option `--…-stdin` the first line of standard input, else from a prompt without echo. It is
   * never an argument.
   */
  readSecret(label: string, fromStdin: boolean, flag?: string): Promise<string>
  /** Reads all of standard input for the named option. Throws `UsageError` for empty input. */
  readInput(flag: string): Promise<string>
  /** Reads long standard input in pieces. */
  inputPieces(): AsyncIterable<Buffer>
  /** Asks for confirmation before something is deleted, unless `isConfirmed` (the option `--yes`). Throws `UsageError`. */
  confirm(isConfirmed: boolean, consequence: string, word?: string): Promise<void>
  /** Shows progress on a terminal. Each text replaces the one before; an empty text clears it. */
  progress(text: string): void
}

/** Adds a feature's commands to the program. */
export type Commands<Needs> = (program: GatehouseCommand, cli: Cli<Needs>) => void
