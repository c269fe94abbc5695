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

/** What composition gives to every feature. */
export interface InstanceBase extends Core {
  readonly database: Database
  readonly migrations: MigrationList
  readonly trustedUrls: TrustedUrls
  /** Sealed columns of all features. */
  readonly sealedColumns: readonly SealedColumn[]
  /** Types of the events of all features, by name. */
  readonly eventTypes: ReadonlyMap<string, EventType>
  /** Every key of the configuration with its value and source. */
  settings(): readonly Setting[]
  readonly configuration: Configuration
  /** Version of the program. */
  readonly version: string
}

/** The first argument of `build`. What features register is complete when all of them are built. */
export interface Base extends InstanceBase {
  readonly deleteUserGuards: readonly DeleteUserGuard[]
  readonly seatLimits: readonly SeatLimit[]
  /** The plan of an organization. Complete once all features are built. */
  readonly planOf: PlanOf
  /** The claim sources of the features before. A feature that gives one after this was called does not start. */
  claimSources(): readonly RegisteredClaimSource[]
  /** The readers of events of the features before. A feature that gives one after this was called does not start. */
  eventReaders(): readonly EventReader[]
  /** The checks of all features, once all of them are built. */
  checks(): readonly Check[]
  /** The steps of the set-up of all features, once all of them are built. */
  setupSteps(): readonly SetupStep[]
  /** What the features do after a restore. Complete once all of them are built. */
  restoreSteps(): readonly RestoreStep[]
  /** Tables that let somebody in, of those that refer to others first; and what comes back with a restore. Complete once all features are built. */
  access(): Readonly<Record<string, string>>
  comingBack(): readonly NonNullable<Built['comingBack']>[]
  /** Names of what answers refer to. Complete once all features are built. */
  readonly names: Names
  /** How many ways to sign in a user has with all features. Complete once all of them are built. */
  readonly countSignInMethods: SignInMethodCount
  /** True where somebody a user acts for requires two factors of them. Complete once all features are built. */
  readonly requiresSecondFactor: SecondFactorGuard
  /** What an account has with all features that others may share. Complete once all of them are built. */
  holdingsOf(db: Db, userId: string): Promise<Holdings>
  /** What the features keep for a while. Complete once all of them are built. */
  retentions(): readonly Retention[]
  /** What the features keep about a user. Complete once all of them are built. */
  personalData(): readonly PersonalData[]
  /** Asks for a recent proof. The feature that reads what a session was given is built after others that ask. */
  readonly requireProof: RequireProof
  /** Sees that the session of a call goes on. The feature of sessions is built after others that ask. */
  readonly requireAlive: RequireAlive
  /** Second factors of all features, and what remembers browsers. Complete once all of them are built. */
  secondFactors(): { readonly factors: readonly SecondFactor[]; readonly remembered: RememberedBrowsers | undefined }
}

/** A section of the configuration as a whole, or the keys that a feature adds to one that it shares with others. */
export type Sections = Readonly<Record<string, z.ZodType | Readonly<Record<string, z.ZodType>>>>

/** A text on a port of its own, which the daemon serves beside everything else: for operators alone. */
export interface Listener {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly path: string
  readonly mediaType: string
  read(): Promise<string>
}

/** What `build` of a feature gives. */
export interface Built {
  /** What later features may need and commands may use, by name. */
  readonly api: object
  readonly routes?: readonly Route[]
  readonly mounts?: readonly Mount[]
  readonly listeners?: readonly Listener[]
  /** Origins of the operator's own pages, which call the API with the session. */
  readonly pageOrigins?: readonly string[]
  /** Kinds of Bearer tokens that it knows. */
  readonly bearers?: readonly Bearer[]
  /** Work of each node by itself. */
  readonly jobs?: readonly Job[]
  /** Names of its rows, for answers of other features that refer to them. */
  readonly names?: readonly NameSource[]
  /** Kinds of work that the queue does, at any node. */
  readonly tasks?: readonly TaskKind<unknown>[]
  /** What it keeps for a while. Its tasks sweep by themselves; `prune` sweeps at once. */
  readonly retentions?: readonly Retention[]
  /** What it keeps about users, for their owner: each table that names users is in a part, or withheld for a reason. */
  readonly personalData?: readonly PersonalData[]
  readonly withheldData?: readonly WithheldData[]
  readonly claims?: readonly ClaimSource[]
  /** What the configuration adds to a schema, in the API document of the instance. */
  readonly schemas?: ConfiguredSchemas
  readonly guards?: Guards
  /** What an account has here that others may share: the owner of its address is asked about it. */
  readonly holdings?: HoldingsOf
  /** What runs in the transaction of an event and must hold when it commits. */
  readonly reactions?: readonly Reaction[]
  /** What follows events a moment later. */
  readonly readers?: readonly EventReader[]
  /** What may need a person, for `doctor` and the admin API. */
  readonly checks?: readonly Check[]
  /** What tries settings of it before they are kept. */
  readonly trials?: readonly Trial[]
  /** What it needs before people can sign in, step by step. */
  readonly setupSteps?: readonly SetupStep[]
  /** What may be the second step of a sign-in. */
  readonly secondFactors?: readonly SecondFactor[]
  readonly rememberedBrowsers?: RememberedBrowsers
  /** The rule about recent proofs: one feature gives it. */
  readonly requireProof?: RequireProof
  /** Of the one feature that knows sessions. */
  readonly requireAlive?: RequireAlive
  /** Puts right, in a database that was just filled from a backup, what belongs to nodes that are gone. */
  readonly onRestore?: RestoreStep
  /** Tables whose rows let somebody in, with what they hold in words: a restore empties them. */
  readonly access?: Readonly<Record<string, string>>
  /** What comes back with a restore that operators may have ended since the backup, by what it is: each in one text, `most` of each at most. */
  readonly comingBack?: (db: Db, most: number) => Promise<Readonly<Record<string, readonly string[]>>>
  /** Called once when the daemon begins to stop: ends responses that would go on, and what else keeps connections open. */
  readonly drain?: () => void
  /**
   * Run once before the first request, on a migrated database, by every node; in the order of the features. Again with `isReload` when settings
   * have changed.
   */
  readonly prepare?: (start: { readonly isReload: boolean }) => Promise<void>
}

