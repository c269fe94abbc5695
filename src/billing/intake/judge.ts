import { isUtf8 } from 'node:buffer'
import { type EventIssue, type Parsed, parseEvent } from '../events/parse.ts'
import { sortableTime } from '../events/time.ts'

/** What a verified body is, and as much as can be told of one that is no event. */
export interface Judged {
  readonly parsed: Parsed
  readonly eventType: string | null
  readonly customerId: string | null
  /** When it happened, as text that sorts; null when the event does not say. */
  readonly eventAt: string | null
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
/** Identifiers and names as columns hold them. */
const short = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= 255 && !value.includes('\0') ? value : null

const customerOf = (type: string | null, data: Fields): string | null =>
  short(type?.startsWith('customer.') === true ? data['id'] : (data['customer_id'] ?? fieldsOf(data['customer'])['id']))

const failure = (expected: string, received: string, path = ''): Parsed => {
  const issues: readonly EventIssue[] = [{ path, expected, received }]
  return { ok: false, message: 'Failed to parse event', issues }
}
const none = { eventType: null, customerId: null, eventAt: null }

/** Path of a text with U+0000 in it, which no text column holds. */
const brokenAt = (value: unknown, path: string): string | undefined => {
  if (typeof value === 'string') return value.includes('\0') ? path : undefined
  for (const [key, child] of Object.entries(fieldsOf(value))) {
    const here = path === '' ? key : `${path}.${key}`
    const found = key.includes('\0') ? here : brokenAt(child, here)
    if (found !== undefined) return found
  }
  return undefined
}

/** Steps 6 to 8 of the billing events, section 3, over the bytes as received. */
export const judge = (body: Buffer): Judged => {
  if (!isUtf8(body)) return { parsed: failure('UTF-8', 'other bytes'), ...none }
  const text = body.toString()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { parsed: failure('JSON', text === '' ? 'nothing' : 'other text'), ...none }
  }
  const { type, data, timestamp } = fieldsOf(value)
  const fields = fieldsOf(data)
  const eventType = short(type)
  const broken = text.includes('\\u0000') ? brokenAt(value, '') : undefined
  const parsed = broken === undefined ? parseEvent(value) : failure('text without U+0000', 'text with U+0000', broken)
  const at = timestamp ?? fields['modified_at'] ?? fields['created_at']
  return {
    parsed,
    eventType,
    customerId: customerOf(eventType, fields),
    eventAt: parsed.ok && typeof at === 'string' ? sortableTime(at) : null,
  }
}
