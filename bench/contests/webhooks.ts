import { createHmac, randomUUID } from 'node:crypto'
import { buildEvent } from '../../src/billing/simulation/build.ts'
import { createBrowser, requestText } from '../load/browser.ts'
import { webhookSecret } from '../targets/targets.ts'
import { both, type Contest, check, type Prepare } from './contest.ts'

/** A time of the wire, with microseconds: later with every call. */
const createStamps = () => {
  let count = 0
  return () => {
    count += 1
    return new Date(Date.now()).toISOString().replace('Z', `${String(count % 1_000).padStart(3, '0')}Z`)
  }
}

/** The body of a subscription that has changed and of which all else is as it was, in two parts: the time of the change goes between. */
const changedSubscription = (customer: string) => {
  const at = new Date('2026-11-01T00:00:00Z')
  const event = buildEvent('subscription.updated', { at, email: `${customer}@example.com`, modifiedAt: at.toISOString() })
  const text = JSON.stringify({ ...event, data: { ...event.data, modified_at: '@' } })
  const cut = text.indexOf('"@"') + 1
  return { before: text.slice(0, cut), after: text.slice(cut + 1) }
}

/** Each virtual user is a customer whose subscription changes again and again: verified, stored, applied, answered. */
const changing: Prepare = async (target, index) => {
  const browser = createBrowser(target.origin)
  const nextStamp = createStamps()
  const { before, after } = changedSubscription(`${target.name}${index}`)
  return {
    act: async () => {
      const id = randomUUID()
      const time = String(Math.floor(Date.now() / 1000))
      const body = `${before}${nextStamp()}${after}`
      const headers = {
        'Content-Type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': `v1,${createHmac('sha256', webhookSecret).update(`${id}.${time}.${body}`).digest('base64')}`,
      }
      const answer = await browser.send(requestText('POST', target.origin, '/webhooks/polar', headers, body))
      check(answer.status === 202, answer)
    },
    close: browser.close,
  }
}

export const webhookContests: readonly Contest[] = [
  {
    name: 'webhook: verify, store, apply',
    prepare: changing,
    rivals: [{ label: 'verify, one insert', target: 'floor', goal: both(0.4) }],
  },
]
