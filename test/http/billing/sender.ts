/** Sends signed deliveries like the billing platform. Shares no code with the verification. */
import { createHmac, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { buildEvent, type SimulationOptions } from '../../../src/billing/simulator/build.ts'

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** The platform signs with the unchanged text of the secret (billing events, section 2.1). */
const ownKey = (text: string): Buffer => Buffer.from(text)
/** The decoded base64 after `whsec_` (Standard Webhooks). */
export const standardKey = (text: string): Buffer => Buffer.from(text.replace(/^whsec_/, ''), 'base64')

export const signature = (key: Buffer, id: string, time: string, body: Buffer | string): string =>
  `v1,${createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')}`

export const now = () => Math.floor(Date.now() / 1000)

export interface Sent {
  readonly id?: string
  /** Seconds, or the text to send as the time. */
  readonly time?: number | string
  readonly secret?: string
  readonly key?: Buffer
  /** Replaces the three headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The body to send instead of the signed one. */
  readonly tampered?: Buffer | string
}

export interface Reply {
  readonly status: number
  readonly text: string
  readonly json: Record<string, unknown>
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Sends one POST with exactly these header lines. `fetch` would join repeated headers and add its own. */
const post = (url: string, headers: readonly (readonly [string, string])[], body: Buffer): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const host: readonly (readonly [string, string])[] = [
      ['Host', new URL(url).host],
      ['Content-Length', String(body.length)],
    ]
    const call = request(url, { method: 'POST', headers: [...host, ...headers].flat() }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = answer.headers['content-type']?.includes('json') === true
        resolve({
          status: answer.statusCode ?? 0,
          text,
          json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
          headers: answer.headers,
        })
      })
    })
    call.on('error', reject)
    call.end(body)
  })

/** Signs a body and sends it. */
export const send = (url: string, body: Buffer | string, sent: Sent = {}, endpoint = 'polar'): Promise<Reply> => {
  const id = sent.id ?? randomUUID()
  const time = String(sent.time ?? now())
  const key = sent.key ?? ownKey(sent.secret ?? secret)
  const lines: Record<string, string | readonly string[] | undefined> = {
    'content-type': 'application/json',
    'user-agent': 'polar.sh webhooks',
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': signature(key, id, time, body),
    ...sent.headers,
  }
  const headers = Object.entries(lines).flatMap(([name, values]) => [values ?? []].flat().map((value) => [name, value] as const))
  return post(`${url}/webhooks/${endpoint}`, headers, Buffer.from(sent.tampered ?? body))
}

/** The body of a complete event, as the platform writes it. */
export const bodyOf = (type: Parameters<typeof buildEvent>[0], options: Partial<SimulationOptions> = {}): string =>
  JSON.stringify(buildEvent(type, { at: new Date(), ...options }))
