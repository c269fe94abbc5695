import type { auditContract } from '../../../src/audit/contract.ts'
import type { CallParts, Target } from '../../../src/http/client.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { changes, happenings, type Kind, reads } from './dependencies.ts'

type Event = Awaited<ReturnType<WireApi<typeof auditContract>['getEvent']>>
/** An audit event as the event stream sends it. */
export type Told = Pick<Event, 'id' | 'type' | 'occurredAt' | 'subjectType' | 'subjectId' | 'organizationId' | 'requestId'>

/** The type of the event that an export of audit events has ended. */
export const exportEnded = 'events.export_ended'

/** The things that a change or an audit event is about. */
export interface Touched {
  readonly kinds: readonly Kind[]
  /** Ids of the changed things, and of the organizations or users that they belong to. */
  readonly ids: ReadonlySet<string>
}

/** A query of the console: its endpoint and input (`queryKey`), and the response if it has arrived. */
export interface Answered {
  readonly queryKey: readonly unknown[]
  readonly data?: unknown
}

const groupOf = (type: string) => type.slice(0, type.indexOf('.'))

/** Used for event types and changes that are not listed: they may affect everything. */
const unknown: readonly Kind[] = ['*']

export const touchedByEvent = ({ type, subjectId, organizationId }: Told): Touched => ({
  kinds: happenings[type] ?? happenings[groupOf(type)] ?? unknown,
  ids: new Set(organizationId === null ? [subjectId] : [subjectId, organizationId]),
})

/** Calls `see` with each object in a JSON value, until it returns true. Returns whether it did. */
const eachObject = (value: unknown, see: (object: Readonly<Record<string, unknown>>) => boolean): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((one) => eachObject(one, see))
  const object = value as Readonly<Record<string, unknown>>
  return see(object) || Object.values(object).some((one) => eachObject(one, see))
}

const isIdField = (name: string) => /^ids?$|Ids?$/.test(name)
const idsOf = (value: unknown): readonly string[] => {
  const found: string[] = []
  eachObject(value, (object) => {
    for (const [name, field] of Object.entries(object))
      if (isIdField(name)) found.push(...[field].flat().filter((id) => typeof id === 'string'))
    return false
  })
  return found
}

const withMail = (kinds: readonly Kind[]): readonly Kind[] => (kinds.length === 0 ? kinds : [...kinds, 'mail'])

/** The things that a call has changed. Their ids are in the call's address, in its body and in the response. */
export const touchedByCall = ({ method, path }: Target, { params = {}, body }: CallParts, answer: unknown): Touched => ({
  kinds: withMail(changes[`${method} ${path}`] ?? unknown),
  ids: new Set([...Object.values(params).map(String), ...idsOf(body), ...idsOf(answer)]),
})

interface QueryInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
}

/** Kinds of things that can be affected by an event or change which does not contain their ids. */
const unnamed: ReadonlySet<Kind> = new Set(['customer', 'delivery', 'setting', 'event'])
/** Kinds of things whose names appear in responses about other kinds. */
const named: ReadonlySet<Kind> = new Set(['user', 'organization', 'client', 'api', 'apiKey', 'team', 'customer'])

/** True if the response contains one of the things, or something that belongs to one of them. */
const mentions = (data: unknown, ids: Touched['ids']) =>
  data === undefined ||
  eachObject(data, (object) =>
    Object.entries(object).some(([name, value]) => typeof value === 'string' && isIdField(name) && ids.has(value)),
  )
/** True if the response contains the name of one of the things. */
const names = (data: unknown, ids: Touched['ids']) => eachObject(data, ({ id }) => typeof id === 'string' && ids.has(id))

/**
 * True if a change or event may have changed a response. A list is requested again after a change of any row of its kind, because the row
 * may have been added, removed or moved. A response about one thing is requested again if that thing, or something else in the response,
 * has changed. Any response that contains a changed name is requested again.
 */
export const isAffected = ({ queryKey, data }: Answered, { kinds, ids }: Touched): boolean => {
  const [path, { params = {}, query = {} } = {}] = queryKey as [unknown, QueryInput?]
  if (typeof path !== 'string' || kinds.length === 0) return false
  const own = reads[path]
  if (own === undefined) return true
  if (path === '/admin/events') {
    const { subject, organization } = query
    return [subject, organization].every((id) => typeof id !== 'string' || ids.has(id))
  }
  if (own.length === 0) return false
  if (kinds.includes('*') || own.includes('*')) return true
  const common = kinds.filter((kind) => own.includes(kind))
  const scope = Object.values(params).map(String)
  if (common.length > 0)
    if (scope.length === 0 || scope.some((id) => ids.has(id)) || common.some((kind) => unnamed.has(kind)) || mentions(data, ids))
      return true
  return kinds.some((kind) => named.has(kind)) && names(data, ids)
}

/**
 * A response that summarizes many events, such as statistics. It is requested again some time after an event of these groups. Without
 * `groups`, any event counts.
 */
interface Summary {
  readonly key: string
  readonly everyMs: number
  readonly groups?: readonly string[]
}

/**
 * The summaries on the overview. Some health checks call other servers, so the checks are repeated only after events that may change
 * their result.
 */
export const summaries: readonly Summary[] = [
  { key: '/admin/statistics', everyMs: 10_000 },
  { key: '/admin/setup-steps', everyMs: 10_000, groups: ['client', 'mail', 'user', 'instance'] },
  { key: '/admin/health', everyMs: 60_000, groups: ['mail', 'task', 'backup', 'keys', 'delivery'] },
]

/** Returns those of the events after which the summary may have changed. */
export const summedUp = ({ groups }: Summary, events: readonly Told[]): readonly Told[] =>
  groups === undefined ? events : events.filter(({ type }) => groups.includes(groupOf(type)))
