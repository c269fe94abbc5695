/** The billing platform as a test plays it: events it sends, signed as it signs them. */
import { randomUUID } from 'node:crypto'
import type { EventType } from '../../src/billing/events/parse.ts'
import { buildEvent, type SimulationOptions } from '../../src/billing/simulation/build.ts'
import { signedHeaders } from '../../src/billing/simulation/sign.ts'

/** `whsec_` and 43 letters and digits, as the platform makes them since June 2026. */
export const webhookSecret = 'whsec_kJ2mVtY8wQpL4xRz7nBc3sHd9fGa5eTuW1oXi6yMvKq'

export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface DeliveryOptions {
  /** `webhook-id`; a new one when not given. */
  readonly id?: string
  /** Whole seconds; now when not given. */
  readonly timestamp?: number
}

/** An event, or text that is sent as it is, with the headers of a delivery to an endpoint with this secret. */
export const signedDelivery = (
  secret: string,
  event: object | string,
  { id = randomUUID(), timestamp = Math.floor(Date.now() / 1000) }: DeliveryOptions = {},
): SignedDelivery => {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  return { headers: signedHeaders(secret, { id, timestamp, body }), body }
}

/** Sends a delivery to an endpoint of an instance. */
export const post = (url: string, { headers, body }: SignedDelivery, endpoint = 'polar'): Promise<Response> =>
  fetch(`${url}/webhooks/${endpoint}`, { method: 'POST', headers, body })

/** A valid event; it happens now unless `at` says otherwise. */
export const eventOf = (type: EventType, options: Partial<SimulationOptions> = {}) =>
  buildEvent(type, { at: new Date(), ...options })
