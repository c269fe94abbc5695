import type { NameSource } from '../access/names.ts'
import { instanceRoles } from '../access/permissions.ts'
import type { InstanceRoles } from '../access/roles.ts'
import type { Attempts } from '../authentication/attempts/index.ts'
import type { SignInFailures } from '../authentication/failures/index.ts'
import type { Impersonation } from '../authentication/impersonation/index.ts'
import type { SignUp } from '../authentication/methods/password/index.ts'
import type { SecondFactors } from '../authentication/second-factors/index.ts'
import type { Sessions } from '../authentication/sessions/index.ts'
import { sha256 } from '../core/crypto.ts'
import { afterCommit, type Db, joining, type Tx } from '../core/db/database.ts'
import { newestDataOf } from '../core/events/store.ts'
import { createOutbound, type OutboundConfig } from '../core/fetch.ts'
import { periodic, sweepSeconds } from '../core/queue.ts'
import { sweepAll } from '../core/retention.ts'
import type { SetupStep } from '../core/setup-steps.ts'
import { hourSeconds } from '../core/time.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import type { SignedCookie } from '../http/cookies.ts'
import type { Claims } from '../identity/claims/index.ts'
import type { Users } from '../identity/users/index.ts'
import type { Images } from '../images/index.ts'
import type { Limits, RateLimits } from '../limits/index.ts'
import type { Memberships } from '../organizations/index.ts'
import type { Tally } from '../statistics/index.ts'
import { createReader, createWriter } from './artifacts/batches.ts'
import { createArtifacts } from './artifacts/service.ts'
import { claimOnce, ownTokens } from './artifacts/store.ts'
import { oidcCommands } from './cli.ts'
import type { Application } from './clients/application.ts'
import { type Applications, createApplications } from './clients/applications.ts'
import { createApplicationBearer } from './clients/bearer.ts'
import { clientChecks } from './clients/check.ts'
import { createClaimsPreview } from './clients/claims-preview.ts'
import { createClientKeys } from './clients/keys.ts'
import { type ClientLogos, createClientLogos } from './clients/logos.ts'
import { createProofNonces } from './clients/proof.ts'
import { applicationRoutes } from './clients/routes.ts'
import { type ClientSecrets, createClientSecrets } from './clients/secrets.ts'
import { type Clients, createClients } from './clients/service.ts'
import * as clientStore from './clients/store.ts'
import { createCommandLine } from './command-line/service.ts'
import { type OidcConfig, oidcConfig, ownPageOrigins } from './config.ts'
import { connectedRoutes } from './connected/routes.ts'
import { createConnectedApplications, createConsentUsage } from './connected/service.ts'
import { oidcErrors } from './contract.ts'
import { createDeviceCodes } from './device/codes.ts'
import { deviceRoutes } from './device/routes.ts'
import { createDevices } from './device/service.ts'
import { createAdapter } from './engine/adapter.ts'
import { requestedScopes } from './engine/api-tokens.ts'
import { createCookieKeys } from './engine/library.ts'
import { createProviderManager } from './engine/manager.ts'
import { createOrganizationChoice } from './engine/policy.ts'
import { createProviderRequests } from './engine/requests.ts'
import { createResources } from './engine/resources.ts'
import { createRestoreOfflineAccess } from './engine/scopes.ts'
import { createThrottling } from './engine/throttling.ts'
import { oidcEvents } from './events.ts'
import { createEndAccess, createEndFurtherAccess } from './grants/end.ts'
import { grantRoutes } from './grants/routes.ts'
import { createGrants, type Grants } from './grants/service.ts'
import { initialAccessTokenRoutes } from './initial-access-tokens/routes.ts'
import { createInitialAccessTokens, type InitialAccessTokens } from './initial-access-tokens/service.ts'
import { listTokenNames } from './initial-access-tokens/store.ts'
import { createConsents } from './interactions/consents.ts'
import { createInteractions } from './interactions/service.ts'
import { hasConsents, ownConsents } from './interactions/store.ts'
import { signingKeyCheck } from './keys/check.ts'
import { signingKeyRoutes } from './keys/routes.ts'
import { createKeys, type Keys } from './keys/service.ts'
import * as keyStore from './keys/store.ts'
import { logoutCheck } from './logout/check.ts'
import { logoutRoutes } from './logout/routes.ts'
import { createLogouts, impersonationSeconds, type Logouts } from './logout/service.ts'
import { ownNotices } from './logout/store.ts'
import { createMetadataDocuments } from './metadata-documents/service.ts'
import { reactionsOf } from './reactions.ts'
import { registrationErrors } from './registration/contract.ts'
import { registrationRoutes } from './registration/routes.ts'
import { defaultScopes } from './registration/rules.ts'
import { createRegistration } from './registration/service.ts'
import { createUnusedClients } from './registration/unused.ts'
import { scopeOfClaim } from './requested-claims.ts'
import { apiErrors } from './resource-servers/contract.ts'
import { apiEvents } from './resource-servers/events.ts'
import { apiRoutes } from './resource-servers/routes.ts'
import { createResourceServers, type ResourceServers } from './resource-servers/service.ts'
import { createConfirmedDevices } from './routes/confirmed-devices.ts'
import { createEndSession } from './routes/end-session.ts'
import { type BrowserBinding, createBrowserBinding, oidcRoutes } from './routes/interactions.ts'
import { createProtocolMount } from './routes/protocol.ts'
import { administrationScope, claimScopes, createPages, knownScopes, organizationScopesOf, standardScopes } from './rules.ts'
import { createReachable } from './step-up/prompt.ts'
import { createReadFacts } from './step-up/rules.ts'
import { refreshJob, versionWatch } from './store.ts'
import { createSectors, type Sectors } from './subjects/sectors.ts'
import { createSubjects, type Subjects } from './subjects/service.ts'
import * as subjectStore from './subjects/store.ts'
import { testSignInRoutes } from './test-sign-ins/routes.ts'
import { createTestSignIns, testSignInPath } from './test-sign-ins/service.ts'

