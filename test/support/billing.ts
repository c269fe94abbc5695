/** The billing platform in tests. It makes and signs events as the real platform does. */
import { randomUUID } from 'node:crypto'
import type { EventType } from '../../src/billing/events/parse.ts'
import { buildEvent, type SimulatedEvent, type SimulationOptions } from '../../src/billing/simulator/build.ts'
import { signedHeaders } from '../../src/billing/simulator/sign.ts'

/** `whsec_` and 43 letters and digits, as the platform makes them since June 2026. */
export const webhookSecret = 'whsec_kJ2mVtY8wQpL4xRz7nBc3sHd9fGa5eTuW1oXi6yMvKq'

export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface DeliveryOptions {
  /** The header `webhook-id`. By default it is a new id. */
  readonly id?: string
  /** Time of the delivery in whole seconds. By default it is the present time. */
  readonly timestamp?: number
}

/** A signed delivery for an endpoint with this secret: an event, or a text that is sent unchanged, with the headers. */
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

/** A valid event, as the platform sends it. By default it happens now; `at` sets another time. */
export const eventOf = (type: EventType, options: Partial<SimulationOptions> = {}): SimulatedEvent =>
  JSON.parse(JSON.stringify(buildEvent(type, { at: new Date(), ...options })))

type Node = Record<string, unknown>

/** A copy of an event with another value at this path, such as `data.prices.0.id`. Undefined removes the value. */
export const changed = <E extends object>(event: E, path: string, value: unknown): E => {
  const copy = structuredClone(event)
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  const parent = keys.reduce((node, key) => node[key] as Node, copy as Node)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}

/** All paths of an event: its objects and lists, and everything in them. */
export const pathsOf = (value: unknown, above = ''): readonly string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => {
        const path = above === '' ? key : `${above}.${key}`
        return [path, ...pathsOf(inner, path)]
      })
