import { Webhook } from 'standardwebhooks'
import { billingErrors } from '../errors.ts'

/** The endpoint of `GATEHOUSE_WEBHOOK_SECRET`. */
export const configuredEndpoint = 'polar'

/** What stands in the address after `/webhooks/`. */
export const endpointName = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** `removed`: personal data was taken out; the webhook id stays, so that a repeat is still a repeat. */
export const verdicts = ['accepted', 'quarantined', 'removed'] as const
/** What an event did: `superseded` when all of it was older than what is stored, `ignored` when nothing is derived from its type. */
export const effects = ['applied', 'superseded', 'ignored'] as const
export type Effect = (typeof effects)[number]

/** Secrets of one endpoint that are valid side by side, at most: each costs every forged delivery a hash or two. */
export const mostSecrets = 10

/** Security baseline, section 11. */
const leastSecretBytes = 24

const standardPrefix = 'whsec_'

/** The Standard Webhooks reading: base64 of what follows an optional `whsec_`. Undefined when it is no base64. */
const decodedKey = (secret: string): Uint8Array | undefined => {
  const text = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret
  try {
    // The package knows whether it is base64, to the last padding character; Node's decoder takes anything.
    new Webhook(text)
    return Buffer.from(text, 'base64')
  } catch {
    return undefined
  }
}

/** Why a text is no secret to trust deliveries by, or undefined. */
export const secretProblem = (secret: string): ReturnType<typeof billingErrors.refuse> | undefined => {
  const own = secret.startsWith(standardPrefix) ? secret.slice(standardPrefix.length) : secret
  if (own === '') return billingErrors.refuse('SECRET_CANT_BE_EMPTY')
  const isStandard = secret.startsWith(standardPrefix) && own.endsWith('=')
  const length = (isStandard ? decodedKey(secret)?.length : undefined) ?? Buffer.byteLength(own)
  return length >= leastSecretBytes
    ? undefined
    : billingErrors.refuse('SECRET_TOO_SHORT', {
        message: `Secret too short: it has ${length} bytes and needs at least ${leastSecretBytes}`,
      })
}

/**
 * The keys a secret may stand for (billing events, section 2.1): senders use the UTF-8 bytes of the whole text, the standard its
 * base64. A reading that would be a short key is none.
 */
export const keysOf = (secret: string): readonly Uint8Array[] => {
  const decoded = decodedKey(secret)
  const whole = Buffer.from(secret)
  return decoded === undefined || decoded.length < leastSecretBytes ? [whole] : [decoded, whole]
}