export type { Application, Applications, ClientLogos, ClientSecrets, Clients, Keys, Sectors }

/** The functions of the OpenID provider for commands and for other features. */
export interface Oidc {
  readonly grants: Grants
  readonly clients: Clients
  readonly clientSecrets: ClientSecrets
  readonly applications: Applications
  readonly clientLogos: ClientLogos
  readonly keys: Keys
  readonly initialAccessTokens: InitialAccessTokens
  readonly apis: ResourceServers
  readonly sectors: Sectors
  readonly logouts: Logouts
  readonly subjects: Subjects
  /** The functions for a caller that has a transaction. They run in that transaction. */
  within(tx: Tx): Pick<Oidc, 'clients' | 'clientSecrets' | 'applications' | 'apis'>
  readonly isSigningKeyPresent: () => Promise<boolean>
  /** Writes the noted times at which applications last got a token for a person. */
  flushConsentUsage(): Promise<void>
  /** Deletes unused clients with an unknown registrant. Returns the number of deleted clients. */
  deleteUnusedClients(): Promise<number>
  /** Deletes expired rows of all tables of this feature. */
  sweep(stop?: AbortSignal): Promise<unknown>
}

interface Config {
  readonly oidc: OidcConfig
  readonly outbound: OutboundConfig
  readonly sessions: { readonly absoluteExpiresInSeconds: number }
  readonly organizations?: { readonly enabled: boolean }
  readonly access?: { readonly roles: Readonly<Record<string, unknown>> }
}

interface Needs {
  readonly images: Images
  readonly users: Users
  readonly instanceRoles: InstanceRoles
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  readonly sessionCookie: SignedCookie
  readonly accounts: SignUp
  readonly limits: Limits
  readonly rateLimits: RateLimits | undefined
  readonly claims: Claims
  readonly memberships?: Memberships
  readonly impersonation?: Impersonation
  readonly signInFailures?: SignInFailures
  readonly tally?: Tally
}

const nameSources: readonly NameSource[] = [
  {
    ...{ kinds: ['client', 'application'], permission: 'clients:read' },
    list: async (db, ids) => [...(await clientStore.findNames(db, ids))].map(([id, name]) => ({ id, name })),
  },
  { kinds: ['initial_access_token'], permission: 'clients:read', list: listTokenNames },
]

const grantCounter = ({ metrics }: Pick<Base, 'metrics'>) =>
  metrics.counter({
    name: 'gatehouse_token_requests_total',
    help: 'Requests of the token endpoint, by type of grant: success, or the error that was answered.',
    labels: ['grant_type', 'outcome'],
  })

