import { can } from '../access/can.ts'
import { mentionsIn, type Names } from '../access/names.ts'
import type { OrganizationPrincipal, Principal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Total } from '../core/db/count.ts'
import { coreErrors } from '../core/errors.ts'
import type { Chain } from '../core/events/chain.ts'
import { listReaders, type ReaderState } from '../core/events/readers.ts'
import { type EventFilter, type EventPage, type EventPlace, searchEvents, totalOfEvents } from '../core/events/search.ts'
import * as store from '../core/events/store.ts'
import type { EventType } from '../core/events/types.ts'
import { type Progress, verifyChain } from '../core/events/verify.ts'
import { type Cursor, nextAfter, timeAfter } from '../core/page.ts'
import { parseStored, record } from '../core/stored-json.ts'
import type { Memberships } from '../organizations/index.ts'
import type { actorKinds } from './contract.ts'
import { auditErrors } from './contract.ts'
import { type CopiesVerification, verifyCopies } from './verification.ts'

/** Filters of a list of audit events, as in the contract. An event has to match all filters. */
export interface EventQuery {
  readonly type?: string | undefined
  readonly subject?: string | undefined
  readonly actor?: string | undefined
  readonly actorKind?: (typeof actorKinds)[number] | undefined
  readonly impersonator?: string | undefined
  readonly session?: string | undefined
  readonly organization?: string | undefined
  readonly address?: string | undefined
  readonly request?: string | undefined
  readonly reason?: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

/** An audit event that is shown to people. `position` is null until the event is sealed. */
export interface ShownEvent extends Omit<store.EventRow, 'data'> {
  readonly data: Record<string, unknown>
}

const nameEvents = (names: Names, principal: Principal, events: readonly ShownEvent[]) =>
  names.add(principal, events, ({ actorKind, actorId, subjectType, subjectId, impersonatorId, organizationId, data }) => ({
    actor: { kind: actorKind, id: actorId },
    subject: { kind: subjectType, id: subjectId },
    impersonator: impersonatorId === null ? null : { kind: 'user', id: impersonatorId },
    organization: organizationId === null ? null : { kind: 'organization', id: organizationId },
    mentions: mentionsIn(data),
  }))
export type NamedEvent = Awaited<ReturnType<typeof nameEvents>>[number]

/** A page of audit events. Another page can follow even if this page is not full. */
interface Page<Item> {
  readonly events: Item[]
  readonly next: string | null
}

/** Audit events in the order of time, and the place at which the next page begins. */
export interface SomeEvents {
  readonly events: readonly ShownEvent[]
  readonly next: EventPlace | undefined
}

/** An audit event as members of its organization see it. */
export interface OrganizationEvent
  extends Pick<ShownEvent, 'id' | 'type' | 'occurredAt' | 'actorKind' | 'actorId' | 'subjectType' | 'subjectId' | 'data'> {
  readonly isImpersonated: boolean
  readonly address: string | null
  readonly userAgent: string | null
  readonly reason: string | null
}

export interface Audit {
  /** Returns events, newest first. Throws EVENT_NOT_FOUND if `before` is not the id of an event. */
  list(query: EventQuery & { readonly before?: string | undefined }, limit: number): Promise<readonly ShownEvent[]>
  /** Returns a page of the events of the whole instance. Throws FORBIDDEN. */
  page(
    principal: Principal,
    query: EventQuery,
    cursor: Cursor<'occurredAt'>,
  ): Promise<Page<NamedEvent> & { readonly total: Total | null }>
  /** Returns one event. Throws EVENT_NOT_FOUND. */
  find(principal: Principal, id: string): Promise<NamedEvent>
  /** Adds the names of resources to events. A name is left out if the principal may not read the resource. */
  named(principal: Principal, events: readonly ShownEvent[]): Promise<NamedEvent[]>
  /** Returns a page of the events of an organization. Throws YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION and FORBIDDEN. */
  pageOfOrganization(
    principal: OrganizationPrincipal,
    query: EventQuery & { readonly organizationId?: string | undefined },
    cursor: Cursor<'occurredAt'>,
  ): Promise<Page<OrganizationEvent>>
  /** Yields all matching events up to now, oldest first. They are read only as fast as the consumer takes them. */
  read(query: EventQuery): AsyncGenerator<ShownEvent>
  /** Returns some events after a place. If `next` is undefined, no events follow. A page can be empty although further events follow. */
  readSome(query: EventQuery, after: EventPlace | undefined): Promise<SomeEvents>
  /**
   * Verifies the whole chain, and compares it with the configured copy in a file and with the files in `copies`. Problems are reported in
   * the result. Throws the system's error if one of these files cannot be read.
   */
  verify(onProgress?: (progress: Progress) => void, copies?: readonly string[]): Promise<CopiesVerification>
  /** Like `verify`, but yields the progress. Throws FORBIDDEN if the principal may not read the events of the instance. */
  verifySteps(principal: Principal): AsyncGenerator<Progress, CopiesVerification>
  /** The state of all event readers: copies, notices and other features that follow the chain. */
  readers(): Promise<readonly ReaderState[]>
}

interface Deps extends Pick<Core, 'db' | 'clock'> {
  readonly names: Names
  readonly chain: Chain
  /** All types of audit events, by name. */
  readonly eventTypes: ReadonlyMap<string, EventType>
  readonly memberships: Memberships | undefined
  /** The path of the file with the copy of all events. Undefined if none is configured. */
  readonly file: string | undefined
  /** The names of the event readers of this instance. */
  readonly readerNames: readonly string[]
}

const shown = (row: store.EventRow): ShownEvent => ({ ...row, data: parseStored(record, row.data) })

/** How many events an export reads at once. */
const batch = 500

/** Throws FORBIDDEN if the principal may not read audit events. The endpoint checks this, too. */
export const requireAuditor = (principal: Principal): void => {
  if (!can(principal, 'events:read')) throw coreErrors.error('FORBIDDEN')
}

export const createAudit = ({ db, clock, names, chain, eventTypes, memberships, file, readerNames }: Deps): Audit => {
  const filterOf = (query: EventQuery): EventFilter => {
    const { type, subject, actor, impersonator, session, organization, request, ...same } = query
    const types = type?.endsWith('.*') ? [...eventTypes.keys()].filter((name) => name.startsWith(type.slice(0, -1))) : type
    return {
      ...{ actorKind: same.actorKind, address: same.address, reason: same.reason, since: same.since, until: same.until },
      ...{ subjectId: subject, actorId: actor, impersonatorId: impersonator, sessionId: session },
      ...{ organizationId: organization, requestId: request, types: typeof types === 'string' ? [types] : types },
    }
  }
  /** Reads further pages until there are `limit` events, or no events are left. */
  const fill = async (filter: EventFilter, { order, limit, after }: EventPage): Promise<store.EventRow[]> => {
    const rows: store.EventRow[] = []
    let next = after
    do {
      const found = await searchEvents(db, filter, { order, limit: limit - rows.length, after: next })
      rows.push(...found.events)
      next = found.next
    } while (next !== undefined && rows.length < limit)
    return rows
  }
  const page = async (query: EventQuery, cursor: Cursor<'occurredAt'>) => {
    const { order, limit, after } = cursor
    const [occurredAt, id] = timeAfter(after) ?? []
    const place = occurredAt === undefined || id === undefined ? undefined : { id, occurredAt }
    // Other lists request one row more to find out whether another page follows. This search itself reports whether one follows, so one
    // row less is requested.
    const { events, next } = await searchEvents(db, filterOf(query), { order, limit: limit - 1, after: place })
    return {
      events: events.map(shown),
      next: next === undefined ? null : nextAfter(cursor, { value: next.occurredAt.getTime(), id: next.id }),
    }
  }
  const named: Audit['named'] = (principal, events) => nameEvents(names, principal, events)
  const readSome: Audit['readSome'] = async (query, after) => {
    const found = await searchEvents(db, filterOf(query), { order: 'asc', limit: batch, after })
    return { events: found.events.map(shown), next: found.next }
  }
  return {
    list: async ({ before: id, ...query }, limit) => {
      const before = id === undefined ? undefined : await store.findEvent(db, id)
      if (id !== undefined && before === undefined) throw auditErrors.error('EVENT_NOT_FOUND')
      return (await fill(filterOf(query), { order: 'desc', limit, after: before })).map(shown)
    },
    page: async (principal, query, cursor) => {
      requireAuditor(principal)
      const { events, next } = await page(query, cursor)
      const total = cursor.isCounted === true ? await totalOfEvents(db, filterOf(query)) : null
      return { events: await named(principal, events), next, total }
    },
    find: async (principal, id) => {
      requireAuditor(principal)
      const row = await store.findEvent(db, id)
      if (row === undefined) throw auditErrors.error('EVENT_NOT_FOUND')
      const [event] = await named(principal, [shown(row)])
      if (event === undefined) throw auditErrors.error('EVENT_NOT_FOUND')
      return event
    },
    named,
    pageOfOrganization: async (principal, { organizationId, ...query }, cursor) => {
      if (memberships === undefined) throw coreErrors.error('FORBIDDEN')
      const organization = await memberships.requireAllowed(db, principal, { organizationId }, 'audit:read')
      const { events, next } = await page({ ...query, organization }, cursor)
      const actors = events.flatMap(({ actorId }) => (actorId === null ? [] : [actorId]))
      const members = await memberships.membersAmong(db, organization, actors)
      return {
        next,
        events: events.map(({ impersonatorId, address, userAgent, reason, ...event }) => {
          // If an administrator impersonated the actor, the event's network address is the administrator's. The actor then does not count
          // as a member, so that the address is not shown.
          const isMember = event.actorId !== null && members.has(event.actorId) && impersonatorId === null
          return {
            ...event,
            isImpersonated: impersonatorId !== null,
            address: isMember ? address : null,
            userAgent: isMember ? userAgent : null,
            reason: isMember ? reason : null,
          }
        }),
      }
    },
    read: async function* (query) {
      const now = clock.now()
      const past = { ...query, until: query.until !== undefined && query.until < now ? query.until : now }
      let after: EventPlace | undefined
      do {
        const found = await readSome(past, after)
        yield* found.events
        after = found.next
      } while (after !== undefined)
    },
    readSome,
    verify: async (onProgress, copies = []) => {
      const steps = verifyCopies(db, verifyChain(db, chain), file, copies)
      for (;;) {
        const step = await steps.next()
        if (step.done === true) return step.value
        onProgress?.(step.value)
      }
    },
    readers: () => listReaders(db, readerNames),
    verifySteps: (principal) => {
      requireAuditor(principal)
      return verifyCopies(db, verifyChain(db, chain), file, [])
    },
  }
}
