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

/** Services of the composition for every feature. */
export interface InstanceBase extends Core {
  readonly database: Database
  readonly migrations: MigrationList
  readonly trustedUrls: TrustedUrls
  /** Sealed columns of all features. */
  readonly sealedColumns: readonly SealedColumn[]
  /** Event types of all features by name. */
  readonly eventTypes: ReadonlyMap<string, EventType>
  /** Every configuration key with its value and source. */
  settings(): readonly Setting[]
  readonly configuration: Configuration
  /** Version of gatehouse. */
  readonly version: string
}

/** The first argument of `build`. Registrations are complete when all features are built. */
export interface Base extends InstanceBase {
  readonly deleteUserGuards: readonly DeleteUserGuard[]
  readonly seatLimits: readonly SeatLimit[]
  /** The plan of an organization. Complete once all features are built. */
  readonly planOf: PlanOf
  /** The claim sources of earlier features. A feature that adds one after this call fails to start. */
  claimSources(): readonly RegisteredClaimSource[]
  /** The event readers of earlier features. A feature that adds one after this call fails to start. */
  eventReaders(): readonly EventReader[]
  /** The checks of all features. Complete once all are built. */
  checks(): readonly Check[]
  /** The setup steps of all features. Complete once all are built. */
  setupSteps(): readonly SetupStep[]
  /** The restore steps of all features. Complete once all are built. */
  restoreSteps(): readonly RestoreStep[]
  /** Tables whose rows give access, referring tables first, and resources that a restore brings back. Complete once all features are built. */
  access(): Readonly<Record<string, string>>
  comingBack(): readonly NonNullable<Built['comingBack']>[]
  /** Names of rows that answers refer to. Complete once all features are built. */
  readonly names: Names
  /** The number of a user's sign-in methods. Complete once all features are built. */
  readonly countSignInMethods: SignInMethodCount
  /** True where an organization of a user requires two factors. Complete once all features are built. */
  readonly requiresSecondFactor: SecondFactorGuard
  /** Parts of an account that may be in other hands. Complete once all features are built. */
  holdingsOf(db: Db, userId: string): Promise<Holdings>
  /** Retentions of all features. Complete once all are built. */
  retentions(): readonly Retention[]
  /** Data about users in all features. Complete once all are built. */
  personalData(): readonly PersonalData[]
  /** Requires a recent proof. Set by a feature that is built after its callers. */
  readonly requireProof: RequireProof
  /** Requires that the session of a call goes on. Set by the feature of sessions, which is built after its callers. */
  readonly requireAlive: RequireAlive
  /** Second factors of all features, and remembered browsers. Complete once all are built. */
  secondFactors(): { readonly factors: readonly SecondFactor[]; readonly remembered: RememberedBrowsers | undefined }
}

/** A section of the configuration, or the keys that a feature adds to a shared section. */
export type Sections = Readonly<Record<string, z.ZodType | Readonly<Record<string, z.ZodType>>>>

/** A text that the daemon serves on a port of its own, for operators. */
export interface Listener {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly path: string
  readonly mediaType: string
  read(): Promise<string>
}

