/** Stored failed attempts: their number, their retention, and that a reader of the database learns no names from them. */
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'

let t: TestApp
let support: Client
beforeAll(async () => {
  t = await testApp({ config: { trustedProxies: ['127.0.0.1'], signIns: { keepDays: 2 } } })
  support = await signedInAs(t, 'support')
})
afterAll(() => t.stop())

type Query = NonNullable<NonNullable<Parameters<Client['api']['signIns']['explainSignIn']>[0]>['query']>
const explain = (query: Query) => support.api.signIns.explainSignIn({ query })
const failuresOf = async (query: Query) => (await explain(query)).entries.filter(({ kind }) => kind === 'failure')
const from = (address: string) => ({ address, userAgent: 'test', requestId: 'flood' })
const rows = async (): Promise<readonly Record<string, unknown>[]> => {
  await t.app.signInFailures.settled()
  return t.app.core.db.knex('sign_in_failure')
}
const attempt = (email: string, address: string) =>
  t.client().post('/sign-in/email', { email, password: 'the typed password' }, { 'x-forwarded-for': address })

test('failed sign-ins contain no email address and no password in plain text, wherever it was typed', async () => {
  await t.signedIn('plain@example.com')
  await attempt('plain@example.com', '198.51.100.1')
  await attempt('absent@example.com', '198.51.100.1')
  t.app.signInFailures.record(
    { ...from('198.51.100.1'), userAgent: 'mail plain@example.com' },
    {
      ...{ method: 'application', reason: 'redirect-uri', code: 'x', clientId: 'absent@example.com' },
      detail: { redirectUri: 'https://rp.example/plain%40example.com', error: 'plain@example.com' },
    },
  )
  const stored = JSON.stringify(await rows())
  expect(stored).toContain('wrong-password')
  for (const text of ['plain@', 'plain%40', 'absent@', 'the typed password']) expect(stored).not.toContain(text)
})

test('of 10,000 failed attempts of one network few are stored and all are counted, and other people of the network keep their explanation', async () => {
  t.clock.hold()
  await t.signedIn('neighbour@example.com')
  const before = (await rows()).length
  for (let i = 0; i < 9_000; i += 1)
    t.app.signInFailures.record(from('203.0.113.9'), {
      ...{ method: 'password', reason: 'unknown-address', code: 'INVALID_EMAIL_OR_PASSWORD', email: `guess${i}@example.com` },
    })
  for (let i = 0; i < 1_000; i += 1)
    t.app.signInFailures.record(from('203.0.113.9'), {
      ...{ method: 'password', reason: 'unknown-address', code: 'INVALID_EMAIL_OR_PASSWORD', email: 'one@example.com' },
    })
  await attempt('neighbour@example.com', '203.0.113.77')
  const kept = await rows()
  expect(kept.length - before).toBeLessThan(320)
  const flood = kept.filter(({ network }) => network === '203.0.113')
  expect(flood.reduce((sum, { attempts }) => sum + Number(attempts), 0)).toBe(10_001)
  const story = await failuresOf({ user: 'neighbour@example.com' })
  expect(story.map(({ what }) => what).sort()).toEqual(['more', 'wrong-password'])
  expect(story.find(({ what }) => what === 'more')?.text).toContain('9700 more failed attempts')
})

test('two people in one network have separate explanations', async () => {
  for (const name of ['bob', 'eve']) {
    await t.signedIn(`${name}@example.com`)
    await attempt(`${name}@example.com`, '192.0.2.33')
  }
  const story = await failuresOf({ user: 'bob@example.com' })
  expect(story.map(({ what, address }) => [what, address])).toEqual([['wrong-password', '192.0.2.33']])
  const both = await explain({ address: '192.0.2.33' })
  expect(new Set(both.entries.map(({ userId }) => userId)).size).toBe(2)
  expect(both.verdict.outcome).toBe('unknown')
  expect(await failuresOf({ user: 'bob@example.com', address: '192.0.2.34' })).toEqual([])
})

