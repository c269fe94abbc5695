import { Webhook } from 'standardwebhooks'
import type { AppError } from '../../core/errors.ts'
import { billingErrors } from '../errors.ts'
import type { ParseResult } from '../events/parse.ts'

/** The endpoint whose secret is `GATEHOUSE_WEBHOOK_SECRET`. */
export const configuredEndpoint = 'polar'

/**
 * `quarantined`: gatehouse did not understand the delivery. `removed`: its personal data was deleted; its webhook id stays, so that a
 * repetition is recognised.
 */
export const deliveryStatuses = ['accepted', 'quarantined', 'removed'] as const

/** The error FAILED_TO_PARSE_EVENT or UNKNOWN_EVENT_TYPE, with the problem of the body. */
export const parseError = ({ message, issues }: Extract<ParseResult, { ok: false }>): AppError =>
  billingErrors.error(message.startsWith('Unknown event type') ? 'UNKNOWN_EVENT_TYPE' : 'FAILED_TO_PARSE_EVENT', {
    message,
    ...(issues.length === 0
      ? {}
      : { issues: issues.map((issue) => ({ ...issue, message: `expected ${issue.expected}, received ${issue.received}` })) }),
  })

/** Largest number of valid secrets of an endpoint. Each secret costs one or two hashes for every forged delivery. */
export const maxSecrets = 10

/** Least length of a secret (security baseline, section 11). */
const minSecretBytes = 24

const standardPrefix = 'whsec_'

/** The key of a secret in the form of Standard Webhooks: base64 after an optional `whsec_`. Undefined for other text. */
const decodedKey = (secret: string): Uint8Array | undefined => {
  const text = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret
  try {
    // The package checks base64 up to the last padding character. Node's decoder accepts any text.
    new Webhook(text)
    return Buffer.from(text, 'base64')
  } catch {
    return undefined
  }
}

/** The error of a secret that is too weak for deliveries, or undefined. */
export const secretProblem = (secret: string): ReturnType<typeof billingErrors.error> | undefined => {
  const own = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret
  if (own === '') return billingErrors.error('SECRET_CANT_BE_EMPTY')
  const isStandard = secret.startsWith(standardPrefix) && own.endsWith('=')
  const length = (isStandard ? decodedKey(secret)?.length : undefined) ?? Buffer.byteLength(own)
  return length >= minSecretBytes
    ? undefined
    : billingErrors.error('SECRET_TOO_SHORT', {
        message: `Secret too short: it has ${length} bytes and needs at least ${minSecretBytes}`,
      })
}

/**
 * Possible keys of a secret (billing-events.md, section 2.1). Senders use the UTF-8 bytes of the whole text; the standard decodes it as
 * base64. A key that would be too short is left out.
 */
export const keysOf = (secret: string): readonly Uint8Array[] => {
  const decoded = decodedKey(secret)
  const whole = Buffer.from(secret)
  return decoded === undefined || decoded.length < minSecretBytes ? [whole] : [decoded, whole]
}
