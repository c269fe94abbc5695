import type { z } from 'zod'
import { migrations } from '../migrations/index.ts'
import packageFile from '../package.json' with { type: 'json' }
import type { InstanceRoles } from './access/roles.ts'
import { apiKeysFeature } from './api-keys/index.ts'
import { applyFeature } from './apply/index.ts'
import { auditFeature } from './audit/index.ts'
import { attemptsFeature } from './authentication/attempts/index.ts'
import { explanationFeature } from './authentication/explanation/index.ts'
import { factorAdministrationFeature } from './authentication/factor-administration/index.ts'
import { failuresFeature, type SignInFailures } from './authentication/failures/index.ts'
import { impersonationFeature } from './authentication/impersonation/index.ts'
import { socialFeature } from './authentication/methods/federated/index.ts'
import { mailCodesFeature } from './authentication/methods/mail-codes/index.ts'
import { mailSignInFeature } from './authentication/methods/mail-sign-in/index.ts'
import { passkeyFeature } from './authentication/methods/passkey/index.ts'
import { passwordFeature } from './authentication/methods/password/index.ts'
import { recoveryCodesFeature } from './authentication/methods/recovery-codes/index.ts'
import { totpFeature } from './authentication/methods/totp/index.ts'
import { pageFormsFeature } from './authentication/page-forms/index.ts'
import { proofFeature } from './authentication/proof/index.ts'
import { rememberedBrowsersFeature } from './authentication/remembered-browsers/index.ts'
import { secondFactorRecoveryFeature } from './authentication/second-factor-recovery/index.ts'
import { secondFactorsFeature } from './authentication/second-factors/index.ts'
import { type Sessions, sessionsFeature } from './authentication/sessions/index.ts'
import { signInMethodNoticesFeature } from './authentication/sign-in-method-notices/index.ts'
import { verificationFeature } from './authentication/verification/index.ts'
import { backupFeature } from './backup/index.ts'
import { billingFeature } from './billing/index.ts'
import { brandFeature } from './brand/index.ts'
import { claimExplanationsFeature } from './claim-explanations/index.ts'
import type { ReadConfig } from './core/config.ts'
import { listKeys } from './core/config-keys.ts'
import type { Configuration } from './core/configuration.ts'
import type { Core } from './core/core.ts'
import type { Database } from './core/db/database.ts'
import { coreErrors, type ErrorTable } from './core/errors.ts'
import { createEvents } from './core/events/record.ts'
import { createJobRunner } from './core/jobs.ts'
import { createMetrics } from './core/metrics.ts'
import { openNode, type Surroundings } from './core/node.ts'
import { type OwnPageTexts, uiDirectory } from './core/page-texts.ts'
import { createQueue } from './core/queue.ts'
import { createRemedies } from './core/remedies.ts'
import type { Built, Commands } from './feature.ts'
import { type ApisOf, buildFeatures, type Complete, type ConfigOf, type FeatureList, joinConfig } from './feature-list.ts'
import { type AddressProblem, configWarnings, healthFeature } from './health/index.ts'
import { createDeviceCookie, createPendingCookie, type SignedCookie } from './http/cookies.ts'
import type { PageColor, PageSettings } from './http/first-paint.ts'
import type { AuthenticateKey } from './http/identify.ts'
import { createMaintenance } from './http/maintenance.ts'
import { createSessionCache } from './http/session-cache.ts'
import { builtPages, createStaticFiles, generatedFile } from './http/static.ts'
import { createTrustedUrls } from './http/trusted-url.ts'
import { claimsFeature } from './identity/claims/index.ts'
import { deletionFeature } from './identity/deletion/index.ts'
import { identitiesFeature } from './identity/identities/index.ts'
import { personalDataFeature } from './identity/personal-data/index.ts'
import { pictureFeature } from './identity/picture/index.ts'
import { rolesFeature } from './identity/roles/index.ts'
import { userAdministrationFeature } from './identity/users/administration/index.ts'
import { usersFeature } from './identity/users/index.ts'
import { imagesFeature } from './images/index.ts'
import { limitsFeature, type ProofOfWork, type RateLimits } from './limits/index.ts'
import { mailFeature } from './mail/index.ts'
import { metricsFeature } from './metrics/index.ts'
import { oidcFeature } from './oidc/index.ts'
import { organizationsFeature } from './organizations/index.ts'
import { retentionFeature } from './retention/index.ts'
import { secretsFeature } from './secrets/index.ts'
import { readStored, type StoredSettings, settingsFeature, storedVersion } from './settings/index.ts'
import { setupFeature } from './setup/index.ts'
import { statisticsFeature } from './statistics/index.ts'
import { tasksFeature } from './tasks/index.ts'