test('deleting an account deletes its failed attempts, even attempts from before it was created', async () => {
  await attempt('gone@example.com', '192.0.2.50')
  await t.signedIn('gone@example.com')
  await attempt('gone@example.com', '192.0.2.50')
  expect(await failuresOf({ email: 'gone@example.com' })).toHaveLength(2)
  const { account } = await explain({ user: 'gone@example.com' })
  await t.app.administration.remove(systemPrincipal('test'), 'gone@example.com')
  const left = await explain({ email: 'gone@example.com' })
  expect([left.entries, left.verdict.outcome]).toEqual([[], 'no-account'])
  const ofId = await explain({ user: account?.id ?? '' })
  expect(ofId.entries.map(({ what }) => what)).toContain('user.deleted')
  expect(ofId.verdict).toMatchObject({ outcome: 'no-account', text: 'The account was deleted.' })
})

test('a failed attempt of a user who is deleted before the attempt is written is dropped', async () => {
  const nobody = { method: 'password', reason: 'wrong-password', code: 'x', userId: 'a-user-who-is-gone' } as const
  const before = (await rows()).length
  t.app.signInFailures.record(from('192.0.2.60'), nobody)
  expect(await rows()).toHaveLength(before)
})

test('failed attempts are deleted after signIns.keepDays, and the oldest beyond signIns.mostKept', async () => {
  await attempt('kept@example.com', '192.0.2.70')
  // The sweep runs here, and not during the following statements.
  await t.app.jobs.stop()
  t.clock.advance({ days: 3 })
  await attempt('kept@example.com', '192.0.2.70')
  await t.app.signInFailures.settled()
  for (const retention of t.app.signInFailures.retentions) await retention.sweep()
  expect(await failuresOf({ email: 'kept@example.com', since: '2026-01-01' })).toHaveLength(1)
  const { knex } = t.app.core.db
  await knex('sign_in_failure').delete()
  await fill(t, 'sign_in_failure', 1_500, filled)
  const node = await t.node({ signIns: { keepDays: 365, mostKept: 1_000 } })
  await node.app.jobs.stop()
  for (const retention of node.app.signInFailures.retentions) await retention.sweep()
  expect(await knex('sign_in_failure').count({ count: '*' })).toMatchObject([
    { count: expect.toSatisfy((n) => Number(n) === 1_000) },
  ])
  await node.stop()
})

const filled = {
  ...{ id: `'f' || n.n`, occurred_at: secondsIn2026, last_at: secondsIn2026, attempts: '1', user_id: 'null' },
  ...{ address_key: `'k' || (n.n % 1000)`, method: `'password'`, reason: `'unknown-address'`, code: `'x'`, detail: `'{}'` },
  ...{ address: `'10.0.' || (n.n % 250) || '.1'`, network: `'10.0.' || (n.n % 250)`, user_agent: `''`, request_id: `'r' || n.n` },
}

testOnBoth('every way to ask for an explanation reads failed attempts by an index', async () => {
  await t.app.core.db.knex('sign_in_failure').delete()
  await fill(t, 'sign_in_failure', 6_000, filled)
  await t.signedIn('planned@example.com')
  const since = '2026-01-01'
  for (const query of [
    { user: 'planned@example.com', since },
    { email: 'other@example.com', since },
    { address: '10.0.7.1', since },
    { request: 'r77', since },
  ]) {
    // The audit log sorts events, and its own test reads the plans.
    const faults = await planFaults(t, { tables: ['sign_in_failure'], maxRows: 500, sorts: true }, () => explain(query))
    expect(faults).toEqual([])
  }
})

test('the explanation for an email address without an account is still found after a change of the master secret', async () => {
  t.clock.hold()
  await attempt('rotated@example.com', '192.0.2.80')
  await t.app.signInFailures.settled()
  const node = await t.node({ secret: ['bmV3ZXIgc2VjcmV0LCA0OCByYW5kb20gYnl0ZXMgaW4gYmFzZTY0', t.app.config.secret].flat() })
  const found = await node.app.explanations.explain(systemPrincipal('test'), { email: 'rotated@example.com' })
  expect(found.entries.map(({ what }) => what)).toEqual(['unknown-address'])
  await node.stop()
})

test('a successful sign-in stores no failed attempt', async () => {
  await t.signedIn('happy@example.com')
  const before = (await rows()).length
  expect((await t.client().post('/sign-in/email', { email: 'happy@example.com', password })).status).toBe(200)
  expect(await rows()).toHaveLength(before)
})
