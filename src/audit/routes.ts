import { cursorOf } from '../core/page.ts'
import { Download } from '../http/contract.ts'
import { bind, documented } from '../http/handlers.ts'
import { auditContract, organizationAuditContract } from './contract.ts'
import { auditDocumentation, organizationAuditDocumentation } from './documentation.ts'
import type { Exports } from './export.ts'
import type { EventExports } from './exports/service.ts'
import type { Streams } from './live/streams.ts'
import type { Audit } from './service.ts'
import { verificationLines } from './verification.ts'

export const auditRoutes = (audit: Audit, exports: Exports, kept: EventExports, streams: Streams) =>
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

export const organizationAuditRoutes = (audit: Audit) =>
  bind(documented(organizationAuditContract, organizationAuditDocumentation), {
    listOrganizationEvents: (principal, { query }) => audit.pageOfOrganization(principal, query, cursorOf(query)),
  })
