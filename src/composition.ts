import { join } from 'node:path'
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
import type { Clock } from './core/clock.ts'
import type { Core } from './core/core.ts'
import { createSecrets } from './core/crypto.ts'
import { openDatabase } from './core/db/database.ts'
import { coreErrors, type ErrorTable } from './core/errors.ts'
import { createEvents } from './core/events/record.ts'
import { makeDirectory } from './core/files.ts'
import { createJobRunner } from './core/jobs.ts'
import type { Log } from './core/log.ts'
import { masterSecrets } from './core/master-secret.ts'
import { createMetrics } from './core/metrics.ts'
import { type OwnPageTexts, uiDirectory } from './core/page-texts.ts'
import { createQueue } from './core/queue.ts'
import type { Random } from './core/random.ts'
import { createRemedies } from './core/remedies.ts'
import { createSecurityLog } from './core/security-log.ts'
import type { Setting } from './core/settings.ts'
import { createSignals } from './core/signals.ts'
import type { Commands } from './feature.ts'
import { type ApisOf, buildFeatures, type Complete, type ConfigOf, type FeatureList, joinConfig } from './feature-list.ts'
import { type AddressProblem, configWarnings, healthFeature } from './health/index.ts'
import { createDeviceCookie, createPendingCookie, type SignedCookie } from './http/cookies.ts'
import type { PageColor, PageSettings } from './http/first-paint.ts'
import type { AuthenticateKey } from './http/identify.ts'
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
import { settingsFeature } from './settings/index.ts'
import { setupFeature } from './setup/index.ts'
import { statisticsFeature } from './statistics/index.ts'
import { tasksFeature } from './tasks/index.ts'

/** For the document that describes them. */
export { clientMetadata, protocolMetadata } from './oidc/metadata/contract.ts'

const { version } = packageFile

/** What differs between the daemon and a test: time, randomness and where logs go. */
export interface Runtime {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Every key of the configuration with its value and source; absent: nobody asks. */
  readonly settings?: () => readonly Setting[]
  /** The options of the command line that name the instance; absent: none does. */
  readonly place?: readonly string[]
}

/** What commands may use besides the APIs of the features. */
interface Instance {
  readonly core: Core
  /** What is allowed by the configuration but unwise. */
  readonly warnings: readonly string[]
}

/** What the server needs from the features. */
interface ServerNeeds {
  readonly instanceRoles: InstanceRoles
  readonly sessions: Sessions
  readonly sessionCookie: SignedCookie
  readonly rateLimits: RateLimits | undefined
  readonly proofOfWork: Pick<ProofOfWork, 'demand'>
  readonly authenticateKey?: AuthenticateKey
  readonly signInFailures?: SignInFailures
  readonly addressProblem: Pick<AddressProblem, 'note'>
  /** Puts into a page what the daemon alone knows. */
  readonly intoPage?: (html: string, color?: string) => string
  readonly pageSettings?: () => PageSettings
  /** Colour of the pages of a sign-in for an application. */
  readonly pageColor?: PageColor
  readonly pageTexts?: OwnPageTexts
  readonly brandStyles?: (color?: string) => string
}

/** What the server and the warnings read of the features' configuration. */
type Settings = ConfigOf<readonly [typeof sessionsFeature, typeof passwordFeature, typeof mailFeature, typeof limitsFeature]> & {
  readonly admin?: { readonly trustedOrigins?: readonly string[] }
}

/** Resolves to a list that has what the server needs. */
type Serving<List extends FeatureList> =
  ApisOf<List> extends ServerNeeds ? unknown : { readonly serverLacks: Exclude<keyof ServerNeeds, keyof ApisOf<List>> }

