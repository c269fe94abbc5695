import { join } from 'node:path'
import { z } from 'zod'
import { migrations } from '../migrations/index.ts'
import { accountCommands } from './accounts/cli.ts'
import { accountsConfig, passwordConfig } from './accounts/config.ts'
import { type AccessEnded, accountsFeature, type BeforeDeletion, type DeletionGuard } from './accounts/index.ts'
import { passwordCommands } from './accounts/passwords/cli.ts'
import { billingCommands } from './billing/cli.ts'
import { billingConfig } from './billing/config.ts'
import { billingFeature } from './billing/index.ts'
import type { Clock } from './core/clock.ts'
import { checkTogether, coreConfig } from './core/config.ts'
import { createPasswords, createSecrets } from './core/crypto.ts'
import { openDatabase } from './core/database.ts'
import type { Entropy } from './core/entropy.ts'
import { coreErrors, type ErrorTable } from './core/errors.ts'
import { createOutbound } from './core/fetch.ts'
import { createJobRunner } from './core/jobs.ts'
import type { Log } from './core/log.ts'
import { ensureDataDir, masterSecrets } from './core/master-secret.ts'
import { createSecurityLog } from './core/security-log.ts'
import type { Commands, Feature } from './feature.ts'
import { healthCommands } from './health/cli.ts'
import { configWarnings, healthFeature } from './health/index.ts'
import { createDeviceCookie, createSessionCookie, createSocialCookie } from './http/cookies.ts'
import { createServer } from './http/server.ts'
import { createSessionCache } from './http/session-cache.ts'
import { createStaticFiles } from './http/static.ts'
import { createTrustedUrls } from './http/trusted-url.ts'
import { limitsApply, limitsConfig } from './limits/config.ts'
import { limitsFeature } from './limits/index.ts'
import { mailCommands } from './mail/cli.ts'
import { mailConfig } from './mail/config.ts'
import { mailFeature } from './mail/index.ts'
import { oidcCommands } from './oidc/cli.ts'
import { oidcConfig, ownPageOrigins } from './oidc/config.ts'
import { oidcFeature } from './oidc/index.ts'
import { organizationCommands } from './organizations/cli.ts'
import { organizationsConfig } from './organizations/config.ts'
import { type BeforeRemoval, organizationsFeature, type SeatLimit } from './organizations/index.ts'
import { invitationCommands } from './organizations/invitations/cli.ts'
import { secretCommands } from './secrets/cli.ts'
import { secretsFeature } from './secrets/index.ts'
import { sessionsConfig } from './sessions/config.ts'
import { type AllSessionsEnded, type NewDevice, type SessionEnded, sessionsFeature } from './sessions/index.ts'
import { setupCommands } from './setup/cli.ts'
import { setupFeature } from './setup/index.ts'
import { socialConfig } from './social/config.ts'
import { socialFeature } from './social/index.ts'
import { usersConfig } from './users/config.ts'
import { usersFeature, type Verified } from './users/index.ts'

/** The whole configuration: keys of the core, then one section a feature. */
export const configSchema = z
  .strictObject({
    ...coreConfig,
    users: usersConfig,
    sessions: sessionsConfig,
    accounts: accountsConfig,
    password: passwordConfig,
    limits: limitsConfig,
    oidc: oidcConfig,
    social: socialConfig,
    organizations: organizationsConfig,
    billing: billingConfig,
    ...mailConfig,
  })
  .superRefine(checkTogether)
  .superRefine(({ oidc, url, port, trustedOrigins }, context) => {
    const publicUrl = url ?? `http://localhost:${port}`
    if (!URL.canParse(publicUrl)) return
    const trusted = createTrustedUrls(publicUrl, trustedOrigins)
    for (const name of ['loginPage', 'consentPage'] as const)
      for (const origin of ownPageOrigins({ [name]: oidc[name] }))
        if (!trusted.isTrustedOrigin(origin))
          context.addIssue({
            code: 'custom',
            path: ['oidc', name],
            message: `must be on an origin of trustedOrigins; ${origin} is none`,
          })
  })
  .transform((config) => ({ ...config, url: config.url ?? `http://localhost:${config.port}` }))

