import { Webhook } from 'standardwebhooks'

/** The parts of a delivery that the signature covers (billing-events.md, section 2). */
export interface Delivery {
  readonly id: string
  /** Whole seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/**
 * A secret in the form of Standard Webhooks: `whsec_` and 32 bytes in padded base64. Only for secrets of this form, the billing platform
 * and the standard use the same key.
 */
const standardSecret = /^whsec_([A-Za-z0-9+/]{43}=)$/

/** The keys with which the platform signs, in the order of its signatures (billing-events.md, section 2.1). */
const signingKeys = (secret: string): readonly Buffer[] => {
  const encoded = standardSecret.exec(secret)?.[1]
  const whole = Buffer.from(secret, 'utf8')
  return encoded === undefined ? [whole] : [Buffer.from(encoded, 'base64'), whole]
}

/** The headers with which the platform sends this body. The signature uses the given secret. */
export const signedHeaders = (secret: string, { id, timestamp, body }: Delivery): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'user-agent': 'polar.sh webhooks',
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signingKeys(secret)
    .map((key) => new Webhook(key, { format: 'raw' }).sign(id, new Date(timestamp * 1000), body))
    .join(' '),
})