/** Builds the services for device codes, and the calls of the page on which people enter them. */
const buildDevices = (
  deps: Pick<Base, 'db' | 'transact' | 'clock' | 'random' | 'secrets' | 'events' | 'url'> &
    Pick<Needs, 'limits'> & { readonly config: OidcConfig; readonly clients: Clients; readonly binding: BrowserBinding },
) => {
  const { url, config } = deps
  const ttlSeconds = config.deviceCodeTtlSeconds
  const codes = createDeviceCodes({ ...deps, ttlSeconds })
  const confirmed = createConfirmedDevices({ ...deps, ttlSeconds })
  const routes = deviceRoutes({ devices: createDevices({ ...deps, deviceCodes: codes }), confirmedDevices: confirmed, url })
  return { codes, confirmed, routes }
}

/** The setup steps for the first application and for the first sign-in to it. */
const setupStepsOf = (db: Db): readonly SetupStep[] => [
  {
    ...{ name: 'application', keys: [] },
    look: async () => {
      const subject = await clientStore.findNewestClientId(db, false)
      return subject === undefined ? { isDone: false } : { isDone: true, subject }
    },
  },
  {
    ...{ name: 'test-sign-in', keys: [] },
    look: async () => {
      const isDone = (await hasConsents(db)) || (await newestDataOf(db, 'client.sign_in_test_passed')) !== undefined
      const subject = isDone ? undefined : await clientStore.findNewestClientId(db, true)
      return subject === undefined ? { isDone } : { isDone, subject }
    },
  },
]

/** Builds the possible audiences of tokens: this server, the resources of the configuration, and registered APIs. */
const createTargets = (
  deps: Omit<Parameters<typeof createResourceServers>[0], 'ownScopes' | 'taken'> &
    Pick<Base, 'url'> & { readonly config: OidcConfig; readonly claims: Claims },
  clients: Pick<Clients, 'find'>,
) => {
  const { url, config, claims } = deps
  const ownScopes = knownScopes(claims)
  const taken = [url, ...config.resources.map(({ resource }) => resource)]
  const apis = createResourceServers({ ...deps, ownScopes: [...ownScopes, administrationScope], taken })
  const resources = createResources(url, config, standardScopes, apis)
  const scopeOf = scopeOfClaim(claims.byScope)
  const requested = (params: Readonly<Record<string, unknown>>) =>
    requestedScopes({ clients, resources }, params, { ownScopes, organizationScopes: organizationScopesOf(claims) }, scopeOf)
  return { apis, resources, requestedScopes: requested }
}

type WithinDeps = Omit<Parameters<typeof createApplications>[0], 'clients' | 'sectors'> &
  Omit<Parameters<typeof createClients>[0], 'sectors'> &
  Parameters<typeof createTargets>[0]

/** Builds the functions that run in a transaction of the caller. */
const createWithin =
  (deps: WithinDeps, sectors: Sectors, clients: Clients, apis: ResourceServers): Oidc['within'] =>
  (tx) => {
    const joined = { ...deps, ...joining(tx), sectors: sectors.asRead }
    const inside = createClients(joined)
    // The service of the token endpoint has its own clients in memory. They are forgotten after the commit.
    afterCommit(tx, () => {
      clients.forget()
      apis.forget()
    })
    return {
      apis: createTargets(joined, inside).apis,
      clients: inside,
      clientSecrets: createClientSecrets({ ...joined, clients: inside }),
      applications: createApplications({ ...joined, clients: inside }),
    }
  }

