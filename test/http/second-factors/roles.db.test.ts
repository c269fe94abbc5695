/** Second factors required by role: of whom, from when on, and what one factor gives access to after that. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { codeOf } from '../../support/totp.ts'
import { operator } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { secondFactor: { graceDays: 1 } } })
})
beforeEach(async () => {
  t.clock.hold()
  t.clock.advance({ seconds: 90 })
  // Takes the roles of earlier tests away.
  await t.app.core.db.knex('user').update({ role: 'user', second_factor_due: null })
})
afterAll(() => t.stop())

const dueOf = async (email: string): Promise<Date | null> => (await t.app.users.require(t.app.core.db, email)).secondFactorDue
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
const enrol = async (browser: Client) => {
  const { totpURI } = await browser.api.twoFactor.enable({ body: { password } })
  await browser.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
}
const lose = async (email: string) => {
  const { id } = await t.app.users.require(t.app.core.db, email)
  await t.app.core.transact((tx) => t.app.secondFactors.removeAll(tx, operator, id))
}
const admin = async (browser: Client) => {
  const { status, json } = await browser.request('/admin/users')
  return status === 200 ? 200 : [status, json['code']]
}
const signIn = async (node: TestApp, email: string) => {
  const browser = node.client()
  const { json } = await browser.post('/sign-in/email', { email, password })
  return { browser, isSession: (json['user'] as object | undefined) !== undefined, methods: json['twoFactorMethods'] }
}

test('the grace period of all administrators starts when one of them gets a second factor, and ends when nobody has one any more', async () => {
  const first = await signedInAs(t, 'admin', 'first@example.com')
  const second = await signedInAs(t, 'admin', 'second@example.com')
  await signedInAs(t, 'support', 'helper@example.com')
  await t.signedIn('nobody@example.com')
  expect([await dueOf('first@example.com'), await dueOf('second@example.com')]).toEqual([null, null])
  await enrol(first)
  expect(await dueOf('second@example.com')).toEqual(inDays(1))
  expect(await dueOf('helper@example.com')).toEqual(inDays(1))
  expect(await dueOf('nobody@example.com')).toBeNull()
  const required = await t.app.core.db.knex('event').where({ type: 'second_factor.required' }).pluck('subject_id')
  expect(required).toContain((await t.app.users.require(t.app.core.db, 'second@example.com')).id)
  expect(await admin(second)).toBe(200)
  await lose('first@example.com')
  expect([await dueOf('second@example.com'), await dueOf('helper@example.com')]).toEqual([null, null])
})

test('giving a role to a person with a second factor starts the grace period of others with the role, and removing the role ends the period', async () => {
  await signedInAs(t, 'admin', 'waits@example.com')
  const strong = await t.signedIn('strong@example.com')
  await t.verify('strong@example.com')
  await enrol(strong)
  expect(await dueOf('waits@example.com')).toBeNull()
  await t.app.administration.setRole(operator, 'strong@example.com', 'support')
  expect(await dueOf('waits@example.com')).toEqual(inDays(1))
  await t.signedIn('later@example.com')
  await t.verify('later@example.com')
  await t.app.administration.setRole(operator, 'later@example.com', 'admin')
  expect(await dueOf('later@example.com')).toEqual(inDays(1))
  await t.app.administration.setRole(operator, 'later@example.com', 'user')
  expect(await dueOf('later@example.com')).toBeNull()
  await t.app.administration.setRole(operator, 'strong@example.com', 'user')
  expect(await dueOf('waits@example.com')).toBeNull()
})

test('after the grace period a session of one factor has no permission of its role, and a sign-in by password only leads to adding a second factor', async () => {
  const first = await signedInAs(t, 'admin', 'early@example.com')
  const late = await signedInAs(t, 'admin', 'late@example.com')
  await enrol(first)
  t.clock.advance({ hours: 23 })
  expect(await admin(late)).toBe(200)
  expect(await signIn(t, 'late@example.com')).toMatchObject({ isSession: true })
  t.clock.advance({ hours: 2 })
  expect(await admin(late)).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
  expect(await late.api.sessions.getSession()).not.toBeNull()
  const { browser, isSession, methods } = await signIn(t, 'late@example.com')
  expect([isSession, methods]).toEqual([false, []])
  await enrol(browser)
  expect(await admin(browser)).toBe(200)
})

test("only listed roles require a second factor, and with passwordAlone set to account a password still gives access to one's own account", async () => {
  const node = await testApp({ config: { secondFactor: { requiredFor: ['support'], graceDays: 0, passwordAlone: 'account' } } })
  await signedInAs(node, 'support', 'listed@example.com')
  await signedInAs(node, 'admin', 'unlisted@example.com')
  const listed = await signIn(node, 'listed@example.com')
  expect(listed.isSession).toBe(true)
  expect(await admin(listed.browser)).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
  expect(await listed.browser.api.sessions.getSession()).not.toBeNull()
  expect(await admin((await signIn(node, 'unlisted@example.com')).browser)).toBe(200)
  await enrol(listed.browser)
  expect(await admin(listed.browser)).toBe(200)
  await node.stop()
})

test('if the list contains user and the grace period is zero, everybody adds a second factor at the next sign-in', async () => {
  const node = await testApp({ config: { secondFactor: { requiredFor: ['user'], graceDays: 0 } } })
  expect((await node.client().post('/sign-up/email', { email: 'everybody@example.com', name: 'Eve', password })).status).toBe(200)
  const { browser, isSession, methods } = await signIn(node, 'everybody@example.com')
  expect([isSession, methods]).toEqual([false, []])
  expect(await browser.api.sessions.getSession()).toBeNull()
  await enrol(browser)
  expect(await browser.api.sessions.getSession()).not.toBeNull()
  await node.stop()
})

test('a changed list of roles applies from the next start to people who already have the roles', async () => {
  await signedInAs(t, 'support', 'changed@example.com')
  const strict = await t.node({ secondFactor: { requiredFor: ['support'], graceDays: 3 } })
  expect(await dueOf('changed@example.com')).toEqual(inDays(3))
  await strict.stop()
  const open = await t.node({ secondFactor: { requiredFor: [] } })
  expect(await dueOf('changed@example.com')).toBeNull()
  await open.stop()
})

test('an unknown role in secondFactor.requiredFor is refused at start', async () => {
  await expect(t.node({ secondFactor: { requiredFor: ['admin', 'boss'] } })).rejects.toThrow(
    /secondFactor\.requiredFor.*expected auto or roles of the instance.*boss is none/s,
  )
})

test("an administrator's API key loses the role's permissions while a required second factor is overdue, and ends when the factor is added", async () => {
  const late = await signedInAs(t, 'admin', 'late-key@example.com')
  const user = 'late-key@example.com'
  const { key } = await t.app.apiKeys.create(operator, { kind: 'user', user }, { name: 'Script', permissions: ['users:read'] })
  const headers = { authorization: `Bearer ${key}` }
  const list = async () => (await t.client().request('/admin/users', { headers })).status
  expect(await list()).toBe(200)
  const setDue = (secondFactorDue: Date) =>
    t.app.core.db.knex('user').where({ email: user }).update({ second_factor_due: secondFactorDue })
  await setDue(inDays(1))
  expect(await list()).toBe(200)
  await setDue(inDays(-1))
  expect(await list()).toBe(403)
  await enrol(late)
  expect(await list()).toBe(401)
})
