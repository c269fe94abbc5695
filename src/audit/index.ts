import { systemPrincipal } from '../access/principal.ts'
import { createChain } from '../core/events/chain.ts'
import { sealedColumns } from '../core/events/chain-store.ts'
import { type EventReader, releaseReaders, runReader } from '../core/events/readers.ts'
import type { Log } from '../core/log.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import type { Memberships } from '../organizations/index.ts'
import { auditCommands } from './cli.ts'
import { type EventsConfig, eventsConfig } from './config.ts'
import { auditErrors } from './errors.ts'
import { auditEvents } from './events.ts'
import { createExports } from './export.ts'
import { auditJobs } from './jobs.ts'
import { auditRoutes, organizationAuditRoutes } from './routes.ts'
import { createAudit } from './service.ts'

export type { Audit } from './service.ts'

interface Config {
  readonly events: EventsConfig
  readonly organizations?: { readonly enabled: boolean }
}

interface Needs {
  readonly memberships?: Memberships
}

/** Writes every event to the log. */
const logReader = (log: Log): EventReader => ({
  name: 'log',
  startsAt: 'newest',
  handle: async (event, position) => log.info({ ...event, position }, 'event'),
})

const build = (base: Base, { events: { keepDays, log: isLogged }, organizations }: Config, { memberships }: Needs) => {
  const { clock, log, events, random } = base
  const chain = createChain({
    ...base,
    onSegment: (tx, from) =>
      events.record(tx, systemPrincipal(random.requestId()), auditEvents['events.segment_started'], {
        subject: 'events',
        data: { from },
      }),
  })
  const audit = createAudit({ ...base, chain, memberships })
  const auditExports = createExports({ ...base, audit })
  const readers = [...base.eventReaders(), ...(isLogged ? [logReader(log)] : [])]
  const read = (reader: EventReader, stop: AbortSignal) => runReader(base, reader, stop)
  const ofOrganizations = memberships !== undefined && organizations?.enabled === true
  return {
    api: { audit, auditExports },
    routes: [...auditRoutes(audit, auditExports), ...(ofOrganizations ? organizationAuditRoutes(audit) : [])],
    jobs: auditJobs({ chain, clock, log, keepDays, readers, read }),
    onRestore: async (tx) => {
      await releaseReaders(tx)
      return {}
    },
  } satisfies Built
}

/** The events of all features: their chain, those who read them, and how long they are kept. It comes after all features that read events. */
export const auditFeature = defineFeature({
  name: 'audit',
  config: { events: eventsConfig },
  errors: auditErrors.table,
  events: auditEvents,
  commands: [auditCommands],
  sealedColumns,
  build,
})
