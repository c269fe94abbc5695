import { z } from 'zod'
import { systemPrincipal } from '../access/principal.ts'
import type { Sessions } from '../authentication/sessions/index.ts'
import { createChain } from '../core/events/chain.ts'
import { sealedColumns } from '../core/events/chain-store.ts'
import { type EventReader, releaseReaders, runReader } from '../core/events/readers.ts'
import { createOutbound, type OutboundConfig } from '../core/fetch.ts'
import type { Log } from '../core/log.ts'
import { cursorOf } from '../core/page.ts'
import type { TaskKind } from '../core/queue.ts'
import { type Retention, retentionOfRows } from '../core/retention.ts'
import { daySeconds } from '../core/time.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { Download } from '../http/contract.ts'
import { bind, documented } from '../http/handlers.ts'
import type { Memberships } from '../organizations/index.ts'
import { copyCheck, readerCheck, sealingCheck } from './check.ts'
import { auditCommands } from './cli.ts'
import { type EventsConfig, eventsConfig } from './config.ts'
import { auditContract, auditErrors, organizationAuditContract } from './contract.ts'
import { fileCopy } from './copies/file.ts'
import { syslogCopy } from './copies/syslog.ts'
import { createWebhookCopy } from './copies/webhook.ts'
import { auditDocumentation, organizationAuditDocumentation } from './documentation.ts'
import { auditEvents } from './events.ts'
import type { Exports } from './export.ts'
import { createExports } from './export.ts'
import type { EventExports } from './exports/service.ts'
import { createEventExports } from './exports/service.ts'
import { deleteAll, expiredExports } from './exports/store.ts'
import { createHeadLog } from './head-log.ts'
import { auditJobs } from './jobs.ts'
import { createFeed } from './live/feed.ts'
import type { Streams } from './live/streams.ts'
import { createStreams } from './live/streams.ts'
import type { Audit } from './service.ts'
import { createAudit } from './service.ts'
import { verificationLines } from './verification.ts'

const auditRoutes = (audit: Audit, exports: Exports, kept: EventExports, streams: Streams) =>
  bind(documented(auditContract, auditDocumentation), {
    listEvents: (principal, { query }) => audit.page(principal, query, cursorOf(query)),
    exportEvents: async (principal, { query: { format, ...query } }) => {
      const { fileName, mediaType, chunks } = await exports.start(principal, query, format)
      return new Download(fileName, chunks, mediaType)
    },
    createEventExport: (principal, { body: { format, ...query } }) => kept.request(principal, query, format),
    listEventExports: (principal, { query }) => kept.list(principal, query),
    getEventExport: (principal, { params }) => kept.get(principal, params.id),
    downloadEventExport: async (principal, { params }) => {
      const { fileName, mediaType, chunks } = await kept.open(principal, params.id)
      return new Download(fileName, chunks, mediaType)
    },
    deleteEventExport: (principal, { params }) => kept.remove(principal, params.id),
    streamEvents: (principal, { headers }) => {
      const lastEventId = headers['last-event-id']
      return streams.open(principal, Array.isArray(lastEventId) ? lastEventId[0] : lastEventId)
    },
    verifyEvents: (principal) => verificationLines(audit.verifySteps(principal)),
    getEvent: (principal, { params }) => audit.find(principal, params.id),
  })

const organizationAuditRoutes = (audit: Audit) =>
  bind(documented(organizationAuditContract, organizationAuditDocumentation), {
    listOrganizationEvents: (principal, { query }) => audit.pageOfOrganization(principal, query, cursorOf(query)),
  })

export type { Audit } from './service.ts'

interface Config {
  readonly events: EventsConfig
  readonly outbound: OutboundConfig
  readonly organizations?: { readonly enabled: boolean }
}

interface Needs {
  readonly sessions: Sessions
  readonly memberships?: Memberships
}

/** An event reader that writes every audit event to the log. */
const logReader = (log: Log): EventReader => ({
  name: 'log',
  startsAt: 'newest',
  handle: async (event, position, hash) => log.info({ ...event, position, hash }, 'event'),
})

