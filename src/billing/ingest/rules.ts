import { Webhook } from 'standardwebhooks'
import type { AppError } from '../../core/errors.ts'
import { billingErrors } from '../errors.ts'
import type { ParseResult } from '../events/parse.ts'

/** The endpoint of `GATEHOUSE_WEBHOOK_SECRET`. */
export const configuredEndpoint = 'polar'

/** `quarantined`: not understood. `removed`: without personal data; its webhook id stays, to recognise repetitions. */
export const deliveryStatuses = ['accepted', 'quarantined', 'removed'] as const

/** FAILED_TO_PARSE_EVENT or UNKNOWN_EVENT_TYPE, with the problem of the body. */
export const parseError = ({ message, issues }: Extract<ParseResult, { ok: false }>): AppError =>
  billingErrors.error(message.startsWith('Unknown event type') ? 'UNKNOWN_EVENT_TYPE' : 'FAILED_TO_PARSE_EVENT', {
    message,
    ...(issues.length === 0
      ? {}
      : { issues: issues.map((issue) => ({ ...issue, message: `expected ${issue.expected}, received ${issue.received}` })) }),
  })

/** Largest number of valid secrets of an endpoint: each costs every forged delivery one or two hashes. */
export const maxSecrets = 10

/** Security baseline, section 11. */
const minSecretBytes = 24

const standardPrefix = 'whsec_'

/** The secret by Standard Webhooks: base64 after an optional `whsec_`. Undefined for other text. */
const decodedKey = (secret: string): Uint8Array | undefined => {
  const text = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret
  try {
    // The package checks base64 to the last padding character; Node's decoder accepts anything.
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
 * Possible keys of a secret (billing events, section 2.1): senders use the UTF-8 bytes of the whole text, the standard its base64. A text
 * that would be a short key is left out.
 */
export const keysOf = (secret: string): readonly Uint8Array[] => {
  const decoded = decodedKey(secret)
  const whole = Buffer.from(secret)
  return decoded === undefined || decoded.length < minSecretBytes ? [whole] : [decoded, whole]
}
