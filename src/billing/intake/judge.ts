import { isUtf8 } from 'node:buffer'
import { isBroken } from '../../core/wire.ts'
import { type Parsed, parseEvent } from '../events/parse.ts'
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

export const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
/** Identifiers and names as columns hold them. */
const short = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= 255 && !isBroken(value) ? value : null

const customerOf = (type: string | null, data: Fields): string | null =>
  short(type?.startsWith('customer.') === true ? data['id'] : (data['customer_id'] ?? fieldsOf(data['customer'])['id']))

const failure = (expected: string, received: string): Parsed => ({
  ok: false,
  message: 'Failed to parse event',
  issues: [{ path: '', expected, received }],
})
const none = { eventType: null, customerId: null, eventAt: null }

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
  const parsed = parseEvent(value)
  const at = timestamp ?? fields['modified_at'] ?? fields['created_at']
  return {
    parsed,
    eventType,
    customerId: customerOf(eventType, fields),
    eventAt: parsed.ok && typeof at === 'string' ? sortableTime(at) : null,
  }
}
