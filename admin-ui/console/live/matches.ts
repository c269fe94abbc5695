import type { auditContract } from '../../../src/audit/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'

type Event = Awaited<ReturnType<WireApi<typeof auditContract>['getEvent']>>
/** What the stream says of an event. */
export type Told = Pick<Event, 'id' | 'type' | 'occurredAt' | 'subjectType' | 'subjectId' | 'organizationId'>

/** The type of the event that an export of events has ended. */
export const exportEnded = 'events.export_ended'

const people = ['users', 'sessions', 'invitations'] as const

/** Resources (`/admin/<resource>`) whose lists an event may change, by what stands before the point of its type. */
const resources: Readonly<Record<string, readonly string[]>> = {
  user: people,
  session: ['sessions'],
  second_factor: ['users'],
  totp: ['users'],
  recovery: ['users'],
  recovery_code: ['users'],
  recovery_codes: ['users'],
  organization: ['organizations'],
  member: ['organizations', 'users'],
  invitation: ['organizations', 'invitations'],
  team: ['organizations'],
  client: ['clients', 'grants', 'initial-access-tokens'],
  consent: ['grants'],
  grant: ['grants'],
  api_key: ['api-keys'],
  keys: ['signing-keys'],
  mail: ['mails', 'tasks'],
  task: ['tasks', 'mails'],
  customer: ['billing'],
  delivery: ['billing'],
  endpoint: ['billing'],
  billing: ['billing'],
  backup: ['backups'],
  provider: ['providers'],
}

/** A query of the console: the path of the endpoint and its input. */
interface QueryInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
}

/** True where an answer may be another one since these events: of one resource when they are about it, of a list when it may have such rows. */
export const isAffected = (queryKey: readonly unknown[], events: readonly Told[]): boolean => {
  const [path, { params = {}, query = {} } = {}] = queryKey as [unknown, QueryInput?]
  const [, resource] = typeof path === 'string' ? (/^\/admin\/([\w-]+)/.exec(path) ?? []) : []
  if (resource === undefined) return false
  if (path === '/admin/events/exports') return events.some(({ type }) => type === exportEnded)
  // Every event is a row there, as far as the list is not of one thing; an event itself never changes.
  if (resource === 'events')
    return (
      path === '/admin/events' &&
      events.some(
        ({ subjectId, organizationId }) =>
          (query['subject'] ?? subjectId) === subjectId && (query['organization'] ?? organizationId) === organizationId,
      )
    )
  const ids = Object.values(params)
  const isAbout = ({ type, subjectId, organizationId }: Told) =>
    ids.length > 0
      ? ids.includes(subjectId) || (organizationId !== null && ids.includes(organizationId))
      : resources[groupOf(type)]?.includes(resource) === true
  return events.some(isAbout)
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
  { key: 'first steps', everyMs: 10_000, groups: ['client', 'mail', 'user', 'instance'] },
  { key: '/admin/health', everyMs: 60_000, groups: ['mail', 'task', 'backup', 'keys', 'delivery'] },
]

const groupOf = (type: string) => type.slice(0, type.indexOf('.'))

/** Those of the events after which the summary may be another one. */
export const summedUp = ({ groups }: Summary, events: readonly Told[]): readonly Told[] =>
  groups === undefined ? events : events.filter(({ type }) => groups.includes(groupOf(type)))
