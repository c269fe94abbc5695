/** Two simultaneous proofs of one session. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { outcome } from '../../support/passkeys.ts'
import { codeOf, withAuthenticator } from '../../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  t.clock.hold()
})
afterAll(() => t.stop())

test('of two simultaneous proofs in a session one succeeds, the session stays one session, and a new factor still counts as new', async () => {
  const { browser, totpURI } = await withAuthenticator(t, 'at-once@example.com')
  const tabs = [t.client(), t.client()] as const
  for (const tab of tabs) for (const [name, value] of browser.cookies) tab.cookies.set(name, value)
  const answers = await Promise.all(tabs.map((tab) => tab.post('/verify-password', { password })))
  expect(answers.map(outcome).sort()).toEqual([
    [200, null],
    [401, 'INVALID_TWO_FACTOR_COOKIE'],
  ])
  const { core, users } = t.app
  const { id } = await users.require(core.db, 'at-once@example.com')
  expect(await core.db.knex('session').where({ user_id: id })).toHaveLength(1)
  t.clock.advance({ minutes: 11 })
  const thief = tabs[answers.findIndex(({ status }) => status === 200)] ?? browser
  expect((await thief.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200)
  expect(outcome(await thief.post('/two-factor/generate-backup-codes', {}))).toEqual([403, 'SESSION_IS_NOT_FRESH'])
})
