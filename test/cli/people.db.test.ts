import { afterAll, beforeAll, expect, test } from 'vitest'
import { password } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, serveHere } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>

const run = (...args: readonly string[]) => runCommand(args, env)
const json = async (...args: readonly string[]) => (await run(...args, '--json')).json()

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

const created = async (email: string, ...more: readonly string[]) => {
  const args = ['create-user', '--email', email, '--name', 'Ann', '--password-stdin', '--json', ...more]
  return (await runCommand(args, env, password)).json() as { id: string }
}
const signIn = (email: string) => daemon.client().post('/sign-in/email', { email, password })

test("after ban-user the running daemon refuses the user's sign-in, until unban-user", async () => {
  const { id } = await created('ban@example.com')
  const banned = await json('ban-user', '--user', 'ban@example.com', '--reason', 'spam', '--for', '12h')
  expect(banned).toMatchObject({ id, banned: true, banReason: 'spam' })
  expect((await signIn('ban@example.com')).json['code']).toBe('BANNED_USER')
  const lifted = await run('unban-user', '--user', id, '--reason', 'a mistake')
  expect(lifted.stdout).toContain('ban@example.com is not banned.')
  expect((await signIn('ban@example.com')).status).toBe(200)
  expect((await run('ban-user', '--user', id, '--for', 'long')).exitCode).toBe(2)
  const told = (await json('list-audit', '--subject', id, '--type', 'user.*')) as unknown as {
    type: string
    reason: string | null
  }[]
  expect(told.filter(({ type }) => /ban/.test(type)).map(({ reason }) => reason)).toEqual(['a mistake', 'spam'])
  for (const wrong of ['', 'x'.repeat(501), 'two\nlines'])
    expect(await run('ban-user', '--user', id, '--reason', wrong)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--reason'),
    })
  expect((await run('ban-user', '--user', 'nobody@example.com')).exitCode).toBe(3)
})

test('set-role sets only known roles, and refuses to demote the last administrator', async () => {
  await created('unproven@example.com')
  const unverified = await run('set-role', '--user', 'unproven@example.com', '--role', 'admin')
  expect([unverified.exitCode, unverified.stderr]).toEqual([
    3,
    expect.stringContaining('Address is not verified: unproven@example.com'),
  ])
  await created('role@example.com', '--verified')
  expect(await json('set-role', '--user', 'role@example.com', '--role', 'admin')).toMatchObject({ role: 'admin' })
  expect((await run('set-role', '--user', 'role@example.com', '--role', 'boss')).exitCode).toBe(2)
  expect((await run('set-role', '--user', 'role@example.com', '--role', 'user')).exitCode).toBe(3)
})

test('list-sessions shows sessions without tokens, and end-sessions ends one session or all', async () => {
  await created('sessions@example.com')
  const client = daemon.client()
  await client.api.accounts.signInEmail({ body: { email: 'sessions@example.com', password } })
  await signIn('sessions@example.com')
  const session = (await client.api.sessions.getSession())?.session
  const listed = await run('list-sessions', '--user', 'sessions@example.com', '--json')
  expect(listed.json()).toHaveLength(2)
  expect(listed.stdout).not.toContain(session?.token ?? 'x')
  await run('end-sessions', '--session', session?.id ?? '')
  expect(await client.api.sessions.getSession()).toBeNull()
  const would = await json('end-sessions', '--user', 'sessions@example.com', '--dry-run')
  expect(would).toMatchObject({ user: 'sessions@example.com', isApplied: false, sessions: [{ address: '127.0.0.1' }] })
  expect(await json('list-sessions', '--user', 'sessions@example.com')).toHaveLength(1)
  expect((await run('end-sessions', '--session', 'none', '--dry-run')).exitCode).toBe(2)
  expect((await run('end-sessions', '--user', 'nobody@example.com', '--dry-run')).exitCode).toBe(3)
  expect((await run('end-sessions', '--user', 'sessions@example.com')).exitCode).toBe(0)
  expect(await json('list-sessions', '--user', 'sessions@example.com')).toEqual([])
  expect((await run('end-sessions')).exitCode).toBe(2)
  expect((await run('end-sessions', '--session', 'none')).exitCode).toBe(3)
})

test('delete-user requires --yes', async () => {
  await created('gone@example.com')
  expect((await run('delete-user', '--user', 'gone@example.com')).exitCode).toBe(2)
  expect((await run('delete-user', '--user', 'gone@example.com', '--yes')).exitCode).toBe(0)
  expect((await signIn('gone@example.com')).status).toBe(401)
  expect((await run('delete-user', '--user', 'gone@example.com', '--yes')).exitCode).toBe(3)
})
