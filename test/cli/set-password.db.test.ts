import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password } from '../support/app.ts'
import { type Daemon, type Environment, environmentOf, runCommand, spawnCommand, startDaemon } from '../support/binary.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Daemon

const run = (args: readonly string[], input?: string) => runCommand(args, env, input)
const refusal = (stderr: string) => JSON.parse(stderr) as unknown

beforeAll(async () => {
  database = await createDatabase()
  env = environmentOf(database)
  // Every command below runs beside this daemon.
  daemon = await startDaemon(env)
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

  test('set-password sets the password of a user by address or id beside the daemon, and ends their sessions', async () => {
    const { id } = (await run(createUser('forgot@example.com'), password)).json() as { id: string }
    const client = daemon.client()
    await client.api.accounts.signInEmail({ body: { email: 'forgot@example.com', password } })
    const done = await spawnCommand(setPassword('Forgot@example.com', '--json'), env, 'another battery staple')
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    expect(done.json()).toEqual({ id, email: 'forgot@example.com' })
    expect(await client.api.sessions.getSession()).toBeNull()
    await client.api.accounts.signInEmail({ body: { email: 'forgot@example.com', password: 'another battery staple' } })
    expect((await run(setPassword(id), 'a third staple')).stdout).toBe('forgot@example.com has a new password.\n')
  })

  test('set-password refuses an unknown user, a short password, and with --only-if-none to replace a password', async () => {
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
