import { coreErrors } from './errors.ts'
import { lineInput } from './wire.ts'

/** Why the actor makes a change, in the actor's own words: 1 to 500 characters on one line. Events store this text. */
export const reasonInput = lineInput(500)

/** The request header that contains the reason of a change. */
export const reasonHeader = 'Gatehouse-Reason'

/**
 * Decodes the header. A header consists of bytes, so text beyond ASCII is either percent-encoded UTF-8, as `encodeURIComponent` makes it,
 * or plain UTF-8. Undefined if it is neither.
 */
const decode = (value: string): string | undefined => {
  try {
    return decodeURIComponent(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1')))
  } catch {
    return undefined
  }
}

/** The reason in the header of a request. Undefined if the request has none. Throws VALIDATION_ERROR for an invalid reason. */
export const parseReason = (header: string | readonly string[] | undefined): string | undefined => {
  const value = (typeof header === 'string' ? header : (header?.join(', ') ?? '')).trim()
  if (value === '') return undefined
  const refuse = (message: string) =>
    coreErrors.error('VALIDATION_ERROR', { message: `${reasonHeader}: ${message}`, issues: [{ path: reasonHeader, message }] })
  const text = decode(value)
  if (text === undefined) throw refuse('must be UTF-8, with % written as %25 and the rest as it is or percent-encoded')
  const parsed = reasonInput.safeParse(text.trim())
  if (!parsed.success) throw refuse(parsed.error.issues.map(({ message }) => message).join('; '))
  return parsed.data
}