/** The result of a feature's `build`. */
export interface Built {
  /** Interfaces for later features and commands, by name. */
  readonly api: object
  readonly routes?: readonly Route[]
  readonly mounts?: readonly Mount[]
  readonly listeners?: readonly Listener[]
  /** Origins of the operator's pages that call the API with the session. */
  readonly pageOrigins?: readonly string[]
  /** Kinds of Bearer tokens that the feature accepts. */
  readonly bearers?: readonly Bearer[]
  /** Work that each node does for itself. */
  readonly jobs?: readonly Job[]
  /** Names of the feature's rows, for answers of other features. */
  readonly names?: readonly NameSource[]
  /** Kinds of tasks in the queue, for any node. */
  readonly tasks?: readonly TaskKind<unknown>[]
  /** Data with a limited life. Tasks delete it regularly; `prune` deletes it at once. */
  readonly retentions?: readonly Retention[]
  /** Data about users, for download: each table that names users is in one part, or left out for a reason. */
  readonly personalData?: readonly PersonalData[]
  readonly withheldData?: readonly WithheldData[]
  readonly claims?: readonly ClaimSource[]
  /** Extensions of schemas by the configuration, in the API document of the instance. */
  readonly schemas?: ConfiguredSchemas
  readonly guards?: Guards
  /** Parts of an account that may be in other hands; the owner of the address is asked about them. */
  readonly holdings?: HoldingsOf
  /** Reactions in the transaction of an event, which commit with it. */
  readonly reactions?: readonly Reaction[]
  /** Readers that follow events a moment later. */
  readonly readers?: readonly EventReader[]
  /** Checks for `doctor` and the admin API. */
  readonly checks?: readonly Check[]
  /** Tests of the feature's settings before they are stored. */
  readonly trials?: readonly Trial[]
  /** Setup steps before people can sign in. */
  readonly setupSteps?: readonly SetupStep[]
  /** Possible second steps of a sign-in. */
  readonly secondFactors?: readonly SecondFactor[]
  readonly rememberedBrowsers?: RememberedBrowsers
  /** The rule about recent proofs, from one feature. */
  readonly requireProof?: RequireProof
  /** From the feature of sessions. */
  readonly requireAlive?: RequireAlive
  /** Repairs a restored database, in which rows refer to nodes that are gone. */
  readonly onRestore?: RestoreStep
  /** Tables whose rows give access, each with a word for its rows; a restore empties them. */
  readonly access?: Readonly<Record<string, string>>
  /** Resources that a restore brings back and operators may have ended since the backup, by kind; at most `most` texts of each. */
  readonly comingBack?: (db: Db, most: number) => Promise<Readonly<Record<string, readonly string[]>>>
  /** Called once when the daemon begins to stop: ends endless responses and other open connections. */
  readonly drain?: () => void
  /**
   * Called on every node before the first request, after the migration, in the order of the features; again with `isReload` after changes
   * of settings.
   */
  readonly prepare?: (start: { readonly isReload: boolean }) => Promise<void>
}

export type Fail = (path: readonly string[], message: string) => void

/** A feature's registration. Its line in `src/composition.ts` alone switches it on. */
export interface FeatureDefinition {
  readonly name: string
  /** Top-level keys of the configuration. */
  readonly config?: Sections
  /** Rules across sections: pass `fail` the key and the expected value. `config` names the sections they read. */
  readonly check?: (config: never, fail: Fail, isTrustedOrigin: (origin: string) => boolean) => void
  readonly errors?: ErrorTable
  /** Types of events that the feature records. */
  readonly events?: EventTable
  readonly commands?: readonly Commands<never>[]
  /** Columns that are sealed with the master secret; a rotation of the secret rewrites them. */
  readonly sealedColumns?: readonly SealedColumn[]
  /** `config` names the sections it reads, its own and others; `needs` are APIs of earlier features. Dispensable ones are optional in both. */
  readonly build: (base: Base, config: never, needs: never) => Built
}

/** Infers the types of a feature from its declaration. */
export const defineFeature = <const Feature extends FeatureDefinition>(feature: Feature): Feature => feature

/** The part of the configuration that a command needs. */
type ConfigIn<Needs> = Needs extends { readonly config: infer Config } ? Config : unknown

/** The tools of commands for the application and the terminal. */
export interface Cli<Needs> {
  /** Command lines for messages, for the instance that the options name. */
  remedies(): Remedies
  /** Opens the application beside a running daemon, does the work as `system`, prints the result and closes. */
  run(work: (app: Needs, principal: SystemPrincipal) => Promise<Output>): Promise<void>
  /** Runs a command whose result is too long for memory: `write` takes one piece after the other, and waits for a slow reader. */
  stream(work: (app: Needs, principal: SystemPrincipal, write: (text: string) => Promise<void>) => Promise<void>): Promise<void>
  /**
   * Runs a command that fills a database, which may be empty and is not migrated. `secretOf` returns the master secrets for a
   * configuration, whose `secret` is empty if none is configured.
   */
  create(
    secretOf: (config: ConfigIn<Needs>) => Promise<readonly string[] | undefined>,
    work: (app: Needs, principal: SystemPrincipal) => Promise<Output>,
  ): Promise<void>
  /** A password or secret: the first line of standard input with `--…-stdin`, else a prompt without echo. Never an argument. */
  readSecret(label: string, fromStdin: boolean, flag?: string): Promise<string>
  /** All of standard input, for the named flag. Throws `UsageError` for empty input. */
  readInput(flag: string): Promise<string>
  /** Standard input in pieces, for long content. */
  inputPieces(): AsyncIterable<Buffer>
  /** Asks for confirmation before something is deleted, unless `isConfirmed` (the flag `--yes`). Throws `UsageError`. */
  confirm(isConfirmed: boolean, consequence: string, word?: string): Promise<void>
  /** Shows progress on a terminal: each text replaces the one before, an empty one clears it. */
  progress(text: string): void
}

/** Adds a feature's commands to the program. */
export type Commands<Needs> = (program: GatehouseCommand, cli: Cli<Needs>) => void
