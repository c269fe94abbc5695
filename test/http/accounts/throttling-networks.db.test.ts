import { afterAll, beforeAll, expect, test } from 'vitest'
import { createThrottling, sessionKey, untrustedClient } from '../../../src/authentication/attempts/throttling/service.ts'
import { coreErrors } from '../../../src/core/errors.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'

/** Lower than the default, because a low limit shows the same behaviour. */
const [free, lockedAfter] = [3, 10]

let t: TestApp
beforeAll(async () => {
  const accounts = { guessing: { freeAttempts: free, resetAfter: lockedAfter } }
  t = await testApp({ config: { trustedProxies: ['127.0.0.0/8', '::1'], accounts } })
  t.clock.hold()
})
afterAll(() => t.stop())

const attempt = (email: string, network: string, given: string, client = t.client()) =>
  client.post('/sign-in/email', { email, password: given }, { 'x-forwarded-for': network, origin: t.url })
const guess = async (email: string, network: string) => (await attempt(email, network, 'wrong password')).status
const signIn = async (email: string, network: string, client = t.client()) =>
  (await attempt(email, network, password, client)).status
const home = '198.51.100.7'

/** The browser of a new sign-up, connected to another node. */
const knownAt = async (node: TestApp, email: string) => {
  const device = (await t.signedIn(email)).cookies.get('gatehouse.device') ?? ''
  const browser = node.client()
  browser.cookies.set('gatehouse.device', device)
  return browser
}

/** Resets the password from a network. Returns the browser of the reset. */
const reset = async (email: string) => {
  await t.client().post('/request-password-reset', { email })
  const { link } = await t.mailTo(email, 'reset-password')
  const browser = t.client()
  const token = /reset-password\/(\w+)/.exec(link)?.[1]
  expect((await browser.post('/reset-password', { token, newPassword: password })).status).toBe(200)
  return browser
}

test('a network locked by wrong passwords does not slow down the owner in another network', async () => {
  await t.signedIn('owner@example.com')
  for (const email of ['owner@example.com', 'nobody@example.com']) {
    for (let i = 0; i < lockedAfter; i += 1) {
      expect(await guess(email, '203.0.113.9')).toBe(401)
      t.clock.advance({ minutes: 16 })
    }
    expect(await guess(email, '203.0.113.200')).toBe(429)
    expect(await guess(email, '192.0.2.1')).toBe(401)
    expect(await guess(email, '192.0.2.1')).toBe(429)
  }
  expect(await signIn('owner@example.com', home)).toBe(200)
})

test('after three times the free attempts all networks with wrong passwords wait, and a network without wrong passwords does not wait', async () => {
  await t.signedIn('many@example.com')
  for (const email of ['many@example.com', 'nobody2@example.com']) {
    for (let i = 0; i < 3 * free; i += 1) expect(await guess(email, `203.0.${i}.1`)).toBe(401)
    expect(await guess(email, '203.0.1.1')).toBe(429)
  }
  expect(await signIn('many@example.com', home)).toBe(200)
})

test('after a password reset only the browser that made the reset is a known browser', async () => {
  const before = await t.signedIn('reset@example.com')
  const browser = await reset('reset@example.com')
  expect(browser.cookies.has('gatehouse.device')).toBe(true)
  for (let i = 0; i < free + 1; i += 1) await guess('reset@example.com', home)
  expect(await signIn('reset@example.com', home, before)).toBe(429)
  expect(await signIn('reset@example.com', home, browser)).toBe(200)
})

test('a password reset lifts the locks of all networks', async () => {
  await t.signedIn('lift@example.com')
  for (let i = 0; i < free + 1; i += 1) await guess('lift@example.com', home)
  expect(await signIn('lift@example.com', home)).toBe(429)
  await reset('lift@example.com')
  expect(await signIn('lift@example.com', home)).toBe(200)
})

test('a new password that ends all other sessions makes the other browsers untrusted', async () => {
  const other = await t.signedIn('change@example.com')
  const own = t.client()
  expect(await signIn('change@example.com', home, own)).toBe(200)
  const change = { currentPassword: password, newPassword: password, revokeOtherSessions: true }
  expect((await own.post('/change-password', change)).status).toBe(200)
  await own.post('/sign-out')
  for (let i = 0; i < free + 1; i += 1) await guess('change@example.com', home)
  expect(await signIn('change@example.com', home, other)).toBe(429)
  expect(await signIn('change@example.com', home, own)).toBe(200)
})

const guesser = { kind: 'anonymous', address: home, userAgent: '', requestId: 'guess' } as const
const policy = {
  ...{ freeAttempts: 10, windowSeconds: 900, firstWaitSeconds: 15, longestWaitSeconds: 900, resetAfter: 100 },
  ...{ keptSeconds: 86_400, mostKept: 8 },
}