/** Makes a program of features, in the order of their dependency: what one needs comes before it. */
export const composeFeatures = <const List extends FeatureList>(features: List & Complete<List, Instance> & Serving<List>) => {
  const pagesOnDisk = builtPages(uiDirectory())
  /** Opens nothing until it is used. */
  const compose = (config: ConfigOf<List>, { clock, random, log, settings: readSettings = () => [], place = [] }: Runtime) => {
    const settings = config as ConfigOf<List> & Settings
    const databaseUrl = config.databaseUrl ?? `sqlite:${join(config.dataDir, 'gatehouse.db')}`
    if (databaseUrl.startsWith('sqlite:')) makeDirectory(config.dataDir)
    const database = openDatabase({
      url: databaseUrl,
      ...config.database,
      onError: (err) => log.error({ err }, 'database connection broke'),
    })
    const { db, transact, single } = database
    const secrets = createSecrets(masterSecrets(config, random), random, clock)
    const trustedUrls = createTrustedUrls(config.url, config.trustedOrigins)
    const metrics = createMetrics()
    const security = createSecurityLog(log, metrics)
    const signals = createSignals(random)
    const events = createEvents({ clock, random })
    for (const feature of features) events.register(feature)
    const queue = createQueue({ db, transact, clock, random, secrets, signals, log })
    const remedies = createRemedies(place)
    const given = { clock, random, log, secrets, signals, queue, security, events, metrics, remedies, url: config.url }
    const core = { db, transact, single, ...given }
    const sealedColumns = features.flatMap((feature) => feature.sealedColumns ?? [])
    const built = buildFeatures(
      features,
      { ...core, database, migrations, trustedUrls, sealedColumns, eventTypes: events.types, settings: readSettings, version },
      config,
    )
    for (const feature of built.all) events.register(feature)
    const errorTables: readonly ErrorTable[] = [
      coreErrors.table,
      ...features.flatMap(({ errors }) => (errors === undefined ? [] : [errors])),
    ]
    /** Loaded when it is asked for: the daemon starts without it. */
    const describeApi = async () => {
      const { createOpenApi } = await import('./http/openapi.ts')
      const schemas = built.all.flatMap((feature) => feature.schemas ?? [])
      const cookieName = (built.apis as ServerNeeds).sessionCookie.name
      return JSON.stringify(createOpenApi(instance.routes, errorTables, { version, cookieName, url: config.url, schemas }))
    }
    let isInMaintenance = false
    const instance = {
      /** Prepares what the first request needs, such as signing keys. The database is migrated by then. */
      prepare: async (): Promise<void> => {
        for (const feature of built.all) await feature.prepare?.()
      },
      /** While it lasts, the server answers with 503: the database is being migrated. */
      maintenance: {
        begin: (): void => {
          isInMaintenance = true
        },
        end: (): void => {
          isInMaintenance = false
        },
      },
      /** Called before the server closes: this node is not ready any more, and responses that would go on end. */
      drain: (): void => {
        for (const feature of built.all) feature.drain?.()
      },
      config,
      warnings: configWarnings(settings),
      core: built.base as Core,
      /** What each feature has registered, in their order. */
      registered: built.all,
      database,
      /** What listens beside the server. */
      listeners: built.all.flatMap(({ listeners = [] }) => listeners),
      routes: built.all.flatMap(({ routes = [] }) => routes),
      errorTables,
      events,
      /** Loaded when it is asked for: commands do without it. */
      server: async () => {
        const { createServer } = await import('./http/server.ts')
        const { instanceRoles, sessions, sessionCookie, rateLimits, proofOfWork, authenticateKey, ...rest } =
          built.apis as ServerNeeds
        const { signInFailures, addressProblem, ...pages } = rest
        return createServer({
          config: settings,
          ...built.base,
          routes: instance.routes,
          mounts: built.all.flatMap(({ mounts = [] }) => mounts),
          staticFiles: createStaticFiles(pagesOnDisk(), { hasDocs: settings.http.apiDocs, ...pages }),
          apiDocument: settings.http.apiDocs ? generatedFile('application/json; charset=utf-8', describeApi) : undefined,
          trustedUrls,
          ownUrls: createTrustedUrls(config.url, []),
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
          isInMaintenance: () => isInMaintenance,
          onDenied: signInFailures?.denied,
          onUnreadableAddress: addressProblem.note,
          bearers: built.all.flatMap(({ bearers = [] }) => bearers),
        })
      },
      jobs: createJobRunner({
        jobs: built.all.flatMap(({ jobs = [], tasks = [] }) => [...jobs, ...queue.jobs(tasks)]),
        database,
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
    /** The whole configuration: keys of the core, then those of the features. */
    configSchema: joinConfig(features as List),
    /** The commands of the features, in the order in which help lists them. */
    commands: features.flatMap(({ commands = [] }) => commands as readonly unknown[] as readonly Commands<App>[]),
    compose,
  }
}

/** The features of gatehouse, in the order of their dependency. Without its line here a feature does not exist. */
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
  organizationsFeature,
  secondFactorRecoveryFeature,
  apiKeysFeature,
  signInMethodNoticesFeature,
  billingFeature,
  claimsFeature,
  oidcFeature,
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

export { configWarnings }
export const { configSchema, compose } = gatehouse
export type App = ReturnType<typeof compose>