export type Fail = (path: readonly string[], message: string) => void

/** A feature as it registers itself. Its line in `src/composition.ts` is all that turns it on. */
export interface FeatureDefinition {
  readonly name: string
  /** Its top-level keys of the configuration. */
  readonly config?: Sections
  /** Rules that need more than one section: passes `fail` the key and what is expected of it. `config` names the sections it looks at. */
  readonly check?: (config: never, fail: Fail, isTrustedOrigin: (origin: string) => boolean) => void
  readonly errors?: ErrorTable
  /** Types of the events that it records. */
  readonly events?: EventTable
  readonly commands?: readonly Commands<never>[]
  /** Columns whose values are sealed with the master secret: a change of the secret goes through all of them. */
  readonly sealedColumns?: readonly SealedColumn[]
  /**
   * `config` names the sections that are read, its own and those of others; `needs` what earlier features give. A feature that can do
   * without another takes both as optional.
   */
  readonly build: (base: Base, config: never, needs: never) => Built
}

/** Types a feature by what it declares. */
export const defineFeature = <const Feature extends FeatureDefinition>(feature: Feature): Feature => feature

/** The configuration of a command, as far as it is in what the command needs. */
type ConfigIn<Needs> = Needs extends { readonly config: infer Config } ? Config : unknown

/** How commands reach the application and the terminal. */
export interface Cli<Needs> {
  /** Commands that results print, on the instance that the options name. */
  remedies(): Remedies
  /** Opens the application beside a running daemon, does the work as `system`, prints what it returns and closes. */
  run(work: (app: Needs, principal: SystemPrincipal) => Promise<Output>): Promise<void>
  /** As `run`, for a result that is too long to be held in memory: `write` takes one piece after the other, and waits while the reader is slow. */
  stream(work: (app: Needs, principal: SystemPrincipal, write: (text: string) => Promise<void>) => Promise<void>): Promise<void>
  /**
   * As `run`, for a command that fills a database, which may be empty and is not migrated before. `secretOf` gets the configuration, whose
   * `secret` is empty where none is configured, and gives the master secrets to use then.
   */
  create(
    secretOf: (config: ConfigIn<Needs>) => Promise<readonly string[] | undefined>,
    work: (app: Needs, principal: SystemPrincipal) => Promise<Output>,
  ): Promise<void>
  /** A password or secret: the first line of standard input with `--…-stdin`, else a prompt without echo. Never an argument. */
  readSecret(label: string, fromStdin: boolean, flag?: string): Promise<string>
  /** All of standard input, for the flag that asked for it. Throws `UsageError` where nothing comes. */
  readInput(flag: string): Promise<string>
  /** Standard input, piece by piece: for what is too long to be held. */
  inputPieces(): AsyncIterable<Buffer>
  /** Asks before something is destroyed, unless `isConfirmed` (the flag `--yes`) says it already. Throws `UsageError`. */
  confirm(isConfirmed: boolean, consequence: string, word?: string): Promise<void>
  /** Shows how far long work is, on a terminal alone: each text takes the place of the one before, an empty one clears it. */
  progress(text: string): void
}

/** Adds the commands of a feature to the program. */
export type Commands<Needs> = (program: GatehouseCommand, cli: Cli<Needs>) => void