const build = (base: Base, { oidc: config, outbound, organizations, sessions }: Config, needs: Needs) => {
  const { url, secrets, random, db } = base
  const memberships = organizations?.enabled === true ? needs.memberships : undefined
  const readFacts = createReadFacts(needs.attempts)
  const deps = { ...base, ...needs, config, memberships, isSignUpOpen: needs.accounts.isSignUpOpen(false), readFacts }
  const sourceScopes = claimScopes(needs.claims)
  const partSeconds = Math.max(sessions.absoluteExpiresInSeconds, config.refreshAbsoluteTtlSeconds)
  const requests = createProviderRequests()
  const outbounds = { outbound: createOutbound(outbound), publicOutbound: createOutbound({ ...outbound, allow: [] }) }
  const sectors = createSectors({ ...base, ...outbounds })
  const subjects = createSubjects(base)
  const clients = createClients({ ...deps, sourceScopes, sectors })
  const keys = createKeys(deps)
  const artifacts = createArtifacts(deps)
  const consentUsage = createConsentUsage(deps, needs.tally)
  const clientKeys = createClientKeys({ ...deps, ...outbounds })
  const logouts = createLogouts({ ...base, ...outbounds, clients, engine: () => manager.current() })
  const endAccess = createEndAccess({ ...base, logouts, memberships })
  const pageOf = createPages(config)
  const targets = createTargets(deps, clients)
  const interactions = createInteractions({
    ...deps,
    ...targets,
    clients,
    consents: createConsents({ ...deps, sourceScopes: organizationScopesOf(deps.claims) }),
    pageOf,
    sourceScopes,
  })
  const binding = createBrowserBinding(url, secrets, config.interactionTtlSeconds)
  const claimId = (id: string, expiresAt: number) => base.single((tx) => claimOnce(tx, sha256(id), new Date(expiresAt * 1000)))
  const devices = buildDevices({ ...deps, clients, binding })
  const testSignIns = createTestSignIns({ ...deps, clients })
  const testAddress = `${url}${testSignInPath}`
  const manager = createProviderManager({
    ...{ ...deps, ...targets, subjects, testAddress, countGrant: grantCounter(base), clients, keys, requests },
    ...{ issuer: url, claimOnce: claimId, clientKeys },
    writer: createWriter(deps),
    deviceCodes: devices.codes,
    throttling: createThrottling({ clock: deps.clock, limiter: deps.rateLimits?.limiter }),
    adapter: createAdapter({ ...deps, ...targets, reader: createReader(db), clients, requests, consentUsage, partSeconds }),
    cookieKeys: createCookieKeys(secrets, config.interactionTtlSeconds),
    nonceSecret: secrets.signingKey('dpop-nonces'),
    newGrantId: () => random.token(32),
    chooseOrganization: memberships && createOrganizationChoice(db, memberships, sourceScopes),
    isReachable: createReachable(needs.secondFactors),
    agreedScopes: interactions.agreedScopes,
    restoreOfflineAccess: createRestoreOfflineAccess({ ...deps, clients, requests, agreedScopes: interactions.agreedScopes }),
    startInteraction: async (ctx, { uid, prompt, params }) => {
      const client = await clients.find(String(params['client_id'] ?? ''))
      ctx.append('Set-Cookie', binding.add(ctx.req.headers.cookie, uid, client?.color ?? null))
      return pageOf(prompt.name, uid, params)
    },
  })
  const commandLine = createCommandLine({ ...deps, clients })
  const clientSecrets = createClientSecrets({ ...deps, clients })
  const applications = createApplications({ ...deps, clients, sourceScopes, sectors })
  const clientLogos = createClientLogos({ ...deps, clients, ...outbounds })
  const initialAccessTokens = createInitialAccessTokens({ ...deps, sourceScopes, defaultScopes })
  const registration = createRegistration({ ...deps, clients, applications, clientLogos, tokens: initialAccessTokens, sectors })
  const metadataDocuments = createMetadataDocuments({ ...deps, clients, applications, sourceScopes, outbound, sectors })
  const unusedClients = createUnusedClients({ ...deps, applications })
  const grants = createGrants({ ...deps, endAccess })
  const oidc: Oidc = {
    grants,
    clients,
    clientSecrets,
    applications,
    clientLogos,
    keys,
    initialAccessTokens,
    apis: targets.apis,
    ...{ logouts, sectors, subjects },
    within: createWithin({ ...deps, sourceScopes }, sectors, clients, targets.apis),
    isSigningKeyPresent: async () => (await keys.list()).some((key) => key.state === 'signing'),
    flushConsentUsage: consentUsage.flush,
    deleteUnusedClients: () => unusedClients.sweep(),
    sweep: artifacts.retention.sweep,
  }
  const endSession = createEndSession({ ...deps, clients, subjects })
  return {
    names: nameSources,
    personalData: [clientStore.ownApplications, ownConsents, ownNotices, ownTokens],
    access: { test_sign_in: 'test sign-ins', oidc_artifact: 'codes, tokens and authorizations' },
    comingBack: async (db, most) => ({
      'Initial access tokens that work, also those that were revoked or used since the backup': (
        await initialAccessTokens.listActive(db, most)
      ).map(({ id, name }) => `${id} ${name}`),
    }),
    withheldData: [{ table: 'test_sign_in', why: 'is over after some minutes' }],
    api: { oidc, pageColor: binding.colorOf },
    mounts: [
      createProtocolMount({
        ...{ ...deps, ...targets, clients, manager, requests, endSession, testSignIns, testAddress, metadataDocuments },
        ...{ confirmedDevices: devices.confirmed, commandLine },
      }),
    ],
    routes: [
      ...oidcRoutes({ ...deps, interactions, signOutQuestions: endSession.questions, clients, binding }),
      ...applicationRoutes({
        ...{ names: base.names, clients, applications, logos: clientLogos, clientSecrets },
        previewClaims: createClaimsPreview({ ...deps, clients, subjects }),
      }),
      ...devices.routes,
      ...registrationRoutes(registration),
      ...initialAccessTokenRoutes(initialAccessTokens),
      ...apiRoutes(targets.apis, base.names),
      ...testSignInRoutes(testSignIns),
      ...grantRoutes(grants),
      ...logoutRoutes(logouts),
      ...connectedRoutes(createConnectedApplications({ ...deps, ...targets, endAccess })),
      ...signingKeyRoutes(keys),
    ],
    pageOrigins: ownPageOrigins(config),
    checks: [
      ...[signingKeyCheck(keys, base, config), logoutCheck({ ...base, clients })],
      ...clientChecks({ ...base, clients, clientKeys, clientLogos, clientSecrets }),
    ],
    bearers: [createApplicationBearer({ ...deps, claimOnce: claimId, nonces: createProofNonces(base) }), commandLine],
    setupSteps: setupStepsOf(db),
    reactions: reactionsOf(needs, artifacts, logouts, createEndFurtherAccess(endAccess)),
    prepare: async () => {
      await manager.current()
    },
    jobs: [
      { name: refreshJob, watch: versionWatch, run: manager.refresh },
      { name: 'oidc.secret-usage', everyMs: 60_000, run: clients.flushUsage, onStop: clients.flushUsage },
      { name: 'oidc.api-secret-usage', everyMs: 60_000, run: targets.apis.flushUsage, onStop: targets.apis.flushUsage },
      { name: 'oidc.consent-usage', everyMs: 60_000, run: consentUsage.flush, onStop: consentUsage.flush },
    ],
    retentions: [artifacts.retention, logouts.retention, keys.retention, testSignIns.retention, unusedClients],
    tasks: [
      ...logouts.tasks,
      periodic('oidc.ended-impersonations', impersonationSeconds, () => logouts.notifyOfEndedImpersonations()),
      periodic('oidc.sweep', sweepSeconds, sweepAll([artifacts.retention, testSignIns.retention, logouts.retention])),
      periodic('oidc.rotate-keys', hourSeconds, keys.rotateDue),
      periodic('oidc.retire-keys', hourSeconds, keys.retention.sweep),
      periodic('oidc.unused-clients', hourSeconds, unusedClients.sweep),
    ],
  } satisfies Built
}

/** The OpenID provider. A session of gatehouse is also its session. The database deletes a session's codes and tokens together with it. */
export const oidcFeature = defineFeature({
  name: 'oidc',
  config: { oidc: oidcConfig },
  check: ({ oidc, access }: Config, fail, isTrustedOrigin) => {
    for (const role of oidc.registrationRoles)
      if (!Object.hasOwn(instanceRoles, role) && !Object.hasOwn(access?.roles ?? {}, role))
        fail(['oidc', 'registrationRoles'], `names roles of users (docs/reference/roles.md); ${role} is none`)
    for (const name of ['loginPage', 'consentPage'] as const)
      for (const origin of ownPageOrigins({ [name]: oidc[name] }))
        if (!isTrustedOrigin(origin)) fail(['oidc', name], `must be on an origin of trustedOrigins; ${origin} is none`)
  },
  errors: { ...oidcErrors.table, ...registrationErrors.table, ...apiErrors.table },
  events: { ...oidcEvents, ...apiEvents },
  commands: [oidcCommands],
  sealedColumns: [...keyStore.sealedColumns, ...clientStore.sealedColumns, ...subjectStore.sealedColumns],
  build,
})
