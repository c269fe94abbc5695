import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import type { Core } from '../../core/core.ts'
import type { EventReader } from '../../core/events/readers.ts'
import { listSealed } from '../../core/events/store.ts'
import type { Outbound } from '../../core/fetch.ts'
import type { TaskKind } from '../../core/queue.ts'
import { parseStored, record } from '../../core/stored-json.ts'
import { copied } from './line.ts'

export interface WebhookTarget {
  readonly url: string
  /** Has the form `whsec_…`. */
  readonly secret: string
}

/** First and last position of a batch. Its events are read again when it is sent. */
const Batch = z.object({ from: z.int(), to: z.int() })

/** Largest number of waiting batches. Beyond it the reader waits, so that a missing endpoint does not fill the queue. */
const mostWaiting = 20

/**
 * Sends events to an HTTP endpoint: one POST for up to 100 events, signed by Standard Webhooks. A batch is repeated without limit and
 * later batches wait for it, so that the endpoint gets every event in the order of the chain.
 */
export const createWebhookCopy = (
  { db, transact, clock, queue }: Pick<Core, 'db' | 'transact' | 'clock' | 'queue'>,
  outbound: Outbound,
  target: WebhookTarget | undefined,
): { readonly reader: EventReader | undefined; readonly task: TaskKind<unknown> } => {
  const send = async ({ from, to }: z.output<typeof Batch>, { url, secret }: WebhookTarget) => {
    const events = await listSealed(db, { after: from - 1, until: to, limit: to - from + 1 })
    // Retention has deleted the events before they were sent.
    if (events.length === 0) return
    const id = `events-${from}-${to}`
    const timestamp = clock.now()
    const data = events.map(({ position, hash, data, ...event }) =>
      copied({ ...event, data: parseStored(record, data) }, position, hash),
    )
    const body = JSON.stringify({ type: 'events.recorded', timestamp: timestamp.toISOString(), data: { events: data } })
    const { status } = await outbound.send(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, timestamp, body),
      },
    })
    if (status < 200 || status > 299) throw new Error(`the endpoint of events.webhook answered ${status}`)
  }
  const task: TaskKind<z.output<typeof Batch>> = {
    kind: 'events.webhook',
    payload: Batch,
    handle: async ({ payload }) => {
      // After the endpoint was removed from the configuration, waiting batches end without a delivery.
      if (target !== undefined) await send(payload, target)
      return undefined
    },
    maxAttempts: Number.MAX_SAFE_INTEGER,
    backOffSeconds: [5, 900],
    leaseSeconds: 60,
    concurrency: 1,
    keepDeadSeconds: 86_400,
  }
  const positions: number[] = []
  const reader: EventReader = {
    name: 'webhook',
    startsAt: 'newest',
    handle: async (_, position) => void positions.push(position),
    flush: async () => {
      const batch = positions.splice(0)
      const [from = 0, to = 0] = [batch[0], batch.at(-1)]
      const waiting = await queue.list(db, { kind: task.kind, status: ['pending', 'running'] }, mostWaiting)
      if (waiting.length >= mostWaiting)
        throw new Error(`the endpoint of events.webhook takes no events: ${waiting.at(-1)?.lastError ?? 'it is slow'}`)
      await transact((tx) => queue.enqueue(tx, task, { payload: { from, to }, key: task.kind, label: `${from}-${to}` }))
    },
  }
  return { reader: target === undefined ? undefined : reader, task: task as TaskKind<unknown> }
}
