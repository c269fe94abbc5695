import type { Clock } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Db, Transact } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import type { Log } from '../core/log.ts'
import type { Feature } from '../feature.ts'
import type { SessionCookie } from '../http/cookies.ts'
import type { RateLimits } from '../http/rate-limit.ts'
import type { Mount } from '../http/server.ts'
import type { TrustedUrls } from '../http/trusted-url.ts'
import type { Memberships } from '../organizations/index.ts'
import type { Sessions } from '../sessions/index.ts'
import { type Clients, createClients } from './clients/service.ts'
import * as clientStore from './clients/store.ts'
import type { OidcConfig } from './config.ts'
import { createConsents } from './consents/service.ts'
import { createAdapter } from './engine/adapter.ts'
import type { ClaimSource, ClaimsSubject } from './engine/claims.ts'
import { createCookieKeys } from './engine/cookie-keys.ts'
import { createFailures } from './engine/failures.ts'
import { createLive } from './engine/live.ts'
import { createOfflineAccess } from './engine/offline-access.ts'
import { createOrganizationChoice } from './engine/organization.ts'
import { createEngineRequests } from './engine/request.ts'
import { oidcErrors } from './errors.ts'
import { createExplanation, type ExplainClaims } from './explanation.ts'
import { createInteractions } from './interactions/service.ts'
import { createKeys, type Keys } from './keys/service.ts'
import * as keyStore from './keys/store.ts'
import { createReader } from './models/reader.ts'
import { createModels, type Models } from './models/service.ts'
import { createWriter } from './models/writer.ts'
import { oidcRoutes } from './routes/api.ts'
import { createBrowserBinding } from './routes/binding.ts'
import { createLogout } from './routes/logout.ts'
import { createMount } from './routes/mount.ts'
import { createPages } from './rules.ts'

export type { ClaimSource, ClaimsSubject, Clients, Keys }

/** What commands and other features may use. */
export interface Oidc {
  readonly clients: Clients
  readonly keys: Keys
  readonly explain: ExplainClaims
  /** Deletes what has expired. */
  sweep(stop?: AbortSignal): Promise<unknown>
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly secrets: Secrets
  readonly config: OidcConfig
  /** Public address and issuer. */
  readonly url: string
  readonly sessionCookie: SessionCookie
  readonly sessions: Sessions
  readonly trustedUrls: TrustedUrls
  /** Undefined when limits are off. */
  readonly rateLimits: RateLimits | undefined
  /** Scopes of other features with the claims they give. */
  readonly claimSources: readonly ClaimSource[]
  /** Undefined where there are no organizations. */
  readonly memberships: Memberships | undefined
  /** True when strangers may create an account. */
  readonly isSignUpOpen: boolean
}

interface OidcFeature extends Feature {
  readonly api: Oidc
  readonly mount: Mount
  readonly isSigningKeyPresent: () => Promise<boolean>
  /** Ends what applications hold in a user's name; what the user agreed to stays. */
  readonly endAccess: Models['endAccess']
  /** The same, and forgets what the user agreed to. */
  readonly forgetUser: Models['forgetUser']
}

/** The OpenID Provider. The gatehouse session is its session: the database ends codes and tokens together with it. */
export const oidcFeature = (deps: Deps): OidcFeature => {
  const { url, config, secrets, entropy, db, claimSources, memberships } = deps
  const sourceScopes = claimSources.map(({ scope }) => scope)
  const requests = createEngineRequests()
  const clients = createClients({ ...deps, sourceScopes })
  const keys = createKeys(deps)
  const models = createModels(deps)
  const pageOf = createPages(config)
  const interactions = createInteractions({ ...deps, clients, consents: createConsents(deps), pageOf })
  const binding = createBrowserBinding(url, secrets, config.interactionTtlSeconds)
  const live = createLive({
    ...deps,
    issuer: url,
    clients,
    keys,
    requests,
    writer: createWriter(deps),
    failures: createFailures({ clock: deps.clock, limiter: deps.rateLimits?.limiter }),
    adapter: createAdapter({ ...deps, reader: createReader(db), clients, requests, sourceScopes }),
    cookieKeys: createCookieKeys(secrets, config.interactionTtlSeconds),
    newGrantId: () => entropy.token(32),
    chooseOrganization: memberships && createOrganizationChoice(db, memberships, sourceScopes),
    agreedScopes: interactions.agreedScopes,
    keepOfflineAccess: createOfflineAccess({ ...deps, clients, requests, agreedScopes: interactions.agreedScopes }),
    beginInteraction: (ctx, { uid, prompt, params }) => {
      ctx.append('Set-Cookie', binding.add(ctx.req.headers.cookie, uid))
      return pageOf(prompt.name, uid, params)
    },
  })
  return {
    api: { clients, keys, explain: createExplanation({ db, clients, claimSources }), sweep: models.sweep },
    mount: createMount({ ...deps, clients, live, requests, logout: createLogout({ ...deps, clients }) }),
    routes: oidcRoutes({ interactions, clients, binding, url }),
    errors: oidcErrors.table,
    sealedColumns: [...keyStore.sealedColumns, ...clientStore.sealedColumns],
    prepare: async () => {
      await live.engine()
    },
    endAccess: models.endAccess,
    forgetUser: models.forgetUser,
    isSigningKeyPresent: async () => (await keys.list()).some((key) => key.state === 'signing'),
    jobs: [
      { name: 'oidc.refresh', everyMs: 500, run: live.refresh },
      { name: 'oidc.sweep', everyMs: 60_000, run: models.sweep },
      { name: 'oidc.retire-keys', everyMs: 3_600_000, run: keys.sweep },
    ],
  }
}
