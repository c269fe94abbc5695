import { afterAll, beforeAll, expect, test } from 'vitest'
import { createThrottling, untrustedClient } from '../../../src/authentication/attempts/throttling/service.ts'
import { coreErrors } from '../../../src/core/errors.ts'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'

/** Lower than the default. All networks together wait after three times as many failures. */
const [free, lockedAfter] = [3, 30]
const freeTogether = 3 * free

let t: TestApp
beforeAll(async () => {
  const accounts = { guessing: { freeAttempts: free, resetAfter: lockedAfter } }
  t = await testApp({ config: { trustedProxies: ['127.0.0.0/8', '::1'], accounts } })
  t.clock.hold()
})
afterAll(() => t.stop())

const guess = (email: string, network: string) =>
  t
    .client()
    .post('/sign-in/email', { email, password: 'wrong password' }, { 'x-forwarded-for': network, 'x-request-id': 'guess-0001' })

const userIdOf = async (email: string): Promise<string> => (await t.app.core.db.knex('user').where({ email }).first('id'))?.id
/** The recorded events about wrong passwords, for one user or for all, in their order. */
const recorded = async (userId?: string) => {
  const query = t.app.core.db
    .knex('event')
    .whereIn('type', ['user.locked', 'user.throttled'])
    .orderBy('occurred_at')
    .orderBy('id')
  if (userId !== undefined) query.where({ subject_id: userId })
  const rows: { type: string; data: string; address: string; request_id: string; actor_kind: string }[] = await query.select()
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }))
}
const told = async (userId: string) =>
  (await recorded(userId)).map(({ type, data }) => [type, data['scope'] ?? 'all', data['failures']])

test('a lock by wrong passwords is recorded with network and request, and the explanation says that only a reset ends the lock', async () => {
  await t.signedIn('locked@example.com')
  const userId = await userIdOf('locked@example.com')
  for (let i = 0; i < lockedAfter - 1; i += 1) {
    expect((await guess('locked@example.com', '203.0.113.9')).status).toBe(401)
    t.clock.advance({ minutes: 16 })
  }
  expect((await told(userId)).filter(([type]) => type === 'user.locked')).toEqual([])
  for (let i = 0; i < free; i += 1) await guess('locked@example.com', '203.0.113.9')
  const locks = (await recorded(userId)).filter(({ type }) => type === 'user.locked')
  expect(locks.map(({ data }) => data)).toEqual([
    { scope: 'all', failures: lockedAfter },
    { scope: 'some', failures: lockedAfter },
  ])
  expect(locks[0]).toMatchObject({ address: '203.0.113.9', request_id: 'guess-0001', actor_kind: 'anonymous' })
  const support = await signedInAs(t, 'support')
  const { entries } = await support.api.signIns.explainSignIn({ query: { user: 'locked@example.com' } })
  expect(entries.filter(({ what }) => what === 'user.locked')).toHaveLength(2)
  expect(entries.map(({ text }) => text)).toContain(
    'After 30 wrong passwords in a row only a reset lets the password in: from every browser that the account does not know.',
  )
})

test('a wait that applies to all untrusted clients is recorded when the wait begins, and at most once a day', async () => {
  await t.signedIn('slowed@example.com')
  const userId = await userIdOf('slowed@example.com')
  // Nine failures of each hour count: a wait starts anew in each of three hours, and the fourth hour locks the password.
  for (let hour = 0; hour < 6; hour += 1) {
    for (let n = 0; n < freeTogether + 3; n += 1) await guess('slowed@example.com', `203.${hour}.${n % 6}.1`)
    t.clock.advance({ hours: 1 })
  }
  const first = await told(userId)
  expect(first.filter(([type]) => type === 'user.throttled')).toEqual([['user.throttled', 'all', freeTogether]])
  t.clock.advance({ hours: 34 })
  await t.app.core.db.knex('password_failure').where({ user_id: userId }).update({ consecutive: 20 })
  for (let n = 0; n < freeTogether + 3; n += 1) await guess('slowed@example.com', `198.51.${n % 6}.1`)
  expect((await told(userId)).filter(([type]) => type === 'user.throttled')).toHaveLength(2)
})

test('wrong passwords for an email address without an account record no event', async () => {
  const before = (await recorded()).length
  for (let n = 0; n < freeTogether + 3; n += 1) await guess('nobody@example.com', `203.0.${n % 6}.1`)
  for (let i = 0; i < lockedAfter + 5; i += 1) {
    await guess('nobody@example.com', '203.0.113.77')
    t.clock.advance({ minutes: 16 })
  }
  expect(await recorded()).toHaveLength(before)
})

test('a lock that is undone by a failed check and reached again is recorded once', async () => {
  await t.signedIn('flap@example.com')
  const userId = await userIdOf('flap@example.com')
  const policy = {
    ...{ freeAttempts: 100, windowSeconds: 900, firstWaitSeconds: 15, longestWaitSeconds: 900, resetAfter: 10 },
    ...{ keptSeconds: 86_400, mostKept: 100 },
  }
  const throttling = createThrottling(t.app.core, policy)
  const actor = { kind: 'anonymous', address: '203.0.113.5', userAgent: '', requestId: 'flap' } as const
  const key = untrustedClient('flap@example.com', '203.0.113.5', userId)
  for (let i = 0; i < 9; i += 1) expect(await throttling.check(actor, key, async () => false)).toBe(false)
  const busy = async () => {
    throw coreErrors.error('SERVICE_UNAVAILABLE')
  }
  for (let i = 0; i < 5; i += 1) await expect(throttling.check(actor, key, busy)).rejects.toMatchObject({ status: 503 })
  expect(await told(userId)).toEqual([
    ['user.locked', 'all', 10],
    ['user.locked', 'some', 10],
  ])
})

test('a lock that is reached again after a reset is recorded again', async () => {
  const userId = await userIdOf('flap@example.com')
  await t.app.core.transact((tx) => t.app.attempts.forgetFailures(tx, { id: userId, email: 'flap@example.com' }))
  for (let i = 0; i < lockedAfter; i += 1) {
    await guess('flap@example.com', '203.0.113.5')
    t.clock.advance({ minutes: 16 })
  }
  expect((await told(userId)).filter(([type]) => type === 'user.locked')).toHaveLength(4)
})
