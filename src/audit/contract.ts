import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { counted, sortedPage } from '../core/page.ts'
import { instant, Named, organizationName, plainText } from '../core/wire.ts'
import { contract, eventStreamType, stream } from '../http/contract.ts'

/** A time or a day in ISO 8601. A day means its beginning, midnight in UTC. */
export const timeInput = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((text) => new Date(text))

const id = plainText(255, 1)

/** The type of an event, such as `user.created`, or all types with a prefix, such as `user.*`. */
export const typeInput = z
  .string()
  .regex(/^[a-z_]{1,40}\.([a-z_]{1,40}|\*)$/, 'a type such as user.created, or user.* for all of them')

const within = {
  type: typeInput.optional(),
  /** Only events about the subject with this id. */
  subject: id.optional(),
  /** Only events whose actor has this id. Actors are users, applications and API keys. */
  actor: id.optional(),
  /** Only events at or after this time. */
  since: timeInput.optional(),
  /** Only events before this time. */
  until: timeInput.optional(),
} as const

/** Kinds of actors in audit events. */
export const actorKinds = ['user', 'api-key', 'application', 'system', 'anonymous'] as const

/** Filters of a list of audit events. An event has to match all filters. */
export const eventFilter = {
  ...within,
  actorKind: z.enum(actorKinds).optional(),
  /** Only events of impersonations by the administrator with this id. */
  impersonator: id.optional(),
  session: id.optional(),
  /** Only events of the organization with this id. */
  organization: id.optional(),
  /** Only events from this IP address. */
  address: plainText(64, 1).optional(),
  /** Only events of the request with this id. Responses and logs contain the id. */
  request: id.optional(),
  /** Only events for which exactly this reason was given. */
  reason: plainText(500, 1).optional(),
} as const

