import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { isBroken } from '../../core/wire.ts'
import { sortableTime, Timestamps, text, time } from './shared.ts'
import { type BillingEvent, type Entity, type EventType, entitySchemas, eventTable, isEventType, isLater } from './table.ts'

export type { BillingEvent, EventType } from './table.ts'

/** A problem that was found in the body of a delivery, with its place. */
export interface EventIssue {
  /** Where the problem is, such as `data.prices.0.amount_type`. */
  readonly path: string
  readonly expected: string
  readonly received: string
}

export type ParseResult =
  | { readonly ok: true; readonly event: BillingEvent }
  | { readonly ok: false; readonly message: string; readonly issues: readonly EventIssue[] }

/** Largest number of listed problems. A large body could have very many of them, and operators read only the first ones. */
const maxIssues = 50

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

/**
 * A problem at a path. `isUnknown`: the body has a word that is missing in the schema's list of allowed words. A later version of the
 * platform may have added the word.
 */
interface Fault extends EventIssue {
  readonly isUnknown: boolean
}

/**
 * Turns nested issues of zod into a flat list. For a union of objects, keeps the issues of the branch that has the fewest. For a union of
 * plain values, makes one issue that lists the expected types.
 */
const flatten = (issue: z.core.$ZodIssue, body: unknown, above: readonly PropertyKey[] = []): readonly Fault[] => {
  const path = [...above, ...issue.path]
  const value = valueAt(body, path)
  const one = (expected: string, received = typeOf(value), isUnknown = false) => [
    { path: path.map(String).join('.'), expected, received, isUnknown },
  ]
  switch (issue.code) {
    case 'invalid_type':
      return one(issue.expected === 'record' ? 'object' : issue.expected)
    case 'invalid_value':
      return one(options(issue.values), quote(value), typeof value === 'string')
    case 'invalid_format':
      return one(issue.message, quote(value))
    case 'too_big':
    case 'too_small':
      return one('minimum' in issue && issue.minimum === 0 ? 'int of at least 0' : 'int of at most 53 bits')
    case 'invalid_union': {
      // Zod lists no branches for a union whose discriminator has an unknown value.
      if (issue.errors.length === 0)
        return one(
          options('options' in issue ? (issue.options as readonly unknown[]) : []),
          quote(value),
          typeof value === 'string',
        )
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

const failed = (issues: readonly EventIssue[]): ParseResult => ({
  ok: false,
  message: 'Failed to parse event',
  issues: issues.slice(0, maxIssues).map(({ path, expected, received }) => ({ path: shorten(path, 500), expected, received })),
})

/** Largest depth of a body. No event is nearly as deep, and recursive functions can handle it. */
const maxDepth = 200

const brokenText = { path: '', expected: 'text without U+0000 and lone surrogates', received: 'text with them' }

/** Finds two problems that schemas do not find: text that databases cannot store, and nesting so deep that it would exhaust the stack. */
const unstorable = (value: unknown, depth = 0): EventIssue | undefined => {
  if (typeof value === 'string') return isBroken(value) ? brokenText : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === maxDepth) return { path: '', expected: `at most ${maxDepth} levels`, received: 'more' }
  for (const [key, child] of Object.entries(value)) {
    const issue = isBroken(key) ? brokenText : unstorable(child, depth + 1)
    if (issue !== undefined) return { ...issue, path: issue.path === '' ? key : `${key}.${issue.path}` }
  }
  return undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Events that end an entitlement. If such an event contains an unknown word, it is still applied, so that the entitlement ends. */
const revocations: ReadonlySet<EventType> = new Set([
  'subscription.revoked',
  'benefit_grant.revoked',
  'order.refunded',
  'customer.deleted',
])

/**
 * Entities whose status decides about entitlements, so an unknown status in an event about them is a problem. The entries of a customer
 * state may have an unknown status: such an entry shows only that the entity exists.
 */
const decisive: ReadonlySet<Entity> = new Set(['subscription', 'order', 'refund'])

/** The fields that all kinds of prices and benefits have. Used for kinds that have no schema in this version. */
const Identified = z.object({ ...Timestamps, id: text })

const isRead = (keys: readonly string[]) => /^(data|prices|benefits?)$/.test(keys.findLast((key) => !/^\d+$/.test(key)) ?? '')

/** True if every problem of a body is an unknown word on which no entitlement depends. */
const isOfLaterVersion = (body: unknown, type: EventType, entity: Entity, faults: readonly Fault[]): boolean =>
  faults.every(({ path, isUnknown }) => {
    if (!isUnknown || (path === 'data.status' && decisive.has(entity) && !revocations.has(type))) return false
    const keys = path.split('.')
    const key = keys.pop() ?? ''
    return (key !== 'type' && key !== 'amount_type') || !isRead(keys) || Identified.safeParse(valueAt(body, keys)).success
  })

/** Returns which entity `data` is according to the schemas, or the problems if no schema matches. */
const fits = (body: unknown, type: EventType): Entity | readonly EventIssue[] => {
  const entity: Entity = eventTable[type]
  const checked = envelopes[entity].safeParse(body)
  if (checked.success) return entity
  const faults = checked.error.issues.flatMap((issue) => flatten(issue, body))
  if (isOfLaterVersion(body, type, entity, faults)) return entity
  if (entity !== 'other' && isLater(type) && envelopes.other.safeParse(body).success) return 'other'
  return faults
}

/**
 * Parses a JSON value as an event of the platform (billing-events.md, sections 3 and 8.4). Nothing is converted: `data` is the received
 * object, with unknown keys and with times as text.
 */
export const parseEvent = (body: unknown): ParseResult => {
  if (!isObject(body)) return failed([{ path: '', expected: 'object', received: typeOf(body) }])
  const issue = unstorable(body)
  if (issue !== undefined) return failed([issue])
  const { type, data, timestamp = null } = body
  if (typeof type !== 'string') return failed([{ path: 'type', expected: 'string', received: typeOf(type) }])
  if (!isEventType(type)) return { ok: false, message: `Unknown event type ${shorten(type, 200)}`, issues: [] }
  const entity = fits(body, type)
  return typeof entity === 'string' ? { ok: true, event: { type, entity, data, timestamp } as BillingEvent } : failed(entity)
}

/** The parsed body of a delivery with a valid signature. If the body is not an event, only the fields that could be read are set. */
export interface ParsedBody {
  readonly result: ParseResult
  readonly eventType: string | null
  readonly customerId: string | null
  /** Time of the event as sortable text, or null. */
  readonly eventAt: string | null
}

type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
/** Returns an identifier or name that fits into a column of 255 characters. Null for any other value. */
const short = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= 255 && !isBroken(value) ? value : null

const customerOf = (type: string | null, data: Fields): string | null =>
  short(type?.startsWith('customer.') === true ? data['id'] : (data['customer_id'] ?? fieldsOf(data['customer'])['id']))

const notJson = (expected: string, received: string): ParsedBody => ({
  result: failed([{ path: '', expected, received }]),
  ...{ eventType: null, customerId: null, eventAt: null },
})

/** Parses a received body (billing-events.md, section 3, steps 6 to 8). */
export const parseBody = (body: Buffer): ParsedBody => {
  if (!isUtf8(body)) return notJson('UTF-8', 'other bytes')
  const text = body.toString()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return notJson('JSON', text === '' ? 'nothing' : 'other text')
  }
  const { type, data, timestamp } = fieldsOf(value)
  const fields = fieldsOf(data)
  const eventType = short(type)
  const result = parseEvent(value)
  const at = timestamp ?? fields['modified_at'] ?? fields['created_at']
  return {
    result,
    eventType,
    customerId: customerOf(eventType, fields),
    eventAt: result.ok && typeof at === 'string' ? sortableTime(at) : null,
  }
}