test('counts of wrong passwords are limited in number and expire after a day, oldest first, for known and unknown email addresses alike', async () => {
  const { db } = t.app.core
  const throttling = createThrottling(t.app.core, policy)
  const kept = (): Promise<string[]> => db.knex('password_failure').orderBy('last_at').pluck('key')
  const throttleKeys = Array.from({ length: 12 }, (_, n) =>
    untrustedClient(`full${n}@example.com`, home, n % 2 === 0 ? null : `user${n}`),
  )
  await throttling.retention.sweep()
  for (const throttleKey of throttleKeys) {
    t.clock.advance({ seconds: 1 })
    await throttling.attempt(guesser, throttleKey)
  }
  await throttling.retention.sweep()
  const newest = throttleKeys.slice(-4).flatMap(({ key, sharedKey }) => [key, sharedKey])
  expect((await kept()).sort()).toEqual(newest.sort())
  t.clock.advance({ days: 1, seconds: 1 })
  await throttling.retention.sweep()
  expect(await kept()).toEqual([])
})

test('a password that could not be checked in time does not count as wrong', async () => {
  const throttling = createThrottling(t.app.core, policy)
  for (const throttleKey of [
    untrustedClient('busy@example.com', home, null),
    sessionKey({ id: 'some session', userId: 'someone' }),
  ]) {
    const wrong = () => throttling.check(guesser, throttleKey, async () => false)
    for (let i = 0; i < 5; i += 1) expect(await wrong()).toBe(false)
    const busy = async () => {
      throw coreErrors.error('SERVICE_UNAVAILABLE')
    }
    for (let i = 0; i < 15; i += 1)
      await expect(throttling.check(guesser, throttleKey, busy)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    for (let i = 0; i < 5; i += 1) expect(await wrong()).toBe(false)
    await expect(wrong()).rejects.toMatchObject({ status: 429 })
  }
})

test('untrusted clients of one IPv6 /48 or IPv4 /24 share a limit that does not apply to a known browser', async () => {
  const limits = { enabled: 'on', strict: { max: 1000 }, general: { max: 1000 }, network: { max: 5, windowSeconds: 3600 } }
  const node = await t.node({ limits })
  const owner = await knownAt(node, 'neighbour@example.com')
  for (const addressOf of [(n: number) => `2001:db8:0:${n + 1}::1`, (n: number) => `203.0.113.${n}`]) {
    const statuses: number[] = []
    for (let n = 0; n < 8; n += 1)
      statuses.push((await attempt(`n${n}@example.com`, addressOf(n), password, node.client())).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    const signUp = { email: 'fresh@example.com', name: 'Ann', password }
    const refused = await node.client().post('/sign-up/email', signUp, { 'x-forwarded-for': addressOf(9), origin: t.url })
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await signIn('neighbour@example.com', addressOf(9), owner)).toBe(200)
  }
  expect((await attempt('n9@example.com', '2001:db8:1::1', password, node.client())).status).toBe(401)
  await node.stop()
})

test('mails requested by one IPv6 /48 or IPv4 /24 share a limit, so they do not suppress mails requested by other networks', async () => {
  const limits = { enabled: 'on', strict: { max: 1000 }, general: { max: 1000 }, network: { max: 5, windowSeconds: 3600 } }
  const node = await t.node({ limits })
  const ask = async (path: string, address: string) => {
    const from = { 'x-forwarded-for': address, origin: t.url }
    return (await node.client().post(path, { email: 'asked@example.com' }, from)).status
  }
  for (const addressOf of [(n: number) => `2001:db8:7:${n + 1}::1`, (n: number) => `203.0.115.${n}`]) {
    const statuses: number[] = []
    for (let n = 0; n < 7; n += 1)
      statuses.push(await ask(n % 2 === 0 ? '/request-password-reset' : '/send-verification-email', addressOf(n)))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
  }
  expect(await ask('/request-password-reset', '2001:db8:8::1')).toBe(200)
  await node.stop()
})

test('an owner in a known browser does not wait behind untrusted clients for a password check', async () => {
  // No race in the database: the queue for hashing passwords is in the process.
  const node = await t.node({ password: { memoryKib: 19_456, timeCost: 2 } })
  const owner = await knownAt(node, 'first@example.com')
  const answered: string[] = []
  const at = (name: string, client = node.client()) =>
    attempt(`${name}@example.com`, home, password, client).then(({ status }) => answered.push(`${name} ${status}`))
  const strangers = Array.from({ length: 30 }, (_, n) => at(`stranger${n}`))
  await Promise.race(strangers)
  await at('first', owner)
  expect(answered.indexOf('first 200')).toBeGreaterThan(0)
  expect(answered.length).toBeLessThan(16)
  await Promise.all(strangers)
  await node.stop()
})
