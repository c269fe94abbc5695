import { Webhook } from 'standardwebhooks'
import type { AppError } from '../../core/errors.ts'
import { billingErrors } from '../errors.ts'
import type { ParseResult } from '../events/parse.ts'

/** The name of the endpoint whose secret is `GATEHOUSE_WEBHOOK_SECRET`. */
export const configuredEndpoint = 'polar'

/**
 * `quarantined`: gatehouse could not parse the delivery. `removed`: the content was deleted because of its personal data. The webhook id
 * of a removed delivery stays, so that a repeated delivery is recognised.
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

/** Largest number of valid secrets of an endpoint. The limit exists because a forged delivery costs one or two hashes for each secret. */
export const maxSecrets = 10

/** Least length of a secret (security baseline, section 11). */
const minSecretBytes = 24

const standardPrefix = 'whsec_'

/** The bytes of a secret in the form of Standard Webhooks, which is base64 after an optional `whsec_`. Undefined for text of another form. */
const decodedKey = (secret: string): Uint8Array | undefined => {
  const text = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret
  try {
    // This constructor throws for text that is not base64. Node's own decoder accepts any text.
    new Webhook(text)
    return Buffer.from(text, 'base64')
  } catch {
    return undefined
  }
}

/** The error for a secret that is too weak. Undefined for a secret that may be used. */
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
 * The HMAC keys that a secret may stand for (billing-events.md, section 2.1). The billing platform signs with the UTF-8 bytes of the
 * whole text. The standard decodes the text as base64. A key that would be too short is left out.
 */
export const keysOf = (secret: string): readonly Uint8Array[] => {
  const decoded = decodedKey(secret)
  const whole = Buffer.from(secret)
  return decoded === undefined || decoded.length < minSecretBytes ? [whole] : [decoded, whole]
}
