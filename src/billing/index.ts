import type { Clock } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Db, Transact } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import type { OutboundConfig } from '../core/fetch.ts'
import type { Log } from '../core/log.ts'
import type { Feature } from '../feature.ts'
import type { ClaimSource } from '../oidc/index.ts'
import type { Memberships, SeatLimit } from '../organizations/index.ts'
import type { BillingConfig } from './config.ts'
import { createEntitlements, type EntitlementService } from './entitlements/service.ts'
import { billingErrors } from './errors.ts'
import { createEndpoints, type Endpoints } from './intake/endpoints.ts'
import { createRefusals, type Refusals } from './intake/refusals.ts'
import { intakeRoutes } from './intake/routes.ts'
import { createIntake, type Intake } from './intake/service.ts'
import { sealedColumns } from './intake/store/endpoints.ts'
import { createLinking, type Linking } from './linking/service.ts'
import { createProjection, type Projection } from './projection/service.ts'
import { createAdministration } from './reading/administration.ts'
import { createRenewals, type Renewals } from './reading/renewals.ts'
import { readingRoutes } from './reading/routes.ts'
import { createLists, createReading } from './reading/service.ts'
import { createSimulation, type Simulation } from './simulation/service.ts'

export type { Renewals }

/** What commands may use. */
export interface Billing {
  readonly entitlements: EntitlementService
  readonly endpoints: Endpoints
  readonly intake: Intake
  readonly refusals: Refusals
  readonly linking: Linking
  readonly projection: Projection
  readonly renewals: Renewals
  readonly simulation: Simulation
}

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly secrets: Secrets
  readonly config: BillingConfig
  /** Public address. */
  readonly url: string
  readonly outbound: OutboundConfig
  readonly memberships: Memberships
}

interface BillingFeature extends Feature {
  readonly api: Billing
  readonly claimSource: ClaimSource
  readonly seatLimit: SeatLimit
}

/** The billing platform's signed events in, what they entitle to out. */
export const billingFeature = (deps: Deps): BillingFeature => {
  const { config } = deps
  const endpoints = createEndpoints(deps)
  const refusals = createRefusals(deps)
  const linking = createLinking(deps)
  const projection = createProjection({ ...deps, linking })
  const intake = createIntake({ ...deps, endpoints, refusals, projection })
  const entitlements = createEntitlements({ ...deps, standingsOf: linking.standingsOf })
  const lists = createLists(deps)
  const reading = createReading({ ...deps, entitlements, lists, standingsOf: linking.standingsOf })
  const administration = createAdministration({ ...deps, entitlements, intake, lists })
  const renewals = createRenewals(deps)
  const simulation = createSimulation({ ...deps, secretOf: endpoints.newestSecret })
  return {
    api: { endpoints, entitlements, intake, refusals, linking, projection, renewals, simulation },
    claimSource: entitlements.claimSource,
    seatLimit: entitlements.seatLimit,
    routes: [...intakeRoutes(intake, config), ...readingRoutes(reading, administration, renewals)],
    errors: billingErrors.table,
    sealedColumns,
    // A secret that cannot be opened is found at the start, not with the first delivery.
    prepare: endpoints.refresh,
    jobs: [
      { name: 'billing.endpoints', everyMs: 500, run: endpoints.refresh },
      { name: 'billing.refusals', everyMs: 2_000, run: refusals.flush },
      { name: 'billing.retention', everyMs: 3_600_000, run: intake.sweep },
      { name: 'billing.renewals', everyMs: 6 * 3_600_000, run: renewals.warn },
    ],
  }
}