/** The event readers for the configured copies. Each reader has a cursor of its own. */
const createCopies = (
  base: Base,
  { log: isLogged, file, syslog, syslogCaFile, webhook }: EventsConfig,
  outbound: OutboundConfig,
) => {
  const { url, secret } = webhook
  const target = url === undefined || secret === undefined ? undefined : { url, secret }
  const { reader, task } = createWebhookCopy(base, createOutbound(outbound), target)
  const readers: readonly EventReader[] = [
    ...(isLogged ? [logReader(base.log)] : []),
    ...(file === undefined ? [] : [fileCopy(file)]),
    ...(syslog === undefined ? [] : [syslogCopy(syslog, syslogCaFile)]),
    ...(reader === undefined ? [] : [reader]),
  ]
  return { readers, task }
}

const build = (base: Base, { events: config, outbound, organizations }: Config, { memberships, sessions }: Needs) => {
  const { clock, log, events, random } = base
  const chain = createChain({
    ...base,
    onSegment: (tx, from) =>
      events.record(tx, systemPrincipal(random.requestId()), auditEvents['events.segment_started'], {
        subject: 'events',
        data: { from },
      }),
  })
  const keptSince = () => clock.after(-config.keepDays * daySeconds)
  const retention: Retention = {
    name: 'events',
    which: `that are older than ${config.keepDays} days, up to a checkpoint of the chain`,
    count: () => chain.countBefore(keptSince()),
    sweep: (stop) => chain.deleteBefore(keptSince(), stop),
  }
  const copies = createCopies(base, config, outbound)
  const readers = [...base.eventReaders(), ...copies.readers]
  const audit = createAudit({ ...base, chain, memberships, file: config.file, readerNames: readers.map(({ name }) => name) })
  const auditExports = createExports({ ...base, audit })
  const exportKind: TaskKind<unknown> = {
    kind: 'events.export',
    payload: z.unknown(),
    handle: async ({ payload, signal }) => {
      await eventExports.perform(ExportTask.parse(payload).id, signal)
      return undefined
    },
    onDead: (tx, { details }) => eventExports.giveUp(tx, ExportTask.parse(details).id),
    maxAttempts: 5,
    backOffSeconds: [10, 300],
    leaseSeconds: 60,
    concurrency: 2,
    keepDeadSeconds: daySeconds,
  }
  const eventExports = createEventExports({
    ...base,
    audit,
    maxBytes: config.maxExportMegabytes * 1_000_000,
    enqueue: (tx, id, owner) =>
      base.queue.enqueue(tx, exportKind, { payload: { id }, details: { id }, label: id, key: owner.slice(0, 255) }),
  })
  const exportRetention = retentionOfRows(base, 'exports of events', 'that were made a day ago', () =>
    expiredExports(clock.now()),
  )
  const retentions = [retention, exportRetention]
  const streams = createStreams({ ...base, sessions, feed: createFeed(base.db), maxStreams: config.maxStreams })
  base.metrics.gauge(
    { name: 'gatehouse_event_streams', help: 'Consoles that receive the events of this node at once.', labels: [] },
    () => [{ labels: {}, value: streams.count() }],
  )
  const read = (reader: EventReader, stop: AbortSignal) => runReader(base, reader, stop)
  const ofOrganizations = memberships !== undefined && organizations?.enabled === true
  return {
    api: { audit, auditExports, eventExports },
    checks: [
      readerCheck(audit),
      sealingCheck(chain),
      copyCheck({ ...base, file: config.file, copyNames: copies.readers.map(({ name }) => name) }),
    ],
    routes: [
      ...auditRoutes(audit, auditExports, eventExports, streams),
      ...(ofOrganizations ? organizationAuditRoutes(audit) : []),
    ],
    jobs: auditJobs({ chain, clock, log, retentions, readers, read, streams, logHead: createHeadLog(base.db, log) }),
    drain: streams.stop,
    retentions,
    withheldData: [{ table: 'event_export', why: 'holds events of the instance, which an administrator exported, for a day' }],
    tasks: [copies.task, exportKind],
    onRestore: async (tx) => {
      await releaseReaders(tx)
      await deleteAll(tx)
      return {}
    },
  } satisfies Built
}

const ExportTask = z.object({ id: z.string() })

/**
 * The audit log: it chains the events of all features, passes them to readers, and deletes old ones. It is built last, after all features
 * that read events.
 */
export const auditFeature = defineFeature({
  name: 'audit',
  config: { events: eventsConfig },
  errors: auditErrors.table,
  events: auditEvents,
  commands: [auditCommands],
  sealedColumns,
  build,
})
