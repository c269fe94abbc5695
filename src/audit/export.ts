import type { Principal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Tx } from '../core/db/database.ts'
import type { Events } from '../core/events/record.ts'
import { csvLine } from '../core/output/csv.ts'
import type { ExportFormat } from './contract.ts'
import { auditEvents } from './events.ts'
import { type Audit, type EventQuery, requireAuditor, type ShownEvent } from './service.ts'

/** An export that was recorded and can be read. */
export interface Export {
  readonly fileName: string
  readonly mediaType: string
  readonly chunks: AsyncGenerator<string>
}

export interface Exports {
  /** Records an audit event about the export, then yields the text of the events one by one. Throws FORBIDDEN. */
  start(principal: Principal, query: EventQuery, format: ExportFormat): Promise<Export>
}

const columns = [
  ...(['id', 'type', 'occurredAt', 'actorKind', 'actorId', 'sessionId', 'impersonatorId', 'subjectType', 'subjectId'] as const),
  ...(['organizationId', 'address', 'userAgent', 'requestId', 'reason', 'data', 'position', 'hash'] as const),
] satisfies readonly (keyof ShownEvent)[]

/** How each format writes its head and the line of an event. */
export const formats: Readonly<
  Record<ExportFormat, { readonly mediaType: string; readonly head: string; line(event: ShownEvent): string }>
> = {
  jsonl: {
    mediaType: 'application/x-ndjson',
    head: '',
    line: (event) => `${JSON.stringify(Object.fromEntries(columns.map((name) => [name, event[name]])))}\n`,
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    head: csvLine(columns),
    line: (event) => csvLine(columns.map((name) => event[name])),
  },
}

/** The file name of an export that contains the events up to this time. */
export const exportName = (at: Date, format: ExportFormat): string => `events-${at.toISOString().slice(0, 10)}.${format}`

/** Records an audit event about the export, with its principal as the actor. */
export const recordExport = (
  tx: Tx,
  events: Events,
  principal: Principal,
  query: EventQuery,
  format: ExportFormat,
): Promise<unknown> => {
  const filters = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  return events.record(tx, principal, auditEvents['events.exported'], { subject: 'events', data: { format, filters } })
}

/** How many characters are sent at once. Sending events one by one would be slow. */
const chunkLength = 32_768

export const createExports = ({
  transact,
  events,
  clock,
  audit,
}: Pick<Core, 'transact' | 'events' | 'clock'> & { readonly audit: Audit }): Exports => ({
  start: async (principal, query, format) => {
    requireAuditor(principal)
    await transact((tx) => recordExport(tx, events, principal, query, format))
    const { mediaType, head, line } = formats[format]
    const chunks = async function* () {
      let text = head
      for await (const event of audit.read(query)) {
        text += line(event)
        if (text.length < chunkLength) continue
        yield text
        text = ''
      }
      yield text
    }
    return { fileName: exportName(clock.now(), format), mediaType, chunks: chunks() }
  },
})
