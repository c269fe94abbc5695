import { createHmac, randomUUID } from 'node:crypto'
import { buildEvent } from '../../src/billing/simulator/build.ts'
import { type Browser, cookieHeader, createBrowser, requestText } from '../load/browser.ts'
import { webhookSecret } from '../targets/targets.ts'
import { both, type Contest, check, type Prepare } from './contest.ts'
import { emailOf, signIn } from './sessions.ts'

/** Returns times in the wire format with microseconds. Each call returns a later time. */
const createStamps = () => {
  let count = 0
  return () => {
    count += 1
    return new Date(Date.now()).toISOString().replace('Z', `${String(count % 1_000).padStart(3, '0')}Z`)
  }
}

/** The body of an event about a changed subscription, in two parts. The time of the change goes between them, and everything else stays equal. */
const changedSubscription = (customer: string) => {
  const at = new Date('2026-11-01T00:00:00Z')
  const event = buildEvent('subscription.updated', { at, email: `${customer}@example.com`, modifiedAt: at.toISOString() })
  const text = JSON.stringify({ ...event, data: { ...event.data, modified_at: '@' } })
  const cut = text.indexOf('"@"') + 1
  return { before: text.slice(0, cut), after: text.slice(cut + 1) }
}

const postEvent = (browser: Browser, body: string) => {
  const id = randomUUID()
  const time = String(Math.floor(Date.now() / 1000))
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': `v1,${createHmac('sha256', webhookSecret).update(`${id}.${time}.${body}`).digest('base64')}`,
  }
  return browser.send(requestText('POST', browser.origin, '/webhooks/polar', headers, body))
}

/** Each virtual user is a customer whose subscription changes repeatedly. Each delivery is verified, stored, applied and answered. */
const changing: Prepare = async (target, index) => {
  const browser = createBrowser(target.origin)
  const nextStamp = createStamps()
  const { before, after } = changedSubscription(`${target.name}${index}`)
  return {
    act: async () => {
      const answer = await postEvent(browser, `${before}${nextStamp()}${after}`)
      check(answer.status === 202, answer)
    },
    close: browser.close,
  }
}

/** Each delivery is about a customer that is not stored yet, so the server searches for an owner, and everything about the customer is new. */
const arriving: Prepare = async (target, index) => {
  const browser = createBrowser(target.origin)
  const at = new Date('2026-11-01T00:00:00Z')
  // The simulator derives ids from the address. The ids of this customer are replaced by other ids of the same length.
  const event = JSON.stringify(buildEvent('subscription.active', { at, email: 'placeholder@example.com' }))
  const ids = [...new Set(event.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g))]
  const shared = new Set(
    JSON.stringify(buildEvent('subscription.active', { at, email: 'other@example.com' })).match(/[0-9a-f-]{36}/g),
  )
  const own = ids.filter((id) => !shared.has(id))
  let count = 0
  return {
    act: async () => {
      count += 1
      let body = event.replaceAll('placeholder@', `${target.name}-${index}-${count}@`)
      for (const id of own) body = body.replaceAll(id, randomUUID())
      const answer = await postEvent(browser, body)
      check(answer.status === 202, answer)
    },
    close: browser.close,
  }
}

/** Each virtual user has bought a subscription and reads it. */
const looking =
  (path: string, expected: string): Prepare =>
  async (target, index) => {
    const browser = await signIn(target, index)
    const { user } = JSON.parse((await browser.get('/get-session')).body)
    const bought = buildEvent('subscription.active', { at: new Date(), externalId: user.id, email: emailOf(index) })
    const taken = await postEvent(browser, JSON.stringify(bought))
    check(taken.status === 202, taken)
    const request = requestText('GET', target.origin, path, cookieHeader(browser.cookies))
    return {
      act: async () => {
        const answer = await browser.send(request)
        check(answer.status === 200 && answer.body.includes(expected), answer)
      },
      close: browser.close,
    }
  }

/** With a full inbox an operation may take at most 1.2 times the processor time that it takes with an empty one. */
const fullAgainstEmpty = (name: string, prepare: Prepare): Contest => ({
  name: `${name}, full inbox`,
  own: 'filled',
  prepare,
  rivals: [{ label: 'empty inbox', target: 'gatehouse', goal: both(1 / 1.2) }],
})

export const webhookContests: readonly Contest[] = [
  {
    name: 'webhook: verify, store, apply',
    prepare: changing,
    rivals: [{ label: 'verify, one insert', target: 'floor' }],
  },
  {
    name: 'webhook, new customer',
    prepare: arriving,
    rivals: [{ label: 'verify, one insert', target: 'floor', goal: { sqlite: 0.65, postgres: 0.4 } }],
  },
  fullAgainstEmpty('webhook', changing),
  fullAgainstEmpty('billing state', looking('/billing/state', '"subscriptionStatus":"active"')),
  fullAgainstEmpty('billing subscriptions', looking('/billing/subscriptions', '"status":"active"')),
]
