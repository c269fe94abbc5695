/** Descriptions and examples for the API document. They are not in the contract, because pages load contracts. */

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
      'Streams all matching events up to now. The export itself is recorded as the event `events.exported`. With `format=csv` the ' +
      'answer is `text/csv`; cells that a spreadsheet would run as a formula begin with an apostrophe. If the connection breaks, the ' +
      'export ends.',
  },
  createEventExport: {
    description:
      'Returns at once. A node makes the file a moment later, and `GET /admin/events/exports/:id` shows its progress. Exports are ' +
      'kept for a day, at most ten for each owner. A person owns the exports of their session and of their keys; an application, and ' +
      'a key of the instance, own theirs. The request is recorded as the event `events.exported`.',
    example: {
      body: { type: 'user.*', format: 'csv' as const },
      response: { ...madeExport, status: 'pending' as const, progress: 0, events: 0, bytes: 0, endedAt: null },
    },
  },
  listEventExports: { example: { response: { exports: [madeExport], next: null } } },
  getEventExport: {
    description: '`progress` is a percentage: how much of the time between the first and the last event has been read.',
    example: { response: madeExport },
  },
  downloadEventExport: {
    description: 'Needs an export with the status `made`. If the export is deleted meanwhile, the answer is cut off.',
  },
  deleteEventExport: { example: { response: { id: madeExport.id } } },
  streamEvents: {
    description:
      'Each message `changes` contains in `events` the newly sealed events: `id`, `type`, `occurredAt`, `subjectType`, `subjectId`, ' +
      '`organizationId`, `requestId`. Send the `id` of the last message as `Last-Event-ID` to continue after it. You then get the ' +
      'missed events, or a message `reset` if more than the newest 500 were missed: everything that you have read may be outdated. ' +
      'Without `Last-Event-ID` the stream begins with the events of the last 15 seconds. A message `end` says why the stream ends: ' +
      '`access` (the session or the permission has ended), `stopping` (this node stops), `renew` (after ten minutes) or `unavailable` ' +
      '(the database does not answer). A session has at most 4 streams.',
  },
  verifyEvents: {
    description:
      'Lines `{"progress":{"from","position","to"}}`, then one line ' +
      '`{"result":{"from","to","hash","checkpoints","unsealed","copies","faults"}}`. The chain is also compared with the copy in ' +
      '`events.file`. Each entry of `faults` has its kind, its position in the chain and a message; the first fault comes first. An ' +
      'answer without a line `result` was cut off.',
  },
}

export const organizationAuditDocumentation = {
  listOrganizationEvents: {
    description:
      `For the role \`owner\`, and for custom roles with \`audit: [read]\`. Address, agent and reason are shown only for people who ` +
      `are members now. They are null for all others: administrators of the instance, people who have left, and applications. ` +
      `${paging}`,
    example: { response: { events: [{ ...event, ...origin, isImpersonated: false }], next: null } },
  },
}
