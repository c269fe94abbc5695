import type { Core } from '../../core/core.ts'
import { createOutbound, type OutboundConfig, OutboundError } from '../../core/fetch.ts'
import { billingErrors } from '../errors.ts'
import type { EventType } from '../events/parse.ts'
import type { Endpoints } from '../ingest/endpoints.ts'
import { configuredEndpoint } from '../ingest/rules.ts'
import { buildEvent, type SimulatedEvent, type SimulationOptions } from './build.ts'
import { signedHeaders } from './sign.ts'

export interface Simulate extends Omit<SimulationOptions, 'at'> {
  /** How many seconds before now the event happened. */
  readonly lateSeconds?: number | undefined
  /** Values to set in the body, each with its path (`data.customer.name`). They are set even if they make the event invalid. */
  readonly set?: readonly (readonly [path: string, value: unknown])[] | undefined
}

export interface Sending {
  /** Name of the webhook endpoint. When absent: the only endpoint of this instance. If the instance has no endpoint or several, `polar`. */
  readonly endpoint?: string | undefined
  /** Where the event is sent: the address of another instance, or the complete URL of a webhook endpoint. When absent: this instance. */
  readonly to?: string | undefined
  /** The secret that signs the event. When absent: the newest secret of the endpoint in this instance. */
  readonly secret?: string | undefined
  /** The signed time is this many seconds after now. A negative number gives a time in the past. */
  readonly skewSeconds: number
  /** Number of equal deliveries that are sent at the same time. All have the same `webhook-id`. */
  readonly copies: number
  readonly wrongSignature: boolean
}

export interface Answer {
  readonly webhookId: string
  readonly status: number
  readonly answer: string
}

export interface Simulation {
  build(type: EventType, options: Simulate): SimulatedEvent
  /** Signs and sends the event. Throws WEBHOOK_ENDPOINT_NOT_FOUND if the endpoint has no secret, and DELIVERY_REFUSED if any copy is refused. */
  send(event: SimulatedEvent, sending: Sending): Promise<readonly Answer[]>
}

interface Deps extends Pick<Core, 'clock' | 'random' | 'url' | 'remedies'> {
  readonly outbound: OutboundConfig
  readonly endpoints: Pick<Endpoints, 'list' | 'newestSecret'>
}

type Node = Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Returns a copy of a JSON value in which the value at a path is replaced. */
const withValue = (node: unknown, [key, ...rest]: readonly string[], value: unknown): unknown => {
  if (key === undefined) return value
  const outer = isNode(node) ? node : {}
  const inner = withValue(Object.hasOwn(outer, key) ? outer[key] : {}, rest, value)
  return Array.isArray(node) ? Object.assign([...node], { [key]: inner }) : { ...outer, [key]: inner }
}

const addressOf = (base: string, endpoint: string) => {
  if (!URL.canParse(base)) return base
  const url = new URL(base)
  return url.pathname === '/' ? new URL(`/webhooks/${endpoint}`, url).href : url.href
}

/** Simulates the billing platform, so that operators can try out webhooks. */
export const createSimulation = ({ clock, random, url, remedies, outbound, endpoints }: Deps): Simulation => {
  /** The event may be sent to a private host and over http, because the operator named the host and the event contains no secret. */
  const outboundTo = (address: string) => {
    const host = URL.canParse(address) ? [new URL(address).hostname.replace(/^\[|\]$/g, '')] : []
    return createOutbound({ ...outbound, allowHttp: true, allow: [...outbound.allow, ...host] })
  }

  const usualEndpoint = async (to: string | undefined) => {
    const [only, ...others] = to === undefined ? await endpoints.list() : []
    return only === undefined || others.length > 0 ? configuredEndpoint : only.name
  }

  return {
    build: (type, { lateSeconds = 0, set = [], ...options }) =>
      set.reduce<SimulatedEvent>(
        (event, [path, value]) => withValue(event, path.split('.'), value) as SimulatedEvent,
        buildEvent(type, { ...options, at: clock.after(-lateSeconds) }),
      ),
    send: async (event, { endpoint: named, to, secret: given, skewSeconds, copies, wrongSignature }) => {
      const endpoint = named ?? (await usualEndpoint(to))
      const address = addressOf(to ?? url, endpoint)
      const secret = given ?? (to === undefined ? await endpoints.newestSecret(endpoint) : undefined)
      if (secret === undefined) {
        const orMake = to === undefined ? `, or make the endpoint with: ${remedies.addWebhookEndpoint(endpoint)}` : ''
        const message = `The secret of ${address} is not known here: pass it with --secret-stdin${orMake}`
        throw billingErrors.error('WEBHOOK_ENDPOINT_NOT_FOUND', { message })
      }
      const id = random.requestId()
      const body = JSON.stringify(event)
      const timestamp = Math.floor(clock.after(skewSeconds).getTime() / 1000)
      const headers = signedHeaders(wrongSignature ? `whsec_${random.token(43)}` : secret, { id, timestamp, body })
      const { send } = outboundTo(address)
      const attempt = async (): Promise<Answer> => {
        const { status, text } = await send(address, { method: 'POST', headers, body })
        return { webhookId: id, status, answer: text }
      }
      try {
        const answers = await Promise.all(Array.from({ length: copies }, attempt))
        const refused = answers.find(({ status }) => status < 200 || status > 299)
        if (refused === undefined) return answers
        const message = `Delivery refused: ${refused.status} ${refused.answer}`
        throw billingErrors.error('DELIVERY_REFUSED', { message })
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error
        throw billingErrors.error('DELIVERY_REFUSED', { message: `Delivery refused: ${address}: ${error.message}` })
      }
    },
  }
}
