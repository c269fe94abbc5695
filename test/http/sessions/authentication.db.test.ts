import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { accounts: { signInAfterVerification: true, verifyOnSignUp: true } } })
})
afterAll(() => t.stop())

const acr = 'urn:gatehouse:acr:1fa'

/** How the session of a client was authenticated, as stored. `when` makes the call that gives the proofs. */
const authenticationOf = async (client: ReturnType<TestApp['client']>, when?: () => Promise<unknown>) => {
  const before = new Date()
  await when?.()
  const session = await client.api.sessions.getSession()
  const stored = await t.app.sessions.authenticationOf(t.app.core.db, session?.session.id ?? '')
  if (when !== undefined)
    for (const { at } of stored?.proofs ?? []) expect(before <= new Date(at) && new Date(at) <= new Date()).toBe(true)
  return { ...stored, proofs: stored?.proofs.map(({ method }) => method) }
}

test('a session started by a password has the amr value pwd, the class of one factor and the time of the proof', async () => {
  const client = await t.signedIn('ann@example.com')
  expect(await authenticationOf(client)).toMatchObject({ amr: ['pwd'], acr, proofs: ['password'] })
  t.clock.advance({ minutes: 5 })
  const again = () => client.post('/sign-in/email', { email: 'ann@example.com', password })
  expect(await authenticationOf(client, again)).toMatchObject({ amr: ['pwd'], acr, proofs: ['password'] })
})

test('a session that replaces all others after a password change has the time of the change as authentication time', async () => {
  const client = await t.signedIn('change@example.com')
  t.clock.advance({ minutes: 5 })
  const change = () =>
    client.post('/change-password', { currentPassword: password, newPassword: 'another long one', revokeOtherSessions: true })
  expect(await authenticationOf(client, change)).toMatchObject({ amr: ['pwd'], proofs: ['password'] })
})

test('a session started by a mailed link has no amr value and no proof of the password', async () => {
  const client = await t.signedIn('link@example.com')
  await client.post('/sign-out')
  const { link } = await t.mailTo('link@example.com', 'verification')
  const token = new URL(link).searchParams.get('token')
  expect((await client.post('/verify-email', { token })).status).toBe(200)
  expect(await authenticationOf(client)).toMatchObject({ amr: [], acr, proofs: ['mail-link'] })
})

test('a mailed link confirmed with the password in another browser counts as one factor', async () => {
  await t.signedIn('both@example.com')
  const { link } = await t.mailTo('both@example.com', 'verification')
  const token = new URL(link).searchParams.get('token')
  const client = t.client()
  expect((await client.post('/verify-email', { token, password })).status).toBe(200)
  expect(await authenticationOf(client)).toMatchObject({ amr: ['pwd'], acr, proofs: ['mail-link', 'password'] })
})
