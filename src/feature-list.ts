import { z } from 'zod'
import { createNames } from './access/names.ts'
import type { RegisteredClaimSource } from './core/claims.ts'
import { checkTogether, coreConfig } from './core/config.ts'
import type { DeleteUserGuard, Holdings, SeatLimit } from './core/core.ts'
import type { Base, Built, Commands, Fail, FeatureDefinition, InstanceBase, Sections } from './feature.ts'
import { createTrustedUrls } from './http/trusted-url.ts'

type Outputs<S> = { readonly [Key in keyof S]: S[Key] extends z.ZodType ? z.output<S[Key]> : Outputs<S[Key]> }
type SectionsOf<F> = F extends { readonly config: infer S extends Sections } ? Outputs<S> : object
type ReadsOf<F extends FeatureDefinition> = Parameters<F['build']> extends [unknown, infer Reads, ...unknown[]] ? Reads : object
type NeedsOf<F extends FeatureDefinition> =
  Parameters<F['build']> extends [unknown, unknown, infer Needs, ...unknown[]] ? Needs : object
type CommandNeedsOf<F> = F extends { readonly commands: readonly Commands<infer Needs>[] } ? Needs : object
type CoreConfig = Omit<Outputs<typeof coreConfig>, 'url'> & { readonly url: string }

export type FeatureList = readonly FeatureDefinition[]
/**
 * The combined APIs of a list of features. `Found` collects the result. TypeScript can handle a long list only if the recursion is the
 * last step of the type.
 */
export type ApisOf<List, Found = object> = List extends readonly [infer F extends FeatureDefinition, ...infer Rest]
  ? ApisOf<Rest, Found & ReturnType<F['build']>['api']>
  : Found
type AllSections<List, Found = object> = List extends readonly [infer F, ...infer Rest]
  ? AllSections<Rest, Found & SectionsOf<F>>
  : Found
/** The whole configuration of an instance that has these features. */
export type ConfigOf<List> = CoreConfig & AllSections<List>

type RequiredKeys<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T]
/**
 * True if `Given` has all required properties of `Needs`, and if those optional properties that it has are of the right type. It also
 * works if `Needs` has no required properties.
 */
type Meets<Given, Needs> =
  RequiredKeys<Needs> extends keyof Given
    ? Pick<Given, keyof Given & keyof Needs> extends Pick<Needs, keyof Given & keyof Needs>
      ? true
      : false
    : false

/**
 * The list itself, if every feature finds the APIs and configuration that it needs. Otherwise a type that names what is missing.
 * `Instance` is what commands need in addition.
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

/** A feature whose types were already checked by `Complete`. */
interface AnyFeature extends Omit<FeatureDefinition, 'check' | 'build'> {
  check?(config: unknown, fail: Fail, isTrustedOrigin: (origin: string) => boolean): void
  build(base: Base, config: unknown, needs: object): Built
}
const unchecked = (features: FeatureList) => features as readonly unknown[] as readonly AnyFeature[]

const publicUrlOf = ({ url, port }: { readonly url?: string | undefined; readonly port: number }) =>
  url ?? `http://localhost:${port}`

/** The configuration sections of all features. If several features use a section, it has the keys of all of them. */
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

/** The schema of the whole configuration: the keys of the core, followed by those of the features. */
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

/** Builds the features in the order of the list. Each feature gets the APIs of the features before it. */
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
    planOf: async (db, organizationId) => {
      for (const { guards } of all) {
        const plan = await guards?.plan?.(db, organizationId)
        if (plan != null) return plan
      }
      return null
    },
    claimSources: () => {
      areClaimsRead = true
      return claimSources
    },
    eventReaders: () => {
      areReadersRead = true
      return all.flatMap(({ readers = [] }) => readers)
    },
    checks: () => all.flatMap(({ checks = [] }) => checks),
    names: createNames(instanceBase.db, () => all.flatMap(({ names = [] }) => names)),
    setupSteps: () => all.flatMap(({ setupSteps = [] }) => setupSteps),
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