export type Config = z.output<typeof configSchema>

export { configWarnings }

/** What differs between the daemon and a test: time, chance and where logs go. */
export interface World {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
}

/** Where the built pages are: `admin-ui/dist` of a checkout and of the image alike. */
export const uiDirectory = (): string =>
  join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '..' : '../..', 'admin-ui', 'dist')

/** THE composition root: config, then core, then features in the order of their dependency. Opens nothing until it is used. */
export const compose = (config: Config, { clock, entropy, log }: World) => {
  const databaseUrl = config.databaseUrl ?? `sqlite:${join(config.dataDir, 'gatehouse.db')}`
  if (databaseUrl.startsWith('sqlite:')) ensureDataDir(config.dataDir)
  const database = openDatabase({
    url: databaseUrl,
    ...config.database,
    onError: (err) => log.error({ err }, 'database connection broke'),
  })
  const { db, transact } = database
  const secrets = createSecrets(masterSecrets(config, entropy), entropy, clock)
  const passwords = createPasswords(config.password, entropy)
  const sessionCookie = createSessionCookie(
    config.url,
    secrets,
    Math.max(config.sessions.expiresInSeconds, config.sessions.shortExpiresInSeconds),
  )
  const trustedUrls = createTrustedUrls(config.url, config.trustedOrigins)
  const core = { db, transact, clock, entropy, log, secrets, security: createSecurityLog(log) }

  const onSessionsEnded: SessionEnded[] = []
  const onNewDevice: NewDevice[] = []
  const deletionGuards: DeletionGuard[] = []
  const beforeDeletion: BeforeDeletion[] = []
  const onTakenOver: AccessEnded[] = []
  const onAllEnded: AllSessionsEnded[] = []
  const seatLimits: SeatLimit[] = []
  const beforeOrganizationRemoval: BeforeRemoval[] = []
  const onVerified: Verified[] = []

  const areLimitsOn = limitsApply(config.limits.enabled, config.url)
  const limits = limitsFeature({ transact, clock })
  const rateLimits = areLimitsOn ? { limiter: limits.api, ...config.limits } : undefined
  const mail = mailFeature({ ...core, config, isLimited: areLimitsOn })
  const users = usersFeature({ clock, entropy, config: config.users, onVerified })
  const sessions = sessionsFeature({
    ...core,
    config: config.sessions,
    readFields: users.api.fields.read,
    onEnded: onSessionsEnded,
    onAllEnded,
    onNewDevice,
  })
  const accounts = accountsFeature({
    ...core,
    passwords,
    users: users.api,
    sessions: sessions.api,
    mail: mail.api,
    trustedUrls,
    url: config.url,
    accounts: config.accounts,
    password: config.password,
    limit: areLimitsOn ? { limiter: limits.api, ...config.limits.network } : undefined,
    freshAgeSeconds: config.sessions.freshAgeSeconds,
    deletionGuards,
    beforeDeletion,
    onTakenOver,
  })
  onNewDevice.push(accounts.newDevice)
  const social = socialFeature({
    ...core,
    outbound: createOutbound(config.outbound),
    allowHttp: config.outbound.allowHttp,
    users: users.api,
    sessions: sessions.api,
    identities: accounts.identities,
    takeOver: accounts.takeOver,
    url: config.url,
    social: config.social,
    signUpEnabled: config.accounts.signUpEnabled,
    trusted: trustedUrls,
    stateCookie: createSocialCookie(config.url, secrets, config.social.stateTtlSeconds),
  })
  const organizations = organizationsFeature({
    ...core,
    users: users.api,
    sessions: sessions.api,
    accounts: accounts.api,
    mail: mail.api,
    url: config.url,
    limiter: rateLimits?.limiter,
    config: config.organizations,
    seatLimits,
    beforeRemoval: beforeOrganizationRemoval,
  })
  deletionGuards.push(organizations.api.refuseOnlyOwner)
  const billing = billingFeature({
    ...core,
    config: config.billing,
    memberships: organizations.memberships,
    url: config.url,
    outbound: config.outbound,
  })
  onVerified.push(billing.api.linking.onVerified)
  beforeDeletion.push(billing.api.linking.release)
  beforeOrganizationRemoval.push(billing.api.linking.release)
  seatLimits.push(billing.seatLimit)
  const oidc = oidcFeature({
    ...core,
    config: config.oidc,
    url: config.url,
    sessionCookie,
    sessions: sessions.api,
    trustedUrls,
    rateLimits,
    claimSources: [...(config.organizations.enabled ? [organizations.claimSource] : []), billing.claimSource],
    memberships: config.organizations.enabled ? organizations.memberships : undefined,
    isSignUpOpen: config.accounts.emailPasswordEnabled && config.accounts.signUpEnabled,
  })
  onTakenOver.push(oidc.forgetUser)
  onAllEnded.push(oidc.endAccess)
  const setup = setupFeature({ ...core, url: config.url, users: users.api, accounts: accounts.api, sessions: sessions.api })
  const health = healthFeature({
    config,
    socialProviders: social.api.listProviders(),
    userFields: users.api.fields.asked,
    database,
    migrations,
    log,
    isSigningKeyPresent: oidc.isSigningKeyPresent,
  })

  const parts: readonly Feature[] = [limits, mail, users, sessions, accounts, social, organizations, oidc, billing, setup, health]
  const rotation = secretsFeature({ ...core, columns: parts.flatMap(({ sealedColumns = [] }) => sealedColumns) })
  const features: readonly Feature[] = [rotation, ...parts]
  const routes = features.flatMap((feature) => feature.routes ?? [])
  const errorTables: readonly ErrorTable[] = [
    coreErrors.table,
    ...features.flatMap((feature) => (feature.errors === undefined ? [] : [feature.errors])),
  ]

  const server = () =>
    createServer({
      config,
      log,
      security: core.security,
      clock,
      entropy,
      routes,
      mounts: [oidc.mount],
      staticFiles: createStaticFiles(uiDirectory()),
      trustedUrls,
      ownPageOrigins: ownPageOrigins(config.oidc),
      sessionCookie,
      deviceCookie: createDeviceCookie(config.url, secrets),
      sessionCache: createSessionCache(sessionCookie, secrets, clock, config.sessions),
      rateLimits,
      authenticate: sessions.api.authenticate,
      cookiesOfSession: [],
    })

  return {
    /** What must be there before the first request: signing keys. The database is migrated by then. */
    prepare: async (): Promise<void> => {
      for (const feature of features) await feature.prepare?.()
    },
    config,
    /** What is allowed but unwise. */
    warnings: configWarnings(config),
    core,
    database,
    routes,
    errorTables,
    server,
    jobs: createJobRunner(
      features.flatMap((feature) => feature.jobs ?? []),
      log,
    ),
    health: health.api,
    limits: limits.api,
    users: users.api,
    sessions: sessions.api,
    accounts: accounts.api,
    passwordCare: accounts.passwordCare,
    social: social.api,
    organizations: organizations.api,
    invitations: organizations.invitations,
    seatLimits,
    members: organizations.members,
    memberships: organizations.memberships,
    mail: mail.api,
    oidc: oidc.api,
    billing: billing.api,
    setup: setup.api,
    masterSecrets: rotation.api,
  }
}

export type App = ReturnType<typeof compose>

/** The commands of the features, in the order in which help lists them. */
export const featureCommands: readonly Commands<App>[] = [
  accountCommands,
  passwordCommands,
  setupCommands,
  organizationCommands,
  invitationCommands,
  oidcCommands,
  billingCommands,
  mailCommands,
  secretCommands,
  healthCommands,
]
