import type { Principal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Tx } from '../core/db/database.ts'
import type { Events } from '../core/events/record.ts'
import { csvLine } from '../core/output/csv.ts'
import type { ExportFormat } from './contract.ts'
import { auditEvents } from './events.ts'
import { type Audit, type EventQuery, requireAuditor, type ShownEvent } from './service.ts'

/** A started export. */
export interface Export {
  readonly fileName: string
  readonly mediaType: string
  readonly chunks: AsyncGenerator<string>
}

export interface Exports {
  /** Records the export, then yields the text of the events one by one. Throws FORBIDDEN. */
  start(principal: Principal, query: EventQuery, format: ExportFormat): Promise<Export>
}

const columns = [
  ...(['id', 'type', 'occurredAt', 'actorKind', 'actorId', 'sessionId', 'impersonatorId', 'subjectType', 'subjectId'] as const),
  ...(['organizationId', 'address', 'userAgent', 'requestId', 'reason', 'data', 'position', 'hash'] as const),
] satisfies readonly (keyof ShownEvent)[]

/** Each format begins with a head, followed by a line for each event. */
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

/** The file name of an export with events up to the time. */
export const exportName = (at: Date, format: ExportFormat): string => `events-${at.toISOString().slice(0, 10)}.${format}`

/** Records the export and its principal. */
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

/** Number of characters in a chunk. One event alone would be a small chunk. */
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
