import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizePath, register } from '../http/oidc/flow.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'

let t: TestApp
let env: Environment
beforeAll(async () => {
  t = await testApp()
  env = environmentOf(t.database)
  await t.signedIn('ann@example.com')
  for (const [email, typed] of [
    ['nobody@example.com', password],
    ['ann@example.com', 'a wrong password'],
    ['ann@example.com', 'another wrong one'],
  ] as const) {
    t.clock.advance({ seconds: 1 })
    await t.client().post('/sign-in/email', { email, password: typed })
  }
  await t.app.signInFailures.settled()
})
afterAll(() => t.stop())

const list = (...flags: readonly string[]) => runCommand(['list-failed-sign-ins', ...flags], env)

test('list-failed-sign-ins shows time, reason and origin, newest first', slow, async () => {
  const { exitCode, stdout } = await list('-o', 'table')
  expect(exitCode).toBe(0)
  const lines = stdout.split('\n').filter((line) => line.includes('127.0.0.1'))
  expect(lines).toEqual([
    expect.stringMatching(/^\s*\S+Z +wrong-password +The password was wrong\. +\S+ +127\.0\.0\.1 +1/),
    expect.stringContaining('wrong-password'),
    expect.stringContaining('unknown-address'),
  ])
  expect(stdout).not.toContain('@example.com')
})

test(
  'list-failed-sign-ins --json prints the rows of the API call page by page, also for one user by email address',
  slow,
  async () => {
    const all = (await list('--json')).json() as readonly { readonly id: string; readonly what: string }[]
    expect(all.map(({ what }) => what)).toEqual(['wrong-password', 'wrong-password', 'unknown-address'])
    const ids = async (...flags: readonly string[]) =>
      ((await list(...flags, '--json')).json() as typeof all).map(({ id }) => all.findIndex((one) => one.id === id))
    expect(await ids('--user', 'ann@example.com')).toEqual([0, 1])
    expect(await ids('--why', 'unknown-address', '--method', 'password')).toEqual([2])
    expect(await ids('--order', 'asc', '--limit', '2')).toEqual([2, 1])
    expect(await ids('--until', '2020-01-01')).toEqual([])
  },
)

test('list-failed-sign-ins finds the refusals of one application by their reason', slow, async () => {
  const [shop, other] = [await register(t, { pkce: 'required' }), await register(t, { pkce: 'required' })]
  const plain = { code_challenge: undefined, code_challenge_method: undefined }
  for (const application of [shop, other]) await t.client().request(authorizePath(application, plain))
  await t.client().request(authorizePath(shop, { scope: 'openid api' }))
  await t.app.signInFailures.settled()
  const found = async (...flags: readonly string[]) =>
    ((await list('--json', ...flags)).json() as readonly { readonly what: string }[]).map(({ what }) => what)
  expect(await found('--client', shop.clientId)).toEqual(['scope', 'pkce'])
  expect(await found('--client', shop.clientId, '--why', 'pkce')).toEqual(['pkce'])
  expect(await found('--why', 'pkce')).toEqual(['pkce', 'pkce'])
  expect(await found('--client', 'nobody')).toEqual([])
})

test('list-failed-sign-ins refuses an unknown reason and an unknown user', slow, async () => {
  const reason = await list('--why', 'bad-luck')
  expect([reason.exitCode, reason.stderr]).toEqual([2, expect.stringContaining('wrong-password')])
  const absent = await list('--user', 'absent@example.com')
  expect([absent.exitCode, absent.stderr]).toEqual([3, expect.stringContaining('USER_NOT_FOUND')])
})
