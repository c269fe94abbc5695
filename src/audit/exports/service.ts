import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { z } from 'zod'
import { type Principal, systemPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { type Cursor, cursorOf, cutPage, nextAfter } from '../../core/page.ts'
import { daySeconds } from '../../core/time.ts'
import type { EventExport, ExportFormat } from '../contract.ts'
import { auditErrors } from '../contract.ts'
import { auditEvents } from '../events.ts'
import { exportName, formats, recordExport } from '../export.ts'
import { type Audit, type EventQuery, requireAuditor } from '../service.ts'
import * as store from './store.ts'

type View = z.output<typeof EventExport>
type ListQuery = Omit<Cursor<'createdAt'>, 'after'> & { readonly after?: string | undefined }

/**
 * Exports of audit events that the queue makes. The server keeps them for a day, and only the person who requested an export has access
 * to it. All functions except `perform` and `giveUp` throw FORBIDDEN.
 */
export interface EventExports {
  /** Records an audit event about the export and puts the export into the queue. Throws TOO_MANY_EVENT_EXPORTS. */
  request(principal: Principal, query: EventQuery, format: ExportFormat): Promise<View>
  list(principal: Principal, query: ListQuery): Promise<{ exports: View[]; next: string | null }>
  /** Returns the state of an export. Throws EVENT_EXPORT_NOT_FOUND. */
  get(principal: Principal, id: string): Promise<View>
  /** Returns the file of an export in chunks. Throws EVENT_EXPORT_NOT_FOUND, and EVENT_EXPORT_NOT_MADE if the file is not complete. */
  open(principal: Principal, id: string): Promise<ExportFile>
  /** Deletes or cancels an export. Throws EVENT_EXPORT_NOT_FOUND. */
  remove(principal: Principal, id: string): Promise<{ id: string }>
  /** Makes the file of an export, or continues an interrupted attempt. Throws if `signal` is aborted before the file is complete. */
  perform(id: string, signal: AbortSignal): Promise<void>
  /** Marks an export as failed if it is unfinished. */
  giveUp(tx: Tx, id: string): Promise<void>
}

export interface ExportFile {
  readonly fileName: string
  readonly mediaType: string
  readonly chunks: AsyncGenerator<Uint8Array>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'events' | 'clock' | 'random'> {
  readonly audit: Audit
  /** Largest size of an export file in bytes. */
  readonly maxBytes: number
  /** Puts a task that calls `perform` into the queue. */
  readonly enqueue: (tx: Tx, id: string, owner: string) => Promise<unknown>
}

/** How long the server keeps an export, in seconds. */
const keepSeconds = daySeconds
/** How many exports one person can have at most, finished or not. */
const mostKept = 10
/** How many characters a stored chunk has at most. A chunk has to fit into memory and into one transaction. */
const chunkLength = 500_000
/** How many pages of events are read at most for one chunk. If few events match the filter, the chunk would otherwise take very long. */
const mostPages = 40

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** The owner of the exports that a principal requests. It is the person who owns the session or the API key. */
const ownerOf = (principal: Principal): { readonly owner: string; readonly userId: string | null } => {
  if ('user' in principal) return { owner: `user:${principal.user.id}`, userId: principal.user.id }
  if (!('actorId' in principal) || principal.actorId === undefined) throw coreErrors.error('FORBIDDEN')
  return { owner: `${principal.kind}:${principal.actorId}`, userId: null }
}

const progressOf = ({ status, beganAt, placeAt, until }: store.EventExportRow): number => {
  if (status === 'made') return 100
  if (beganAt === null || placeAt === null) return 0
  const [done, all] = [placeAt.getTime() - beganAt.getTime(), until.getTime() - beganAt.getTime()]
  return all <= 0 ? 0 : Math.min(99, Math.floor((100 * done) / all))
}

const viewOf = (row: store.EventExportRow): View => {
  const { id, format, filters, status, error, events, bytes, createdAt, endedAt, expiresAt } = row
  return { id, format, filters, status, error, progress: progressOf(row), events, bytes, createdAt, endedAt, expiresAt }
}

export const createEventExports = (deps: Deps): EventExports => {
  const { db, transact, events, clock, random, audit, maxBytes, enqueue } = deps
  const find = async (principal: Principal, id: string): Promise<store.EventExportRow> => {
    requireAuditor(principal)
    const row = await store.findExport(db, id, clock.now())
    if (row === undefined || row.owner !== ownerOf(principal).owner) throw auditErrors.error('EVENT_EXPORT_NOT_FOUND')
    return row
  }

  /** Records an audit event about the end of an export. It lets open consoles show the result (docs/design/audit.md#exports). */
  const recordEnd = (tx: Tx, id: string, data: { format: ExportFormat; status: 'made' | 'failed'; events: number }) =>
    events.record(tx, systemPrincipal(random.requestId()), auditEvents['events.export_ended'], { subject: id, data })

  const fail = async (tx: Tx, row: store.EventExportRow | undefined, error: store.EventExportRow['error']) => {
    if (row !== undefined && (await store.failOpen(tx, row.id, error, clock.now())))
      await recordEnd(tx, row.id, { format: row.format, status: 'failed', events: 0 })
  }

  /** Reads the next chunk of an export. Returns its text and the position at which it ends. */
  const readOn = async ({ format, filters, until, placeAt, placeId }: store.EventExportRow, signal: AbortSignal) => {
    const { head, line } = formats[format]
    let text = placeAt === null ? head : ''
    let next = placeAt === null || placeId === null ? undefined : { occurredAt: placeAt, id: placeId }
    let began: Date | undefined
    let count = 0
    for (let pages = 0; pages < mostPages && text.length < chunkLength; pages += 1) {
      signal.throwIfAborted()
      const found = await audit.readSome({ ...filters, until }, next)
      for (const event of found.events) text += line(event)
      began ??= (found.events[0] ?? found.next)?.occurredAt
      count += found.events.length
      next = found.next
      if (next === undefined) break
    }
    return { bytes: Buffer.from(text), next, began, count }
  }

  async function* contentOf({ id, chunks }: store.EventExportRow): AsyncGenerator<Uint8Array> {
    for (let number = 0; number < chunks; number += 1) {
      const data = await store.findChunk(db, id, number)
      // The response has already begun. An error cuts the connection, so that the client does not take the part for the whole file.
      if (data === undefined) throw new Error('the export was deleted while it was downloaded')
      yield await decompress(data)
    }
  }

  return {
    request: async (principal, query, format) => {
      requireAuditor(principal)
      const { owner, userId } = ownerOf(principal)
      const now = clock.now()
      const row: store.EventExportRow = {
        ...{ id: random.id(), owner, userId, format, filters: query },
        until: query.until !== undefined && query.until < now ? query.until : now,
        ...{ status: 'pending', error: null, beganAt: null, placeAt: null, placeId: null },
        ...{ chunks: 0, events: 0, bytes: 0, createdAt: now, endedAt: null, expiresAt: clock.after(keepSeconds) },
      }
      await transact(async (tx) => {
        await store.lockOwner(tx, owner)
        if ((await store.countKept(tx, owner, now)) >= mostKept) throw auditErrors.error('TOO_MANY_EVENT_EXPORTS')
        await store.insertExport(tx, row)
        await enqueue(tx, row.id, owner)
        await recordExport(tx, events, principal, query, format)
      })
      return viewOf(row)
    },
    list: async (principal, query) => {
      requireAuditor(principal)
      const found = await store.listExports(db, ownerOf(principal).owner, clock.now(), cursorOf(query))
      const { rows, next } = cutPage(found, query.limit, ({ createdAt, id }) =>
        nextAfter(query, { value: createdAt.getTime(), id }),
      )
      return { exports: rows.map(viewOf), next }
    },
    get: async (principal, id) => viewOf(await find(principal, id)),
    open: async (principal, id) => {
      const row = await find(principal, id)
      if (row.status !== 'made') throw auditErrors.error('EVENT_EXPORT_NOT_MADE')
      const { mediaType } = formats[row.format]
      return { fileName: exportName(row.createdAt, row.format), mediaType, chunks: contentOf(row) }
    },
    remove: async (principal, id) => {
      const { owner } = await find(principal, id)
      if (!(await transact((tx) => store.deleteExport(tx, id, owner)))) throw auditErrors.error('EVENT_EXPORT_NOT_FOUND')
      return { id }
    },
    perform: async (id, signal) => {
      for (;;) {
        const row = await store.findExport(db, id, clock.now())
        if (row === undefined || row.status === 'made' || row.status === 'failed') return
        const { bytes, next, began, count } = await readOn(row, signal)
        const size = row.bytes + bytes.length
        if (size > maxBytes) return transact((tx) => fail(tx, row, 'too-large'))
        const data = await compress(bytes)
        const end = next === undefined ? { endedAt: clock.now(), expiresAt: clock.after(keepSeconds) } : {}
        const all = row.events + count
        const isNext = await transact(async (tx) => {
          const isAdded = await store.addChunk(tx, row, data, {
            ...{ status: next === undefined ? 'made' : 'running', ...end },
            ...{ events: all, bytes: size, beganAt: row.beganAt ?? began ?? null },
            ...{ placeAt: next?.occurredAt ?? null, placeId: next?.id ?? null },
          })
          if (isAdded && next === undefined) await recordEnd(tx, id, { format: row.format, status: 'made', events: all })
          return isAdded
        })
        if (!isNext) return
      }
    },
    giveUp: async (tx, id) => fail(tx, await store.findExport(tx, id, clock.now()), 'interrupted'),
  }
}