/** Exported for the generated documentation page about client metadata. */
export { clientMetadata, protocolMetadata } from './oidc/metadata/contract.ts'

const { version } = packageFile

type Read<Config> = Pick<ReadConfig<z.ZodType<Config>>, 'settings' | 'evaluate'>

/** What an application needs from its caller. */
export interface Runtime<Config = unknown> extends Surroundings {
  /** Reads the configuration from its sources. Absent if the application needs neither the sources nor the settings in the database. */
  readonly read?: Read<Config>
  /** Puts changed settings into effect on a node that serves requests. If absent, changes of settings have no effect in this process. */
  readonly following?: Pick<Configuration, 'reload' | 'state'>
  /** The command-line options that say which instance is meant. Suggested commands repeat them. */
  readonly place?: readonly string[]
}

/** What commands can use in addition to the APIs of the features. */
interface Instance {
  readonly core: Core
  /** Warnings about settings that are allowed but risky, as sentences. */
  readonly warnings: readonly string[]
}

/** What the HTTP server needs from the features. */
interface ServerNeeds {
  readonly instanceRoles: InstanceRoles
  readonly sessions: Sessions
  readonly sessionCookie: SignedCookie
  readonly rateLimits: RateLimits | undefined
  readonly proofOfWork: Pick<ProofOfWork, 'demand'>
  readonly authenticateKey?: AuthenticateKey
  readonly signInFailures?: SignInFailures
  readonly addressProblem: Pick<AddressProblem, 'note'>
  /** Adds data from the server to the HTML of a page. */
  readonly intoPage?: (html: string, color?: string) => string
  readonly pageSettings?: () => PageSettings
  /** Finds the colour that the pages have during a sign-in to an application. */
  readonly pageColor?: PageColor
  readonly pageTexts?: OwnPageTexts
  readonly brandStyles?: (color?: string) => string
}

/** The sections of the features' configuration that the server and the warnings read. */
type Settings = ConfigOf<readonly [typeof sessionsFeature, typeof passwordFeature, typeof mailFeature, typeof limitsFeature]> & {
  readonly admin?: { readonly trustedOrigins?: readonly string[] }
}

/** A type that accepts a list of features only if it contains everything that the server needs. */
type Serving<List extends FeatureList> =
  ApisOf<List> extends ServerNeeds ? unknown : { readonly serverLacks: Exclude<keyof ServerNeeds, keyof ApisOf<List>> }

/** Ignores changes of settings. Commands use it, because they end soon. */
const notFollowing = { reload: async () => undefined, state: () => ({ version: 0, problem: undefined }) }

/** A view of the database for the features of one configuration. `release` removes the listeners that these features have added to it. */
const lend = (owned: Database): { readonly database: Database; release(): void } => {
  const unlisteners: (() => void)[] = []
  const onFailure: Database['onFailure'] = (tell) => {
    const unlisten = owned.onFailure(tell)
    unlisteners.push(unlisten)
    return unlisten
  }
  return {
    database: { ...owned, onFailure },
    release: () => {
      for (const unlisten of unlisteners.splice(0)) unlisten()
    },
  }
}

