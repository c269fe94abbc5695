/** Descriptions and examples of the API document. Pages load contracts without this module. */

const event = {
  ...{ id: '0mfd3k1a90000Vt3kQ0xZ8nLw2sYcA1', type: 'member.role_changed', occurredAt: '2026-11-22T09:59:29.120Z' },
  ...{ actorKind: 'user', actorId: 'Vt3kQ0xZ8nLw2sYcA1bD4eF6', subjectType: 'user', subjectId: 'Qk2nLw8ZsYcVt3kQ0xA1bD4e' },
  data: { memberId: 'Lw2sYcA1bD4eF6Vt3kQ0xZ8n', role: 'admin', formerRole: 'member' },
}
const origin = { address: '192.0.2.7', userAgent: 'Mozilla/5.0', reason: 'ticket 4711' }

const named = {
  actor: { kind: 'user', id: event.actorId, name: 'Ann Example' },
  subject: { kind: 'user', id: event.subjectId, name: 'Bob Example' },
  ...{ impersonator: null, organization: { kind: 'organization', id: 'D4eF6Vt3kQ0xZ8nLw2sYcA1b', name: 'Acme' }, mentions: [] },
}

const madeExport = {
  ...{ id: 'Yd0mZk1vXw0bT7mY5sR8uN2cD4eF6gH0', format: 'csv' as const, filters: { type: 'user.*' }, status: 'made' as const },
  ...{ error: null, progress: 100, events: 104_233, bytes: 48_318_382, createdAt: '2026-11-22T09:59:29.120Z' },
  ...{ endedAt: '2026-11-22T09:59:41.004Z', expiresAt: '2026-11-23T09:59:41.004Z' },
}

const paging =
  '`type` is the name of a type or, as `user.*`, of all that begin alike. All filters have to fit. A page may hold fewer events than `limit`, even none, ' +
  'and still name a `next`: where several filters meet, a page ends after 2000 events that only one of them fits.'

export const auditDocumentation = {
  listEvents: {
    description: `The reference of events lists the types with their data. ${paging}`,
    example: {
      response: {
        events: [
          {
            ...event,
            ...origin,
            ...{ sessionId: 'sYcA1bD4eF6Vt3kQ0xZ8nLw2', impersonatorId: null, organizationId: 'D4eF6Vt3kQ0xZ8nLw2sYcA1b' },
            ...{
              requestId: '8nLw2sYcA1bD4eF6',
              position: 1204,
              hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
            },
            ...named,
          },
        ],
        next: null,
        total: null,
      },
    },
  },
  exportEvents: {
    description:
      'Streams every event that fits and has happened by now; that it was asked for is an event itself, `events.exported`. With `format=csv` the answer is ' +
      '`text/csv`: cells that a spreadsheet would run as a formula begin with an apostrophe. A connection that breaks ends the query.',
  },
  createEventExport: {
    description:
      'Returns at once; a node makes the file a moment later. `GET /admin/events/exports/:id` says how far it is. Who asks has ten at most, which are kept for a day: ' +
      'a person with a session and with their keys, a key or an application by itself. That it was asked for is an event, `events.exported`.',
    example: {
      body: { type: 'user.*', format: 'csv' as const },
      response: { ...madeExport, status: 'pending' as const, progress: 0, events: 0, bytes: 0, endedAt: null },
    },
  },
  listEventExports: { example: { response: { exports: [madeExport], next: null } } },
  getEventExport: {
    description: '`progress` is the percentage of the time between the first event and the last one that has been read.',
    example: { response: madeExport },
  },
  downloadEventExport: {
    description:
      'Of an export with the status `made`. An answer that was cut off, because the export was deleted meanwhile, has no end.',
  },
  deleteEventExport: { example: { response: { id: madeExport.id } } },
  streamEvents: {
    description:
      'Each message `changes` has the `events` that were sealed since: `id`, `type`, `occurredAt`, `subjectType`, `subjectId`, `organizationId`, `requestId`. Its `id` is the ' +
      'place to go on from: sent as `Last-Event-ID`, it brings what was missed, or a message `reset` where that is more than the newest 500 events: then ' +
      'whatever was read may be outdated. Without one it begins with the last 15 seconds. A message `end` says why the stream ends: `access` (the session or the permission is gone), `stopping` (this node), ' +
      '`renew` (after ten minutes) or `unavailable` (the database). A session has 4 streams at most.',
  },
  verifyEvents: {
    description:
      'Lines `{"progress":{"from","position","to"}}`, then one `{"result":{"from","to","hash","checkpoints","unsealed","copies","faults"}}`. The copy in `events.file` is compared too. Each of the `faults` has ' +
      'its kind, the position in the chain and a message, the first one in front. An answer without a line `result` was cut off.',
  },
}

export const organizationAuditDocumentation = {
  listOrganizationEvents: {
    description:
      `For the role \`owner\`, and custom roles with \`audit: [read]\`. Address, agent and reason are shown of people who are members now, and null for all others: ` +
      `administrators of the instance, people who have left, and applications. ${paging}`,
    example: { response: { events: [{ ...event, ...origin, isImpersonated: false }], next: null } },
  },
}
