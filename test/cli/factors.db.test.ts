import { afterAll, beforeAll, expect, test } from 'vitest'
import { password } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, serveHere } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'
import { codeOf } from '../support/totp.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>

const run = (...args: readonly string[]) => runCommand(args, env)
const json = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
  (await run(...args, '--json')).json() as Record<string, unknown>

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

const withFactor = async (email: string) => {
  await runCommand(['create-user', '--email', email, '--name', 'Ann', '--verified', '--password-stdin', '--json'], env, password)
  const browser = daemon.client()
  await browser.api.accounts.signInEmail({ body: { email, password } })
  const { totpURI } = await browser.api.twoFactor.enable({ body: { password } })
  await browser.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  return browser
}
const signIn = async (email: string) => (await daemon.client().post('/sign-in/email', { email, password })).json

test('list-factors shows second factors without secrets, and remove-factor removes one or all while the daemon runs', async () => {
  const email = 'ann@example.com'
  await withFactor(email)
  const listed = await run('list-factors', '--user', email)
  expect(listed.stdout).toMatch(/A password alone does not sign in ann@example.com.*\n.*Ways to sign in: 1/)
  expect(listed.stdout).toContain('recovery-code')
  const found = await json('list-factors', '--user', email)
  const factors = found['factors'] as { id: string; kind: string }[]
  expect(factors.map(({ kind }) => kind).toSorted()).toEqual(['recovery-code', 'totp'])
  expect((await signIn(email))['twoFactorRedirect']).toBe(true)
  const totp = factors.find(({ kind }) => kind === 'totp')?.id ?? ''
  const codes = factors.find(({ kind }) => kind === 'recovery-code')?.id ?? ''
  expect((await run('remove-factor', '--user', email, '--factor', codes)).exitCode).toBe(3)
  const removed = await run('remove-factor', '--user', email, '--factor', totp, '--reason', 'telephone lost')
  expect(removed.stdout).toBe('ann@example.com has no second factor.\n')
  expect((await signIn(email))['user']).toBeDefined()
  const [told] = (await json('list-audit', '--type', 'totp.disabled')) as unknown as { reason: string }[]
  expect(told?.reason).toBe('telephone lost')
  const named = (await json('list-audit', '--with-reason', 'telephone lost')) as unknown as { type: string; reason: string }[]
  expect(named.map(({ type }) => type)).toContain('totp.disabled')
  expect(new Set(named.map(({ reason }) => reason))).toEqual(new Set(['telephone lost']))
  expect(await json('list-audit', '--with-reason', 'telephone')).toEqual([])
  await withFactor('ben@example.com')
  // Without a terminal nobody can be asked.
  expect((await run('remove-factor', '--user', 'ben@example.com', '--all')).exitCode).not.toBe(0)
  expect((await json('list-factors', '--user', 'ben@example.com'))['factors']).toHaveLength(2)
  expect(await json('remove-factor', '--user', 'ben@example.com', '--all', '--yes')).toMatchObject({
    factors: [],
    twoFactorEnabled: false,
  })
})

test('remove-factor requires the id of one factor or --all, and an existing user', async () => {
  for (const wrong of [[], ['--factor', 'x', '--all']])
    expect((await run('remove-factor', '--user', 'ann@example.com', ...wrong)).exitCode).toBe(2)
  expect((await run('remove-factor', '--user', 'ann@example.com', '--factor', 'none')).exitCode).toBe(3)
  expect((await run('list-factors', '--user', 'nobody@example.com')).exitCode).toBe(3)
})

test('require-factor sets the due date, list-users finds people who have to add a second factor, and --off lifts the requirement', async () => {
  const email = 'cat@example.com'
  await runCommand(['create-user', '--email', email, '--name', 'Cat', '--password-stdin', '--json'], env, password)
  const asked = await run('require-factor', '--user', email)
  expect(asked.stdout).toMatch(/^cat@example.com: A second factor is required of this person, due 20/)
  const users = (await json('list-users', '--second-factor', 'required')) as unknown as { email: string; secondFactor: string }[]
  expect(users.map((user) => [user.email, user.secondFactor])).toEqual([[email, 'required']])
  expect(await json('require-factor', '--user', email, '--off')).toMatchObject({ required: false, requirement: null })
  expect(await json('list-users', '--second-factor', 'required')).toEqual([])
  expect((await run('list-users', '--second-factor', 'none')).exitCode).toBe(2)
})

test('cancel-recovery fails with its exit code when there is no recovery wait', async () => {
  const { exitCode, stderr } = await run('cancel-recovery', '--user', 'ann@example.com')
  expect([exitCode, stderr.includes('There is nothing to cancel')]).toEqual([3, true])
  expect((await run('cancel-recovery', '--user', 'nobody@example.com')).exitCode).toBe(3)
})
