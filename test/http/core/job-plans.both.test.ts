/** The work that the daemon does by itself, every few seconds to every few hours, reads few rows, however many there are. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { planFaults } from '../../support/plans.ts'
import { fillLists } from './list-plans.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  await fillLists(t)
}, 120_000)
afterAll(() => t.stop())

const tables = [
  ...['user', 'session', 'organization', 'member', 'invitation', 'oauth_client', 'oauth_consent', 'task', 'event'],
  ...['billing_delivery', 'billing_customer', 'sign_in_failure', 'api_key', 'backup'],
]
/** Tables that are small even in a large instance: keys, declarations, the chain's one row, and unsealed events. */
const few = /from `(signing_key|applied_object)`|from event_chain |where position is null order by|`position` is not null limit/

test('jobs and periodic tasks use an index of each table that grows', { timeout: 240_000 }, async () => {
  const { signal } = new AbortController()
  const one = { id: 'periodic', key: null, payload: {}, createdAt: new Date(), attempt: 1, signal }
  const work = t.app.registered.flatMap(({ jobs = [], tasks = [] }) => [
    ...jobs.map(({ name, run }) => ({ name, run: () => run(signal) })),
    ...tasks
      .filter(({ everySeconds }) => everySeconds !== undefined)
      .map(({ kind, handle }) => ({ name: kind, run: () => handle(one) })),
  ])
  const found: Record<string, readonly string[]> = {}
  for (const { name, run } of work) {
    const faults = await planFaults(t, { tables, sorts: 'windows', mayReadNothing: true }, run)
    const ofLarge = faults.filter((fault) => !few.test(fault))
    if (ofLarge.length > 0) found[name] = ofLarge
  }
  expect(found).toEqual({})
})
