import { z } from 'zod'
import { time } from './shared.ts'
import { unstorable } from './storable.ts'
import { type BillingEvent, type Entity, type EventType, entitySchemas, eventTable, isEventType, isLater } from './table.ts'

export type { BillingEvent, EventType } from './table.ts'

/** Where a body differs from the event's shape, and how. */
export interface EventIssue {
  /** `data.prices.0.amount_type` */
  readonly path: string
  readonly expected: string
  readonly received: string
}

export type Parsed =
  | { readonly ok: true; readonly event: BillingEvent }
  | { readonly ok: false; readonly message: string; readonly issues: readonly EventIssue[] }

/** More would tell the operator nothing, and a large body could have very many. */
const mostIssues = 50

const envelopeOf = (entity: Entity) => z.object({ data: entitySchemas[entity], timestamp: time.nullish() })

const envelopes = Object.fromEntries(
  (Object.keys(entitySchemas) as Entity[]).map((entity) => [entity, envelopeOf(entity)]),
) as Record<Entity, ReturnType<typeof envelopeOf>>

const shorten = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text)

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' && !Number.isInteger(value)) return 'float'
  return typeof value
}

const quote = (value: unknown): string => (typeof value === 'string' ? shorten(JSON.stringify(value), 60) : typeOf(value))

const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Record<PropertyKey, unknown>)[key] : undefined),
    body,
  )

const options = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(' | ')

/** Flat issues: of a union that nothing fitted, those of the branch that came closest, or all its types when they are plain values. */
const flatten = (issue: z.core.$ZodIssue, body: unknown, above: readonly PropertyKey[] = []): readonly EventIssue[] => {
  const path = [...above, ...issue.path]
  const value = valueAt(body, path)
  const one = (expected: string, received = typeOf(value)) => [{ path: path.map(String).join('.'), expected, received }]
  switch (issue.code) {
    case 'invalid_type':
      return one(issue.expected === 'record' ? 'object' : issue.expected)
    case 'invalid_value':
      return one(options(issue.values), quote(value))
    case 'invalid_format':
      return one(issue.message, quote(value))
    case 'too_big':
    case 'too_small':
      return one('minimum' in issue && issue.minimum === 0 ? 'int of at least 0' : 'int of at most 53 bits')
    case 'invalid_union': {
      // Without branches: no branch has this discriminator.
      if (issue.errors.length === 0)
        return one(options('options' in issue ? (issue.options as readonly unknown[]) : []), quote(value))
      const branches = issue.errors.map((errors) => errors.flatMap((error) => flatten(error, body, path)))
      if (typeof value !== 'object' || value === null) {
        return one([...new Set(branches.flat().map(({ expected }) => expected))].join(' | '))
      }
      return branches.reduce((best, branch) => (branch.length < best.length ? branch : best))
    }
    default:
      return one(issue.message)
  }
}

const failed = (issues: readonly EventIssue[]): Parsed => ({
  ok: false,
  message: 'Failed to parse event',
  issues: issues.slice(0, mostIssues),
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fits = (body: unknown, type: EventType): Entity | readonly EventIssue[] => {
  const entity: Entity = eventTable[type]
  const checked = envelopes[entity].safeParse(body)
  if (checked.success) return entity
  if (entity !== 'other' && isLater(type) && envelopes.other.safeParse(body).success) return 'other'
  return checked.error.issues.flatMap((issue) => flatten(issue, body))
}

/**
 * Reads a body as one of the platform's events (billing-events.md, sections 3 and 8.4). Nothing is converted: `data` is the object
 * that came, unknown keys included, times still text.
 */
export const parseEvent = (body: unknown): Parsed => {
  if (!isObject(body)) return failed([{ path: '', expected: 'object', received: typeOf(body) }])
  const issue = unstorable(body)
  if (issue !== undefined) return failed([issue])
  const { type, data, timestamp = null } = body
  if (typeof type !== 'string') return failed([{ path: 'type', expected: 'string', received: typeOf(type) }])
  if (!isEventType(type)) return { ok: false, message: `Unknown event type ${shorten(type, 200)}`, issues: [] }
  const entity = fits(body, type)
  return typeof entity === 'string' ? { ok: true, event: { type, entity, data, timestamp } as BillingEvent } : failed(entity)
}
