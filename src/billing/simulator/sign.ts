import { Webhook } from 'standardwebhooks'

/** The signed parts of a delivery (billing-events.md, section 2). */
export interface Delivery {
  readonly id: string
  /** Whole seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** `whsec_` and 32 bytes in padded base64. For other forms, the platform's key differs from that of Standard Webhooks. */
const standardSecret = /^whsec_([A-Za-z0-9+/]{43}=)$/

/** The keys that the platform signs with, in its order (billing-events.md, section 2.1). */
const signingKeys = (secret: string): readonly Buffer[] => {
  const encoded = standardSecret.exec(secret)?.[1]
  const whole = Buffer.from(secret, 'utf8')
  return encoded === undefined ? [whole] : [Buffer.from(encoded, 'base64'), whole]
}

/** The headers that the platform sends for this body to an endpoint with this secret. */
export const signedHeaders = (secret: string, { id, timestamp, body }: Delivery): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'user-agent': 'polar.sh webhooks',
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signingKeys(secret)
    .map((key) => new Webhook(key, { format: 'raw' }).sign(id, new Date(timestamp * 1000), body))
    .join(' '),
})
