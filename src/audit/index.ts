import { createChain } from '../core/events/chain.ts'
import { sealedColumns } from '../core/events/chain-store.ts'
import { type EventReader, runReader } from '../core/events/readers.ts'
import type { Log } from '../core/log.ts'
import { defineFeature } from '../feature.ts'
import { auditCommands } from './cli.ts'
import { type EventsConfig, eventsConfig } from './config.ts'
import { auditErrors } from './errors.ts'
import { auditJobs } from './jobs.ts'
import { createAudit } from './service.ts'

export type { Audit } from './service.ts'

/** Writes every event to the log. */
const logReader = (log: Log): EventReader => ({
  name: 'log',
  startsAt: 'newest',
  handle: async (event, position) => log.info({ ...event, position }, 'event'),
})

/** The events of all features: their chain, those who read them, and how long they are kept. It comes after all features that read events. */
export const auditFeature = defineFeature({
  name: 'audit',
  config: { events: eventsConfig },
  errors: auditErrors.table,
  commands: [auditCommands],
  sealedColumns,
  build: (base, { events: { keepDays, log: isLogged } }: { readonly events: EventsConfig }) => {
    const { db, clock, log } = base
    const chain = createChain(base)
    const readers = [...base.eventReaders(), ...(isLogged ? [logReader(log)] : [])]
    const read = (reader: EventReader, stop: AbortSignal) => runReader(base, reader, stop)
    return {
      api: { audit: createAudit(db, chain) },
      jobs: auditJobs({ chain, clock, log, keepDays, readers, read }),
    }
  },
})
