/** The findings of doctor about second factors. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { CheckResult } from '../../../src/core/checks.ts'
import { runChecks } from '../../../src/core/checks.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { dialect } from '../../support/database.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'
import { codeOf, withAuthenticator } from '../../support/totp.ts'

let t: TestApp
const no = dialect === 'sqlite' ? '0' : 'false'
beforeAll(async () => {
  t = await testApp({ config: { secondFactor: { graceDays: 1 } } })
})
beforeEach(async () => {
  t.clock.hold()
  await t.app.core.db.knex('user').update({ role: 'user', second_factor_due: null, second_factor_required: false })
})
afterAll(() => t.stop())

const { register } = passkeySteps(() => t)
const find = async (name: string, app = t): Promise<readonly CheckResult[]> => {
  const checks = app.app.registered.flatMap(({ checks = [] }) => checks).filter((check) => check.name === name)
  return runChecks(checks)
}
const idOf = async (email: string) => (await t.app.users.require(t.app.core.db, email)).id

test('doctor names an administrator without a second factor, the due date and the remedy, before and after the due date', async () => {
  expect(await find('second-factors')).toMatchObject([{ severity: 'ok' }])
  await signedInAs(t, 'admin', 'bare@example.com')
  const id = await idOf('bare@example.com')
  expect(await find('second-factors')).toMatchObject([
    {
      severity: 'warning',
      message: expect.stringMatching(new RegExp(`^The user ${id} \\(admin\\).* since the account was made on 20`)),
      remedy: `gatehouse require-factor --user ${id}`,
    },
  ])
  const other = await signedInAs(t, 'admin', 'strong@example.com')
  const { totpURI } = await other.api.twoFactor.enable({ body: { password } })
  await other.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  const due = new Date(Date.now() + 86_400_000).toISOString()
  expect(await find('second-factors')).toMatchObject([{ severity: 'notice', message: expect.stringContaining(`due on ${due}`) }])
  t.clock.advance({ hours: 25 })
  expect(await find('second-factors')).toMatchObject([
    { severity: 'warning', message: expect.stringContaining(`was due on ${due}`), remedy: expect.stringContaining(id) },
  ])
})

test('doctor names three of many overdue people with permissions and counts the others, and counts overdue people without permissions', async () => {
  for (const n of [1, 2, 3, 4, 5]) await signedInAs(t, 'support', `helper${n}@example.com`)
  await t.signedIn('late@example.com')
  await t.app.core.db
    .knex('user')
    .where({ email: 'late@example.com' })
    .update({ second_factor_due: new Date(0) })
  const found = await find('second-factors')
  expect(found).toHaveLength(5)
  expect(found[3]?.message).toBe('2 more users have permissions of the instance and no second factor')
  expect(found[4]).toMatchObject({ severity: 'notice', message: expect.stringMatching(/^1 other user has/) })
})

test('doctor warns of disabled passkeys while somebody has no other second factor, without reading all users', async () => {
  const only = await t.signedIn('only@example.com')
  await register(only, createAuthenticator({}))
  await t.app.core.db
    .knex('account')
    .where({ user_id: await idOf('only@example.com') })
    .delete()
  const key = await t.signedIn('key@example.com')
  await register(key, createAuthenticator({ userVerified: false }))
  const { browser } = await withAuthenticator(t, 'fine@example.com')
  await register(browser, createAuthenticator({}))
  expect(await find('passkeys-off')).toMatchObject([{ severity: 'ok' }])
  const off = await t.node({ passkeys: { enabled: false } })
  expect(await find('passkeys-off', off)).toMatchObject([
    { severity: 'warning', message: '2 cannot sign in while passkeys are off: they have nothing else' },
  ])
  await off.stop()
})

testOnBoth('the check for second factors uses an index, however many users still need a second factor', async () => {
  await fill(t, 'user', 6_000, {
    ...{ id: "'many' || n.n", name: "'Many'", email: "'many' || n.n || '@many.test'", email_version: '0', role: "'user'" },
    ...{ email_verified: no, email_ever_verified: no },
    ...{ created_at: secondsIn2026, updated_at: secondsIn2026, second_factor_due: secondsIn2026 },
  })
  expect(await planFaults(t, { tables: ['user'], maxRows: 1_100 }, () => find('second-factors'))).toEqual([])
  const late = (await find('second-factors')).at(-1)
  expect(late?.message).toMatch(/^More than 1000 other users/)
})
