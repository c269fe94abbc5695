import type { auditContract } from '../../../src/audit/contract.ts'
import type { CallParts, Target } from '../../../src/http/client.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { changes, happenings, type Kind, reads } from './dependencies.ts'

type Event = Awaited<ReturnType<WireApi<typeof auditContract>['getEvent']>>
/** What the stream says of an event. */
export type Told = Pick<Event, 'id' | 'type' | 'occurredAt' | 'subjectType' | 'subjectId' | 'organizationId' | 'requestId'>

/** The type of the event that an export of events has ended. */
export const exportEnded = 'events.export_ended'

/** What a change or an event is about. */
export interface Touched {
  readonly kinds: readonly Kind[]
  /** Ids of the things, and of those that they belong to. */
  readonly ids: ReadonlySet<string>
}

/** A query of the console: the path of the endpoint with its input, and its answer as far as there is one. */
export interface Answered {
  readonly queryKey: readonly unknown[]
  readonly data?: unknown
}

const groupOf = (type: string) => type.slice(0, type.indexOf('.'))

/** An unknown event, or change, may be about everything. */
const unknown: readonly Kind[] = ['*']

export const touchedByEvent = ({ type, subjectId, organizationId }: Told): Touched => ({
  kinds: happenings[type] ?? happenings[groupOf(type)] ?? unknown,
  ids: new Set(organizationId === null ? [subjectId] : [subjectId, organizationId]),
})

/** Calls back with each object inside of a JSON value. */
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

/** The things that a call has changed: those that its address and body name, and those that it answers. */
export const touchedByCall = ({ method, path }: Target, { params = {}, body }: CallParts, answer: unknown): Touched => ({
  kinds: withMail(changes[`${method} ${path}`] ?? unknown),
  ids: new Set([...Object.values(params).map(String), ...idsOf(body), ...idsOf(answer)]),
})

interface QueryInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
}

/** Things of which a change or event may touch some whose ids it does not name. */
const unnamed: ReadonlySet<Kind> = new Set(['customer', 'delivery', 'setting', 'event'])
/** Things that answers of every kind name. */
const named: ReadonlySet<Kind> = new Set(['user', 'organization', 'client', 'api', 'apiKey', 'team', 'customer'])

/** True where the answer has one of the things, or of what belongs to them. */
const mentions = (data: unknown, ids: Touched['ids']) =>
  data === undefined ||
  eachObject(data, (object) =>
    Object.entries(object).some(([name, value]) => typeof value === 'string' && isIdField(name) && ids.has(value)),
  )
/** True where the answer has the name of one of the things. */
const names = (data: unknown, ids: Touched['ids']) => eachObject(data, ({ id }) => typeof id === 'string' && ids.has(id))

/**
 * True where an answer may be another one after a change or an event. A list is asked for anew when a row of its kind was touched: it may have come,
 * gone or moved. What belongs to one thing is asked for when that is meant, or has what was touched; every answer when it has the name.
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

/** An answer that sums up more than any one event says: asked for anew some time after events of these groups, or of any. */
interface Summary {
  readonly key: string
  readonly everyMs: number
  readonly groups?: readonly string[]
}

/** Of the first screen. Some checks ask servers elsewhere: those are asked for only after what they may find. */
export const summaries: readonly Summary[] = [
  { key: '/admin/statistics', everyMs: 10_000 },
  { key: '/admin/setup-steps', everyMs: 10_000, groups: ['client', 'mail', 'user', 'instance'] },
  { key: '/admin/health', everyMs: 60_000, groups: ['mail', 'task', 'backup', 'keys', 'delivery'] },
]

/** Those of the events after which the summary may be another one. */
export const summedUp = ({ groups }: Summary, events: readonly Told[]): readonly Told[] =>
  groups === undefined ? events : events.filter(({ type }) => groups.includes(groupOf(type)))
