import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, serveHere } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>

const run = (args: readonly string[], input?: string) => runCommand(args, env, input)
const refusal = (stderr: string) => JSON.parse(stderr) as unknown

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  // Every command below runs while this daemon runs.
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

describe('set-password', () => {
  const createUser = (email: string) => ['create-user', '--email', email, '--name', 'Ann', '--password-stdin', '--json']
  const setPassword = (email: string, ...more: readonly string[]) => [
    'set-password',
    '--user',
    email,
    '--password-stdin',
    ...more,
  ]

  test("set-password sets the password of a user by email address or id while the daemon runs, and ends the user's sessions", async () => {
    const { id } = (await run(createUser('forgot@example.com'), password)).json() as { id: string }
    const client = daemon.client()
    await client.api.accounts.signInEmail({ body: { email: 'forgot@example.com', password } })
    const done = await run(setPassword('Forgot@example.com', '--json'), 'another battery staple')
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    expect(done.json()).toEqual({ id, email: 'forgot@example.com' })
    expect(await client.api.sessions.getSession()).toBeNull()
    await client.api.accounts.signInEmail({ body: { email: 'forgot@example.com', password: 'another battery staple' } })
    expect((await run(setPassword(id), 'a third staple')).stdout).toBe('forgot@example.com has a new password.\n')
  })

  test('set-password refuses an unknown user, a short password, and with --only-if-none an existing password', async () => {
    const refused = async (args: readonly string[], input: string) => {
      const done = await run([...args, '--json'], input)
      expect(done).toMatchObject({ exitCode: 3, stdout: '' })
      return refusal(done.stderr)
    }
    expect(await refused(setPassword('stranger@example.com'), password)).toMatchObject({ code: 'USER_NOT_FOUND' })
    expect(await refused(setPassword('forgot@example.com'), 'short')).toMatchObject({ code: 'PASSWORD_TOO_SHORT' })
    expect(await refused(setPassword('forgot@example.com', '--only-if-none'), password)).toEqual({
      code: 'USER_ALREADY_HAS_A_PASSWORD',
      message: 'user already has a password',
    })
    expect((await run(['set-password', '--user', 'forgot@example.com', '--password', 'geheim-geheim'])).exitCode).toBe(2)
  })
})

describe('create-recovery-link', () => {
  const create = (email: string, ...more: readonly string[]) =>
    run(['create-user', '--email', email, '--name', 'Ann', '--password-stdin', ...more], password)
  const link = (email: string) => run(['create-recovery-link', '--user', email, '--json'])

  test('a recovery link sets a new password once, ends sessions and the lock after wrong passwords, and is recorded', async () => {
    await create('locked@example.com', '--verified')
    const client = daemon.client()
    await client.api.accounts.signInEmail({ body: { email: 'locked@example.com', password } })
    const guess = () =>
      daemon
        .client()
        .post('/sign-in/email', { email: 'locked@example.com', password: 'a wrong password' }, { origin: daemon.url })
    for (let i = 0; i < 11; i += 1) await guess()
    expect((await guess()).status).toBe(429)
    const { url, id } = (await link('locked@example.com')).json() as { url: string; id: string }
    expect(url).toMatch(/\/reset-password\?token=\w{24}$/)
    const token = new URL(url).searchParams.get('token') ?? ''
    const use = () => daemon.client().post('/reset-password', { token, newPassword: 'another battery staple' })
    expect((await use()).status).toBe(200)
    expect([(await use()).status, await client.api.sessions.getSession()]).toEqual([400, null])
    const back = { email: 'locked@example.com', password: 'another battery staple' }
    expect((await daemon.client().post('/sign-in/email', back, { origin: daemon.url })).status).toBe(200)
    const events = (await run(['list-audit', '--subject', id, '--type', 'user.recovery_link_created', '--json'])).json()
    expect(events).toMatchObject([{ actorKind: 'system', subjectId: id }])
    expect(JSON.stringify(events)).not.toContain(token)
  })

  test('the event of a recovery link with --second-factor says that it removes second factors, and the link works once', async () => {
    await create('lost@example.com', '--verified')
    const done = await run(['create-recovery-link', '--user', 'lost@example.com', '--second-factor', '--json'])
    const { url, id } = done.json() as { url: string; id: string }
    const token = new URL(url).searchParams.get('token') ?? ''
    const use = () => daemon.client().post('/reset-password', { token, newPassword: 'another battery staple' })
    expect([(await use()).status, (await use()).status]).toEqual([200, 400])
    const events = (await run(['list-audit', '--subject', id, '--type', 'user.recovery_link_created', '--json'])).json()
    expect(events).toMatchObject([{ data: { removesSecondFactors: true } }])
  })

  test('a recovery link is refused for an email address that was never verified, a banned user and an unknown user', async () => {
    await create('unproven@example.com')
    await create('banned@example.com', '--verified')
    await run(['ban-user', '--user', 'banned@example.com'])
    for (const [email, code] of [
      ['unproven@example.com', 'RECOVERY_NEEDS_A_VERIFIED_ADDRESS'],
      ['banned@example.com', 'BANNED_USER'],
      ['nobody@example.com', 'USER_NOT_FOUND'],
    ] as const) {
      const done = await link(email)
      expect([done.exitCode, refusal(done.stderr)]).toMatchObject([3, { code }])
    }
  })
})
