import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { counted, sortedPage } from '../core/page.ts'
import { instant, Named, organizationName, plainText } from '../core/wire.ts'
import { contract, eventStreamType, stream } from '../http/contract.ts'

/** A day or a time in ISO 8601. A day stands for midnight UTC, its beginning. */
export const timeInput = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((text) => new Date(text))

const id = plainText(255, 1)

/** The type of an event, `user.created`, or a prefix, `user.*`. */
export const typeInput = z
  .string()
  .regex(/^[a-z_]{1,40}\.([a-z_]{1,40}|\*)$/, 'a type such as user.created, or user.* for all of them')

const within = {
  type: typeInput.optional(),
  /** Id of the subject. */
  subject: id.optional(),
  /** Id of the actor: a user, application or API key. */
  actor: id.optional(),
  /** Events from this time on. */
  since: timeInput.optional(),
  /** Events before this time. */
  until: timeInput.optional(),
} as const

/** Kinds of principals that events name as the actor. */
export const actorKinds = ['user', 'api-key', 'application', 'system', 'anonymous'] as const

/** Filters of a list of events; events have to match all of them. */
export const eventFilter = {
  ...within,
  actorKind: z.enum(actorKinds).optional(),
  /** Id of the administrator who impersonated a user. */
  impersonator: id.optional(),
  session: id.optional(),
  /** Id of an organization. */
  organization: id.optional(),
  /** Network address of the client. */
  address: plainText(64, 1).optional(),
  /** Id of the request, as in answers and logs. */
  request: id.optional(),
  /** The exact reason that was given with a call or command. */
  reason: plainText(500, 1).optional(),
} as const

export const exportFormats = ['jsonl', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportStatuses = ['pending', 'running', 'made', 'failed'] as const
/** `too-large`: larger than `events.maxExportMegabytes`; `interrupted`: every attempt failed, and the log has the reason. */
export const exportFaults = ['too-large', 'interrupted'] as const

const { since: _since, until: _until, ...words } = eventFilter
type WordFilters = { readonly [Name in keyof typeof words]: z.ZodOptional<z.ZodString> }
const wordFilters = Object.fromEntries(Object.keys(words).map((name) => [name, z.string().optional()])) as WordFilters

/** A file of events, which the server keeps for a day. */
export const EventExport = z
  .object({
    id: z.string(),
    format: z.enum(exportFormats),
    /** The filters of the request. */
    filters: z.object({ ...wordFilters, since: instant.optional(), until: instant.optional() }),
    status: z.enum(exportStatuses),
    /** Why there is no file. */
    error: z.enum(exportFaults).nullable(),
    /** Percent of the time span that is exported. */
    progress: z.number(),
    /** Number of written events. */
    events: z.number(),
    /** Size of the file so far, in bytes. */
    bytes: z.number(),
    createdAt: instant,
    endedAt: instant.nullable(),
    /** Time when the file is deleted. */
    expiresAt: instant,
  })
  .meta({ id: 'EventExport' })

/** An event: actor, change, subject, time and origin. `position` and `hash` are null until the event is sealed. */
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
    /** The reason that the actor gave. */
    reason: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    position: z.number().nullable(),
    hash: z.string().nullable(),
  })
  .meta({ id: 'Event' })

/** An event with the names of the resources that it refers to. */
export const NamedEvent = Event.extend({
  /** The actor. The id is null for the server, and for a request without a session. */
  actor: Named,
  subject: Named,
  /** The impersonating administrator. */
  impersonator: Named.nullable(),
  organization: Named.nullable(),
  /** Resources whose ids are in `data`. */
  mentions: z.array(Named),
}).meta({ id: 'NamedEvent' })

/** The fields of an event in the stream. `GET /admin/events/:id` returns all fields. */
export const StreamedEvent = Event.pick({
  ...{ id: true, type: true, occurredAt: true, subjectType: true, subjectId: true, organizationId: true, requestId: true },
})

/** An event as members of its organization see it. Address, user agent and reason are shown only if the actor is a member now. */
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
    /** True for an action of an administrator who impersonated the actor. */
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
