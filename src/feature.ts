import { z } from 'zod'
import type { RequireAlive, SystemPrincipal } from './access/principal.ts'
import type { RequireProof } from './access/proof.ts'
import type { GatehouseCommand } from './cli/command.ts'
import type { Check } from './core/checks.ts'
import type { ClaimSource, RegisteredClaimSource } from './core/claims.ts'
import { checkTogether, coreConfig } from './core/config.ts'
import type {
  Core,
  DeleteUserGuard,
  Guards,
  Holdings,
  HoldingsOf,
  RestoreStep,
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
import type { TaskKind } from './core/queue.ts'
import type { Remedies } from './core/remedies.ts'
import type { Retention } from './core/retention.ts'
import type { RememberedBrowsers, SecondFactor } from './core/second-factors.ts'
import type { Setting } from './core/settings.ts'
import type { ConfiguredSchemas } from './http/contract.ts'
import type { Route } from './http/handlers.ts'
import type { Bearer } from './http/identify.ts'
import type { Mount } from './http/server.ts'
import { createTrustedUrls, type TrustedUrls } from './http/trusted-url.ts'

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
  /** Version of the program. */
  readonly version: string
}

/** The first argument of `build`. What features register is complete when all of them are built. */
export interface Base extends InstanceBase {
  readonly deleteUserGuards: readonly DeleteUserGuard[]
  readonly seatLimits: readonly SeatLimit[]
  /** The claim sources of the features before. A feature that gives one after this was called does not start. */
  claimSources(): readonly RegisteredClaimSource[]
  /** The readers of events of the features before. A feature that gives one after this was called does not start. */
  eventReaders(): readonly EventReader[]
  /** The checks of all features, once all of them are built. */
  checks(): readonly Check[]
  /** What the features do after a restore. Complete once all of them are built. */
  restoreSteps(): readonly RestoreStep[]
  /** Tables that let somebody in, of those that refer to others first; and what comes back with a restore. Complete once all features are built. */
  access(): Readonly<Record<string, string>>
  comingBack(): readonly NonNullable<Built['comingBack']>[]
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
type Sections = Readonly<Record<string, z.ZodType | Readonly<Record<string, z.ZodType>>>>

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
  /** Run once before the first request, on a migrated database, by every node; in the order of the features. */
  readonly prepare?: () => Promise<void>
}

type Fail = (path: readonly string[], message: string) => void

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

type Outputs<S> = { readonly [Key in keyof S]: S[Key] extends z.ZodType ? z.output<S[Key]> : Outputs<S[Key]> }
type SectionsOf<F> = F extends { readonly config: infer S extends Sections } ? Outputs<S> : object
type ReadsOf<F extends FeatureDefinition> = Parameters<F['build']> extends [unknown, infer Reads, ...unknown[]] ? Reads : object
type NeedsOf<F extends FeatureDefinition> =
  Parameters<F['build']> extends [unknown, unknown, infer Needs, ...unknown[]] ? Needs : object
type CommandNeedsOf<F> = F extends { readonly commands: readonly Commands<infer Needs>[] } ? Needs : object
type CoreConfig = Omit<Outputs<typeof coreConfig>, 'url'> & { readonly url: string }

export type FeatureList = readonly FeatureDefinition[]
/** `Found` collects: the compiler follows a long list only where the recursion is the last thing that a type does. */
export type ApisOf<List, Found = object> = List extends readonly [infer F extends FeatureDefinition, ...infer Rest]
  ? ApisOf<Rest, Found & ReturnType<F['build']>['api']>
  : Found
type AllSections<List, Found = object> = List extends readonly [infer F, ...infer Rest]
  ? AllSections<Rest, Found & SectionsOf<F>>
  : Found
/** The whole configuration of an instance with these features. */
export type ConfigOf<List> = CoreConfig & AllSections<List>

