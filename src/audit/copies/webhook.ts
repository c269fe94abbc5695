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
  /** The signing secret, in the form `whsec_…`. */
  readonly secret: string
}

/** The task that sends a batch. It contains only the first and last position; the events are read again when it runs. */
const Batch = z.object({ from: z.int(), to: z.int() })

/** How many batches may wait at most. If there are more, the reader waits, so that an unreachable endpoint does not fill the queue. */
const mostWaiting = 20

/**
 * An event reader that sends events to an HTTP endpoint. Each POST contains up to 100 events and is signed as Standard Webhooks defines.
 * A failed batch is sent again without limit, and later batches wait for it. The endpoint therefore receives every event in the order of
 * the chain.
 */
export const createWebhookCopy = (
  { db, transact, clock, queue }: Pick<Core, 'db' | 'transact' | 'clock' | 'queue'>,
  outbound: Outbound,
  target: WebhookTarget | undefined,
): { readonly reader: EventReader | undefined; readonly task: TaskKind<unknown> } => {
  const send = async ({ from, to }: z.output<typeof Batch>, { url, secret }: WebhookTarget) => {
    const events = await listSealed(db, { after: from - 1, until: to, limit: to - from + 1 })
    // Retention has already deleted the events of this batch, so there is nothing to send.
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
      // If the endpoint is no longer configured, waiting batches are dropped.
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