export const exportFormats = ['jsonl', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportStatuses = ['pending', 'running', 'made', 'failed'] as const
/**
 * `too-large`: the file would be larger than `events.maxExportMegabytes`. `interrupted`: every attempt to write the file failed, and the
 * log says why.
 */
export const exportFaults = ['too-large', 'interrupted'] as const

const { since: _since, until: _until, ...words } = eventFilter
type WordFilters = { readonly [Name in keyof typeof words]: z.ZodOptional<z.ZodString> }
const wordFilters = Object.fromEntries(Object.keys(words).map((name) => [name, z.string().optional()])) as WordFilters

/** An export of audit events to a file. The server keeps the file for a day. */
export const EventExport = z
  .object({
    id: z.string(),
    format: z.enum(exportFormats),
    /** The filters that were requested. */
    filters: z.object({ ...wordFilters, since: instant.optional(), until: instant.optional() }),
    status: z.enum(exportStatuses),
    /** Why the file could not be made. */
    error: z.enum(exportFaults).nullable(),
    /** How much of the requested time span is exported, in percent. */
    progress: z.number(),
    /** Number of events that are in the file so far. */
    events: z.number(),
    /** Size of the file so far, in bytes. */
    bytes: z.number(),
    createdAt: instant,
    endedAt: instant.nullable(),
    /** When the server deletes the file. */
    expiresAt: instant,
  })
  .meta({ id: 'EventExport' })

/**
 * An audit event: who did what to which subject, when and from where. `position` and `hash` are null until the event is sealed into the
 * chain.
 */
export const Event = z
  .object({
    id: z.string(),
    type: z.string(),
    occurredAt: instant,
    actorKind: z.string(),
    actorId: z.string().nullable(),
    sessionId: z.string().nullable(),
    impersonatorId: z.string().nullable(),
    subjectType: z.string(),
    subjectId: z.string(),
    organizationId: z.string().nullable(),
    address: z.string(),
    userAgent: z.string(),
    requestId: z.string(),
    /** The reason that the actor gave for the change. */
    reason: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    position: z.number().nullable(),
    hash: z.string().nullable(),
  })
  .meta({ id: 'Event' })

/** An audit event, with the names of the resources that it refers to. */
export const NamedEvent = Event.extend({
  /** Who did it. The id is null if the server itself acted, and for a request without a session. */
  actor: Named,
  subject: Named,
  /** The administrator who impersonated the actor. Null if nobody did. */
  impersonator: Named.nullable(),
  organization: Named.nullable(),
  /** The resources whose ids occur in `data`. */
  mentions: z.array(Named),
}).meta({ id: 'NamedEvent' })

/** The fields of an audit event that the event stream sends. `GET /admin/events/:id` returns all fields. */
export const StreamedEvent = Event.pick({
  ...{ id: true, type: true, occurredAt: true, subjectType: true, subjectId: true, organizationId: true, requestId: true },
})

/** An audit event as members of its organization see it. Address, user agent and reason are null unless the actor is a member at present. */
export const OrganizationEvent = Event.pick({
  id: true,
  type: true,
  occurredAt: true,
  actorKind: true,
  actorId: true,
  subjectType: true,
  subjectId: true,
  data: true,
})
  .extend({
    /** True if an administrator did it while impersonating the actor. */
    isImpersonated: z.boolean(),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'OrganizationEvent' })

const byId = z.object({ id: plainText(64, 1) })

const ofInstance = { permission: 'events:read' } as const

export const auditContract = contract('Audit', {
  listEvents: {
    method: 'GET',
    path: '/admin/events',
    summary: 'List events, newest first: actor, change, subject, time and origin',
    access: ofInstance,
    ...counted(sortedPage('events', NamedEvent, { filter: eventFilter, sorts: ['occurredAt'] })),
    errors: [],
  },
  exportEvents: {
    method: 'GET',
    path: '/admin/events/export',
    changes: true,
    summary: 'Export all matching events, oldest first, as JSON Lines or CSV',
    access: ofInstance,
    query: z.object({ ...eventFilter, format: z.enum(exportFormats).default('jsonl') }),
    response: stream('application/x-ndjson', 'text/csv'),
    errors: [],
  },
  createEventExport: {
    method: 'POST',
    path: '/admin/events/exports',
    summary: 'Request a file with all matching events, oldest first, as JSON Lines or CSV',
    access: ofInstance,
    body: z.strictObject({ ...eventFilter, format: z.enum(exportFormats).default('jsonl') }),
    response: EventExport,
    errors: ['TOO_MANY_EVENT_EXPORTS'],
  },
  listEventExports: {
    method: 'GET',
    path: '/admin/events/exports',
    summary: 'List the exports of the caller, finished or not, newest first',
    access: ofInstance,
    ...sortedPage('exports', EventExport, { filter: {}, sorts: ['createdAt'] }),
    errors: [],
  },
  getEventExport: {
    method: 'GET',
    path: '/admin/events/exports/:id',
    summary: 'Get one export of the caller',
    access: ofInstance,
    params: byId,
    response: EventExport,
    errors: ['EVENT_EXPORT_NOT_FOUND'],
  },
  downloadEventExport: {
    method: 'GET',
    path: '/admin/events/exports/:id/content',
    changes: true,
    summary: 'Download the file of an export of the caller',
    access: ofInstance,
    params: byId,
    response: stream('application/x-ndjson', 'text/csv'),
    errors: ['EVENT_EXPORT_NOT_FOUND', 'EVENT_EXPORT_NOT_MADE'],
  },
  deleteEventExport: {
    method: 'DELETE',
    path: '/admin/events/exports/:id',
    summary: 'Delete an export of the caller with its file; an unfinished export ends',
    access: ofInstance,
    params: byId,
    response: z.object({ id: z.string() }),
    errors: ['EVENT_EXPORT_NOT_FOUND'],
  },
  streamEvents: {
    method: 'GET',
    path: '/admin/events/stream',
    changes: true,
    summary: 'Follow new events as Server-Sent Events',
    access: { ...ofInstance, session: true },
    isBackground: true,
    response: stream(eventStreamType),
    errors: ['TOO_MANY_EVENT_STREAMS', 'TOO_MANY_EVENT_STREAMS_OF_THIS_SESSION'],
  },
  verifyEvents: {
    method: 'GET',
    path: '/admin/events/verification',
    summary: 'Verify the whole chain of events; returns the progress, then the changed, removed and moved events, as JSON Lines',
    access: ofInstance,
    response: stream('application/x-ndjson'),
    errors: [],
  },
  getEvent: {
    method: 'GET',
    path: '/admin/events/:id',
    summary: 'Get one event',
    access: ofInstance,
    params: z.object({ id }),
    response: NamedEvent,
    errors: ['EVENT_NOT_FOUND'],
  },
})

export const organizationAuditContract = contract('Organizations', {
  listOrganizationEvents: {
    method: 'GET',
    path: '/organization/list-events',
    summary: 'List the events of an organization, newest first, for members whose role may read them',
    access: { permission: 'audit:read' },
    ...sortedPage('events', OrganizationEvent, {
      filter: { ...within, organizationId: organizationName.optional() },
      sorts: ['occurredAt'],
    }),
    errors: ['NO_ACTIVE_ORGANIZATION', 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION', 'FORBIDDEN'],
  },
})

export const auditErrors = errorsOf({
  EVENT_NOT_FOUND: [404, 'Event not found'],
  TOO_MANY_EVENT_STREAMS: [503, 'Too many event streams'],
  TOO_MANY_EVENT_STREAMS_OF_THIS_SESSION: [429, 'Too many event streams of this session'],
  EVENT_EXPORT_NOT_FOUND: [404, 'Event export not found'],
  EVENT_EXPORT_NOT_MADE: [409, 'Event export not made'],
  TOO_MANY_EVENT_EXPORTS: [429, 'Too many event exports'],
  EVENTS_WERE_CHANGED: [409, 'Events were changed'],
})