type RequiredKeys<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T]
/** True when what is given has all that is needed, and what it has of the optional is of its type. A type without required keys is met too. */
type Meets<Given, Needs> =
  RequiredKeys<Needs> extends keyof Given
    ? Pick<Given, keyof Given & keyof Needs> extends Pick<Needs, keyof Given & keyof Needs>
      ? true
      : false
    : false

/**
 * The list itself when each feature finds what it reads, needs and shows; in the place of one that does not, what it lacks. `Instance` is
 * what commands may use besides the features and the configuration.
 */
export type Complete<List extends FeatureList, Instance> = CompleteFrom<
  List,
  ConfigOf<List>,
  Instance & ApisOf<List> & { readonly config: ConfigOf<List> },
  object
>
type CompleteFrom<List, Config, App, Earlier, Checked extends readonly unknown[] = readonly []> = List extends readonly [
  infer F extends FeatureDefinition,
  ...infer Rest extends FeatureList,
]
  ? CompleteFrom<
      Rest,
      Config,
      App,
      Earlier & ReturnType<F['build']>['api'],
      readonly [...Checked, CheckedFeature<F, Rest, Config, App, Earlier>]
    >
  : Checked
type CheckedFeature<F extends FeatureDefinition, Rest, Config, App, Earlier> =
  Meets<Config, ReadsOf<F>> extends true
    ? Meets<Earlier, NeedsOf<F>> extends true
      ? keyof NeedsOf<F> & keyof ApisOf<Rest> extends never
        ? Meets<App, CommandNeedsOf<F>> extends true
          ? F
          : { readonly missingForCommands: Exclude<keyof CommandNeedsOf<F>, keyof App> }
        : { readonly mustStandAfter: keyof NeedsOf<F> & keyof ApisOf<Rest> }
      : { readonly missingNeeds: Exclude<keyof NeedsOf<F>, keyof Earlier> }
    : { readonly missingConfig: Exclude<keyof ReadsOf<F>, keyof Config> }

/** A feature whose types were checked where the list was made. */
interface AnyFeature extends Omit<FeatureDefinition, 'check' | 'build'> {
  check?(config: unknown, fail: Fail, isTrustedOrigin: (origin: string) => boolean): void
  build(base: Base, config: unknown, needs: object): Built
}
const unchecked = (features: FeatureList) => features as readonly unknown[] as readonly AnyFeature[]

const publicUrlOf = ({ url, port }: { readonly url?: string | undefined; readonly port: number }) =>
  url ?? `http://localhost:${port}`

/** The sections of the features, and those that several share with the keys of all of them. */
const joinSections = (features: FeatureList): Readonly<Record<string, z.ZodType>> => {
  const sections: Record<string, z.ZodType> = {}
  const shared: Record<string, Record<string, z.ZodType>> = {}
  for (const [name, section] of features.flatMap(({ config = {} }) => Object.entries(config))) {
    if (section instanceof z.ZodType) sections[name] = section
    else {
      shared[name] = { ...shared[name], ...section }
      sections[name] = z.strictObject(shared[name]).prefault({})
    }
  }
  return sections
}

/** The whole configuration: keys of the core, then those of the features. */
export const joinConfig = <List extends FeatureList>(features: List): z.ZodType<ConfigOf<List>> =>
  z
    .strictObject({ ...coreConfig, ...joinSections(features) } as typeof coreConfig)
    .superRefine(checkTogether)
    .superRefine((config, context) => {
      const fail: Fail = (path, message) => context.addIssue({ code: 'custom', path: [...path], message })
      const publicUrl = publicUrlOf(config)
      if (!URL.canParse(publicUrl)) return
      const { isTrustedOrigin } = createTrustedUrls(publicUrl, config.trustedOrigins)
      for (const { check } of unchecked(features)) check?.(config, fail, isTrustedOrigin)
    })
    .transform((config) => ({ ...config, url: publicUrlOf(config) })) as z.ZodType as z.ZodType<ConfigOf<List>>

export interface BuiltFeatures {
  readonly all: readonly Built[]
  /** The APIs of all features, by name. */
  readonly apis: object
  readonly base: Base
}

