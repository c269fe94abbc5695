import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

/** Lower than the default, because a low limit shows the same behaviour. */
const [free, lockedAfter] = [3, 10]

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { accounts: { guessing: { freeAttempts: free, resetAfter: lockedAfter } } } })
  t.clock.hold()
})
afterAll(() => t.stop())

const guess = (email: string, client = t.client()) => client.post('/sign-in/email', { email, password: 'wrong password' })
const signIn = (email: string, client = t.client()) => client.post('/sign-in/email', { email, password })

test('after the free attempts each further wrong password waits longer, for known and unknown email addresses', async () => {
  await t.signedIn('ann@example.com')
  for (const email of ['ann@example.com', 'nobody@example.com']) {
    for (let i = 0; i < free; i += 1) expect((await guess(email)).status).toBe(401)
    const first = await guess(email)
    expect([first.status, first.headers.get('retry-after'), first.json['code']]).toEqual([
      429,
      '15',
      'TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER',
    ])
  }
  expect((await signIn('ann@example.com')).status).toBe(429)
  t.clock.advance({ seconds: 16 })
  expect((await guess('ann@example.com')).status).toBe(401)
  expect((await guess('ann@example.com')).headers.get('retry-after')).toBe('30')
  t.clock.advance({ seconds: 31 })
  expect((await signIn('ann@example.com')).status).toBe(200)
  expect((await guess('ann@example.com')).status).toBe(401)
})

testOnBoth('of many simultaneous wrong passwords only the free attempts are checked', async () => {
  await t.signedIn('race@example.com')
  const answers = await Promise.all(Array.from({ length: 20 }, () => guess('race@example.com')))
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(free)
})

test('untrusted clients cannot lock the owner out, because a known browser has its own counter and sessions stay valid', async () => {
  const owner = await t.signedIn('owner@example.com')
  for (let i = 0; i < free + 2; i += 1) await guess('owner@example.com')
  expect((await signIn('owner@example.com')).status).toBe(429)
  expect(await owner.api.sessions.getSession()).not.toBeNull()
  await owner.post('/sign-out')
  expect((await signIn('owner@example.com', owner)).status).toBe(200)
  await owner.post('/sign-out')
  for (let i = 0; i < free; i += 1) expect((await guess('owner@example.com', owner)).status).toBe(401)
  expect((await guess('owner@example.com', owner)).status).toBe(429)
})

test('a client with a forged device cookie, or with the cookie of another account, is untrusted', async () => {
  await t.signedIn('target@example.com')
  const other = await t.signedIn('other@example.com')
  await other.post('/sign-out')
  for (let i = 0; i <= free; i += 1) await guess('target@example.com')
  expect((await signIn('target@example.com', other)).status).toBe(429)
  const forger = t.client()
  forger.cookies.set('gatehouse.device', `${'A'.repeat(32)}.${'B'.repeat(44)}`)
  expect((await signIn('target@example.com', forger)).status).toBe(429)
})

test('after too many wrong passwords in a row the right password works only after a reset', async () => {
  await t.signedIn('locked@example.com')
  for (const email of ['locked@example.com', 'nobody2@example.com']) {
    for (let i = 0; i < lockedAfter; i += 1) {
      expect((await guess(email)).status).toBe(401)
      t.clock.advance({ minutes: 16 })
    }
    const locked = await signIn(email)
    expect([locked.status, locked.json['code']]).toEqual([429, 'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD'])
  }
  await t.client().post('/request-password-reset', { email: 'locked@example.com' })
  const { link } = await t.mailTo('locked@example.com', 'reset-password')
  const token = /reset-password\/(\w+)/.exec(link)?.[1]
  expect((await t.client().post('/reset-password', { token, newPassword: password })).status).toBe(200)
  expect((await signIn('locked@example.com')).status).toBe(200)
})