/** The configuration service for the features. `build` builds an application with another configuration, only to check whether that works. */
const createConfiguration = <Config>(
  schema: z.ZodType<Config>,
  { read, following = notFollowing }: { readonly [K in 'read' | 'following']: Runtime<Config>[K] | undefined },
  build: (tried: ReadConfig<z.ZodType<Config>>) => { readonly registered: readonly Built[]; release(): void },
): Configuration => ({
  keys: listKeys(schema),
  settings: () => read?.settings() ?? [],
  tryOut: (stored) => {
    if (read === undefined) throw new Error('this application was composed without the sources of its configuration')
    const tried = read.evaluate(stored)
    const candidate = build(tried)
    candidate.release()
    const guards = candidate.registered.flatMap(({ guards: own }) => own ?? [])
    return {
      settings: tried.settings,
      trials: candidate.registered.flatMap(({ trials = [] }) => trials),
      signsIn: async (db, userId, changes) => {
        for (const { locksOut } of guards) if ((await locksOut?.(db, userId)) === true) return false
        for (const { signsIn } of guards) if ((await signsIn?.(db, userId, changes)) === true) return true
        return false
      },
    }
  },
  ...following,
})

/** Combines a list of features to a program. A feature has to come after the features that it needs. */
export const composeFeatures = <const List extends FeatureList>(features: List & Complete<List, Instance> & Serving<List>) => {
  const pagesOnDisk = builtPages(uiDirectory())
  const configSchema = joinConfig(features as List)
  /** Builds an application. Database and other resources are opened only when they are first used. */
  const compose = (
    config: ConfigOf<List>,
    runtime: Runtime<ConfigOf<List>>,
    /** The node of the former application, if this application replaces one after a change of settings. */
    node = openNode(config, runtime),
  ) => {
    const settings = config as ConfigOf<List> & Settings
    const { read, following, place = [] } = runtime
    const { clock, random, log, secrets, signals, metrics, security } = node
    const { db, transact, single } = node.database
    const { database, release } = lend(node.database)
    const trustedUrls = createTrustedUrls(config.url, config.trustedOrigins)
    const events = createEvents({ clock, random })
    for (const feature of features) events.register(feature)
    const queue = createQueue({ db, transact, clock, random, secrets, signals, log })
    const remedies = createRemedies(place)
    const given = { clock, random, log, secrets, signals, queue, security, events, metrics, remedies, url: config.url }
    const core = { db, transact, single, ...given }
    const sealedColumns = features.flatMap((feature) => feature.sealedColumns ?? [])
    const configuration = createConfiguration(configSchema, { read, following }, (tried) =>
      compose(tried.config as ConfigOf<List>, { ...runtime, read: tried }, { ...node, metrics: createMetrics() }),
    )
    const built = buildFeatures(
      features,
      {
        ...{ ...core, database, migrations, trustedUrls, sealedColumns, eventTypes: events.types, version },
        ...{ settings: configuration.settings, configuration },
      },
      config,
    )
    for (const feature of built.all) events.register(feature)
    const errorTables: readonly ErrorTable[] = [
      coreErrors.table,
      ...features.flatMap(({ errors }) => (errors === undefined ? [] : [errors])),
    ]
    /** This module is loaded when the API document is first requested, so that the daemon starts without it. */
    const describeApi = async () => {
      const { createOpenApi } = await import('./http/openapi.ts')
      const schemas = built.all.flatMap((feature) => feature.schemas ?? [])
      const cookieName = (built.apis as ServerNeeds).sessionCookie.name
      return JSON.stringify(createOpenApi(instance.routes, errorTables, { version, cookieName, url: config.url, schemas }))
    }
    const instance = {
      /** Prepares what the first request needs, such as signing keys. The database is already migrated. */
      prepare: async ({ isReload = false }: { readonly isReload?: boolean } = {}): Promise<void> => {
        for (const feature of built.all) await feature.prepare?.({ isReload })
      },
      maintenance: createMaintenance(),
      /** Called before the server closes. The node then reports that it is not ready, and endless responses end. */
      drain: (): void => {
        for (const feature of built.all) feature.drain?.()
      },
      /** Called when another application has replaced this one. Afterwards the node does not refer to this application any more. */
      release,
      node,
      config,
      warnings: configWarnings(settings),
      core: built.base as Core,
      /** What each feature's `build` has returned, in the order of the features. */
      registered: built.all,
      database: node.database,
      /** The servers that listen on a port of their own. */
      listeners: built.all.flatMap(({ listeners = [] }) => listeners),
      routes: built.all.flatMap(({ routes = [] }) => routes),
      errorTables,
      events,
      /** The request handler. Its code is loaded when it is first needed, because commands do not need it. */
      handler: async () => {
        const { createHandler } = await import('./http/server.ts')
        const { instanceRoles, sessions, sessionCookie, rateLimits, proofOfWork, authenticateKey, ...rest } =
          built.apis as ServerNeeds
        const { signInFailures, addressProblem, ...pages } = rest
        return createHandler({
          config: settings,
          ...built.base,
          routes: instance.routes,
          mounts: built.all.flatMap(({ mounts = [] }) => mounts),
          staticFiles: createStaticFiles(pagesOnDisk(), { hasDocs: settings.http.apiDocs, ...pages }),
          apiDocument: settings.http.apiDocs ? generatedFile('application/json; charset=utf-8', describeApi) : undefined,
          trustedUrls,
          adminUrls: createTrustedUrls(config.url, settings.admin?.trustedOrigins ?? []),
          ownPageOrigins: built.all.flatMap(({ pageOrigins = [] }) => pageOrigins),
          sessionCookie,
          deviceCookie: createDeviceCookie(config.url, secrets),
          pendingCookie: createPendingCookie(config.url, secrets),
          sessionCache: createSessionCache(
            config.url,
            secrets,
            clock,
            { ...settings.sessions, isRecentlyBanned: sessions.isRecentlyBanned },
            instanceRoles.permissionsOfRoles,
          ),
          rateLimits,
          demandProof: proofOfWork.demand,
          authenticate: sessions.authenticate,
          authenticateKey,
          ...{ isInMaintenance: instance.maintenance.isOn, onDenied: signInFailures?.denied },
          onUnreadableAddress: addressProblem.note,
          bearers: built.all.flatMap(({ bearers = [] }) => bearers),
        })
      },
      jobs: createJobRunner({
        jobs: built.all.flatMap(({ jobs = [], tasks = [] }) => [...jobs, ...queue.jobs(tasks)]),
        database: node.database,
        signals,
        random,
        log,
      }),
    }
    return { ...(built.apis as ApisOf<List>), ...instance }
  }
  type App = ReturnType<typeof compose>
  return {
    features: features as List,
    /** The schema of the whole configuration: the keys of the core, then those of the features. */
    configSchema,
    /** The commands of all features, in the order in which the help lists them. */
    commands: features.flatMap(({ commands = [] }) => commands as readonly unknown[] as readonly Commands<App>[]),
    compose,
  }
}

