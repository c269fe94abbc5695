import { joining, type Tx } from '../core/db/database.ts'
import { reactTo } from '../core/events/record.ts'
import type { OutboundConfig } from '../core/fetch.ts'
import { periodic } from '../core/queue.ts'
import { hourSeconds } from '../core/time.ts'
import type { Commands } from '../feature.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { userEvents } from '../identity/users/contract.ts'
import { organizationEvents } from '../organizations/events.ts'
import type { Memberships } from '../organizations/index.ts'
import type { Tally } from '../statistics/index.ts'
import { billingOperationRoutes } from './administration/routes.ts'
import { billingChecks } from './checks.ts'
import { type BillingConfig, billingConfig, openBillingConfig } from './config.ts'
import { driftRoutes } from './drift/routes.ts'
import { createDrift } from './drift/service.ts'
import { rulesRoutes } from './dry-run/routes.ts'
import { createRules } from './dry-run/service.ts'
import { createEntitlements, type EntitlementService } from './entitlements/service.ts'
import { billingErrors } from './errors.ts'
import { type DeliveryNeeds, deliveryCommands } from './ingest/cli/deliveries.ts'
import { type EndpointNeeds, endpointCommands } from './ingest/cli/endpoints.ts'
import { ingestEvents } from './ingest/contract.ts'
import { createDeliveries, type Deliveries } from './ingest/deliveries.ts'
import { createEndpoints, type Endpoints, endpointsJob } from './ingest/endpoints.ts'
import { createRejections, type Rejections } from './ingest/rejections.ts'
import { ingestRoutes } from './ingest/routes.ts'
import { createIngestion, type Ingestion } from './ingest/service.ts'
import { endpointsWatch, sealedColumns } from './ingest/store/endpoints.ts'
import { createVerifiers, type Verifiers } from './ingest/verify.ts'
import { type LinkNeeds, linkCommands } from './links/cli.ts'
import { linkEvents } from './links/events.ts'
import { createLinks, type Links } from './links/service.ts'
import { ownLinks } from './links/store.ts'
import { createAdministration } from './queries/administration.ts'
import { createRenewals, type Renewals } from './queries/renewals.ts'
import { queryRoutes } from './queries/routes.ts'
import { createLists, createQueries } from './queries/service.ts'
import { listCustomerNames } from './queries/store.ts'
import { seatsRoutes } from './seats/routes.ts'
import { createSeats } from './seats/service.ts'
import { type SimulationNeeds, simulationCommands } from './simulator/cli.ts'
import { createSimulation, type Simulation } from './simulator/service.ts'
import { type StateNeeds, stateCommands } from './state/cli.ts'
import { stateEvents } from './state/events.ts'
import { createStateService, type StateService } from './state/service.ts'

const billingCommands: Commands<EndpointNeeds & DeliveryNeeds & StateNeeds & LinkNeeds & SimulationNeeds> = (program, cli) => {
  for (const add of [endpointCommands, deliveryCommands, stateCommands, linkCommands, simulationCommands]) add(program, cli)
}

export type { Endpoints, Renewals }

/** What the commands use of this feature. */
export interface Billing {
  readonly entitlements: EntitlementService
  readonly endpoints: Endpoints
  /** The administration of endpoints, working inside of the caller's transaction. */
  endpointsWithin(tx: Tx): Endpoints
  readonly verifiers: Verifiers
  readonly ingestion: Ingestion
  readonly deliveries: Deliveries
  readonly rejections: Rejections
  readonly links: Links
  readonly state: StateService
  readonly renewals: Renewals
  readonly simulation: Simulation
}

interface Config {
  readonly billing: BillingConfig
  readonly outbound: OutboundConfig
}

type AskedMemberships = Pick<Memberships, 'idOf' | 'claimsOf' | 'listOf' | 'find' | 'seatsTaken'>

/** Used on an instance without organizations: nobody is a member of any organization. */
const noMemberships: AskedMemberships = {
  idOf: async (_db, idOrSlug) => idOrSlug,
  claimsOf: async () => undefined,
  listOf: async () => [],
  find: async () => undefined,
  seatsTaken: async () => [],
}

const build = (
  base: Base,
  { billing: config, outbound }: Config,
  { memberships = noMemberships, tally }: { readonly memberships?: AskedMemberships; readonly tally?: Tally },
) => {
  const deps = { ...base, config, outbound, memberships, tally }
  const endpoints = createEndpoints(deps)
  const verifiers = createVerifiers(deps)
  const rejections = createRejections(deps)
  const links = createLinks(deps)
  const state = createStateService({ ...deps, links })
  const ingestion = createIngestion({ ...deps, verifiers, rejections, state })
  const deliveries = createDeliveries({ ...deps, state })
  const { snapshotsOf } = links
  const entitlements = createEntitlements({ ...deps, snapshotsOf })
  const lists = createLists(deps)
  const queries = createQueries({ ...deps, entitlements, lists, snapshotsOf })
  const administration = createAdministration({ ...deps, entitlements, deliveries, lists, endpoints })
  const renewals = createRenewals(deps)
  const rules = createRules({ ...deps, section: openBillingConfig })
  const seats = createSeats({ ...deps, entitlements })
  const drift = createDrift({ ...deps, links, state })
  const simulation = createSimulation({ ...deps, endpoints })
  const operations = { ingestion, deliveries, rejections, links, state, renewals, simulation }
  const endpointsWithin = (tx: Tx) => createEndpoints({ ...deps, ...joining(tx) })
  const billing: Billing = { endpoints, endpointsWithin, verifiers, entitlements, ...operations }
  return {
    personalData: [ownLinks],
    api: { billing },
    routes: [
      ...ingestRoutes(ingestion, config, base.metrics),
      ...queryRoutes(queries, administration, renewals, base.names),
      ...billingOperationRoutes({ links, deliveries, endpoints, rejections, url: base.url }),
      ...rulesRoutes(rules),
      ...seatsRoutes(seats, base.names),
      ...driftRoutes(drift, rejections, base.names),
    ],
    names: [{ kinds: ['customer'], permission: 'customers:read', list: listCustomerNames }],
    claims: [entitlements.claimSource],
    guards: { seats: entitlements.seatLimit, plan: entitlements.planOf },
    checks: billingChecks(deliveries, renewals, base.remedies),
    reactions: [
      reactTo(userEvents['user.email_verified'], (tx, { subjectId }, { transient: { email } }) =>
        links.onVerified(tx, { id: subjectId, email }),
      ),
      reactTo(userEvents['user.deleted'], (tx, { subjectId }) => links.release(tx, { id: subjectId })),
      reactTo(organizationEvents['organization.deleted'], (tx, { subjectId }) => links.release(tx, { id: subjectId })),
    ],
    // Opens the stored secrets when the daemon starts, so that a secret that cannot be opened is noticed before the first delivery.
    prepare: verifiers.refresh,
    jobs: [
      { name: endpointsJob, watch: endpointsWatch, run: verifiers.refresh },
      { name: 'billing.rejections', everyMs: 2_000, run: rejections.flush },
    ],
    retentions: [deliveries.retention],
    tasks: [
      periodic('billing.retention', hourSeconds, deliveries.retention.sweep),
      periodic('billing.renewals', 6 * hourSeconds, renewals.warn),
    ],
  } satisfies Built
}

/** Receives the billing platform's signed events and derives entitlements from them. */
export const billingFeature = defineFeature({
  name: 'billing',
  config: { billing: billingConfig },
  errors: billingErrors.table,
  events: { ...linkEvents, ...stateEvents, ...ingestEvents },
  commands: [billingCommands],
  sealedColumns,
  build,
})