/** Builds the features in their order, each with what those before it give. */
export const buildFeatures = (features: FeatureList, instanceBase: InstanceBase, config: unknown): BuiltFeatures => {
  const all: Built[] = []
  const deleteUserGuards: DeleteUserGuard[] = []
  const seatLimits: SeatLimit[] = []
  const claimSources: RegisteredClaimSource[] = []
  let apis: object = {}
  let areClaimsRead = false
  let areReadersRead = false
  const base: Base = {
    ...instanceBase,
    deleteUserGuards,
    seatLimits,
    claimSources: () => {
      areClaimsRead = true
      return claimSources
    },
    eventReaders: () => {
      areReadersRead = true
      return all.flatMap(({ readers = [] }) => readers)
    },
    checks: () => all.flatMap(({ checks = [] }) => checks),
    countSignInMethods: async (db, userId) => {
      let total = 0
      for (const { guards } of all) total += (await guards?.signInMethods?.(db, userId)) ?? 0
      return total
    },
    requiresSecondFactor: async (db, userId) => {
      for (const { guards } of all) if ((await guards?.requiresSecondFactor?.(db, userId)) === true) return true
      return false
    },
    holdingsOf: async (db, userId) => {
      let found: Holdings = { organizations: [], apiKeys: 0, invitations: 0 }
      for (const { holdings } of all) found = { ...found, ...(await holdings?.(db, userId)) }
      return found
    },
    requireProof: async (...asked) => {
      const rule = all.find(({ requireProof }) => requireProof !== undefined)?.requireProof
      if (rule === undefined) throw new Error('no feature says what a recent proof is')
      await rule(...asked)
    },
    requireAlive: async (...asked) => {
      for (const { requireAlive } of all) await requireAlive?.(...asked)
    },
    retentions: () => all.flatMap(({ retentions = [] }) => retentions),
    personalData: () => all.flatMap(({ personalData = [] }) => personalData),
    secondFactors: () => ({
      factors: all.flatMap(({ secondFactors = [] }) => secondFactors),
      remembered: all.find(({ rememberedBrowsers }) => rememberedBrowsers !== undefined)?.rememberedBrowsers,
    }),
    access: () => Object.assign({}, ...all.toReversed().map(({ access }) => access ?? {})),
    comingBack: () => all.flatMap(({ comingBack }) => (comingBack === undefined ? [] : [comingBack])),
    restoreSteps: () => all.flatMap(({ onRestore }) => (onRestore === undefined ? [] : [onRestore])),
  }
  for (const feature of unchecked(features)) {
    const built = feature.build(base, config, apis)
    const { claims = [], guards = {}, readers = [] } = built
    if (areClaimsRead && claims.length > 0)
      throw new Error(`${feature.name} gives claims: it must stand before the feature that reads them`)
    if (areReadersRead && readers.length > 0)
      throw new Error(`${feature.name} reads events: it must stand before the feature that runs readers`)
    claimSources.push(...claims.map((source) => ({ ...source, feature: feature.name })))
    if (guards.deleteUser !== undefined) deleteUserGuards.push(guards.deleteUser)
    if (guards.seats !== undefined) seatLimits.push(guards.seats)
    all.push(built)
    apis = { ...apis, ...built.api }
  }
  return { all, apis, base }
}

/** The configuration of a command, as far as it is in what the command needs. */
type ConfigIn<Needs> = Needs extends { readonly config: infer Config } ? Config : unknown

/** How commands reach the application and the terminal. */
export interface Cli<Needs> {
  /** Commands that results print, on the instance that the options name. */
  remedies(): Remedies
  /** Opens the application beside a running daemon, does the work as `system`, prints what it returns and closes. */
  run(work: (app: Needs, principal: SystemPrincipal) => Promise<Output>): Promise<void>
  /** The same for a result that is too long to be held: `write` takes one piece after the other, and waits while the reader is slow. */
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