/** The features of gatehouse. A feature comes after the features that it needs. A feature that is not in this list is switched off. */
export const gatehouse = composeFeatures([
  secretsFeature,
  limitsFeature,
  statisticsFeature,
  imagesFeature,
  brandFeature,
  mailFeature,
  tasksFeature,
  rolesFeature,
  usersFeature,
  pictureFeature,
  failuresFeature,
  sessionsFeature,
  secondFactorsFeature,
  rememberedBrowsersFeature,
  identitiesFeature,
  attemptsFeature,
  verificationFeature,
  passwordFeature,
  proofFeature,
  recoveryCodesFeature,
  totpFeature,
  passkeyFeature,
  mailSignInFeature,
  mailCodesFeature,
  deletionFeature,
  impersonationFeature,
  personalDataFeature,
  userAdministrationFeature,
  factorAdministrationFeature,
  socialFeature,
  pageFormsFeature,
  organizationsFeature,
  secondFactorRecoveryFeature,
  apiKeysFeature,
  signInMethodNoticesFeature,
  billingFeature,
  claimsFeature,
  oidcFeature,
  claimExplanationsFeature,
  setupFeature,
  settingsFeature,
  applyFeature,
  backupFeature,
  retentionFeature,
  auditFeature,
  explanationFeature,
  healthFeature,
  metricsFeature,
])

export { configWarnings, readStored, type StoredSettings, storedVersion }
export const { configSchema, compose } = gatehouse
export type App = ReturnType<typeof compose>
