import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemPrincipal } from '../../src/access/principal.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'

let t: TestApp
let env: Environment
beforeAll(async () => {
  t = await testApp()
  env = environmentOf(t.database)
  await t.signedIn('ann@example.com')
  await t.app.administration.ban(systemPrincipal('test'), 'ann@example.com', 'chargebacks', undefined)
  for (const email of ['ann@example.com', 'anna@example.com']) await t.client().post('/sign-in/email', { email, password })
  await t.app.signInFailures.settled()
})
afterAll(() => t.stop())

const explain = (...flags: readonly string[]) => runCommand(['explain-sign-in', ...flags], env)

test('explain-sign-in shows the attempts, the obstacles and the command that helps', slow, async () => {
  const { exitCode, stdout } = await explain('--user', 'ann@example.com', '-o', 'table')
  expect(exitCode).toBe(0)
  for (const line of [
    /^History of ann@example\.com$/m,
    /^ {2}\S+ +Banned until the ban is lifted: chargebacks/m,
    /^ {2}\S+ +The user is banned\. +BANNED_USER +127\.0\.0\.1$/m,
    /^Now: The user is banned until the ban is lifted\.$/m,
    /^ {2}gatehouse unban-user --user ann@example\.com$/m,
  ])
    expect(stdout).toMatch(line)
})

test('explain-sign-in --json prints JSON, even for an email address without an account', slow, async () => {
  const done = await explain('--email', 'anna@example.com', '--json')
  expect(done.json()).toMatchObject({
    account: null,
    entries: [{ what: 'unknown-address', rule: 'INVALID_EMAIL_OR_PASSWORD', at: expect.stringMatching(/Z$/) }],
    verdict: { outcome: 'no-account', obstacles: [{ remedy: 'gatehouse create-user --email anna@example.com --name anna' }] },
  })
  // The remedy as it is printed, except for the prompt for the password.
  const remedy = ['create-user', '--email', 'anna@example.com', '--name', 'anna', '--password-stdin']
  expect(await runCommand(remedy, env, 'a long and uncommon one\n')).toMatchObject({ exitCode: 0 })
})

test('explain-sign-in requires a person or request to explain, and refuses an unknown user', slow, async () => {
  const nothing = await explain()
  expect([nothing.exitCode, nothing.stderr]).toEqual([
    2,
    expect.stringContaining('needs one of user, email, address and request'),
  ])
  const both = await explain('--user', 'ann@example.com', '--email', 'ann@example.com')
  expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('--email')])
  const absent = await explain('--user', 'absent@example.com')
  expect([absent.exitCode, absent.stderr]).toEqual([3, expect.stringContaining('USER_NOT_FOUND')])
})
