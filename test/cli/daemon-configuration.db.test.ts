/** Commands use their own configuration. They name it, and warn where that of the running daemon differs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Environment, environmentOf, runCommand, type Served, serveHere, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, dialect, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/port.ts'

let database: TestDatabase
let env: Environment
let daemon: Served
let file: string
let url: string

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  file = join(database.dataDir, 'of the daemon.yaml')
  const port = await freePort()
  url = `http://localhost:${port}`
  writeFileSync(file, `brand: { name: Acme }\nsmtpUrl: smtp://user:geheim@localhost:9\nlimits: { enabled: on }\n`)
  daemon = await serveHere({ ...env, GATEHOUSE_ACCOUNTS_SIGN_UP_ENABLED: 'false' }, ['--config', file])
  url = daemon.url
  // The daemon records its configuration in one of its first jobs.
  await vi.waitFor(async () => expect((await runCommand(['list-users'], env)).stderr).not.toBe(''), 60_000)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

const same = { GATEHOUSE_ACCOUNTS_SIGN_UP_ENABLED: 'false' }

test(
  "a command with another configuration than the running daemon warns, and names the daemon's file and the differing keys",
  slow,
  async () => {
    const { exitCode, stderr } = await runCommand(['list-users'], env)
    expect(exitCode).toBe(0)
    expect(stderr).toContain(`the daemon reads ${file}, and this command no file`)
    expect(stderr).toContain(`Pass --config '${file}'`)
    for (const key of ['accounts.signUpEnabled', 'brand.name', 'limits.enabled', 'smtpUrl']) expect(stderr).toContain(key)
    // Only settings that affect answers are compared. Addresses to listen on and places of files may differ.
    for (const key of ['url', 'port', 'dataDir', 'databaseUrl']) expect(stderr).not.toContain(key)
    const asJson = await runCommand(['list-users', '--json'], env)
    expect([asJson.json(), JSON.parse(asJson.stderr)]).toEqual([[], { warning: expect.stringContaining('brand.name') }])
  },
)

test(
  "a command with the daemon's configuration prints no warning, and after the file has changed it names the difference",
  slow,
  async () => {
    const args = ['list-users', '--config', file, '--url', url]
    // The address of the daemon follows from its port.
    expect(await runCommand(args, { ...env, ...same })).toMatchObject({
      exitCode: 0,
      stderr: '',
    })
    const text = `brand: { name: Acme }\nsmtpUrl: smtp://user:other@localhost:9\nlimits: { enabled: on }\n`
    const elsewhere = ['list-users', '--config', file, '--url', 'http://localhost:1']
    expect((await runCommand(elsewhere, { ...env, ...same })).stderr).toContain('They differ in url.')
    writeFileSync(file, `${text}sessions: { freshAgeSeconds: 60 }\n`)
    const changed = await runCommand(args, { ...env, ...same })
    writeFileSync(file, text)
    expect(changed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('which may have been changed since') })
    expect(changed.stderr).toContain('They differ in sessions.freshAgeSeconds.')
  },
)

// These tests read and change the SQLite file directly.
const testOnSqlite = test.skipIf(dialect !== 'sqlite')

testOnSqlite('the recorded configuration of the daemon contains no secret', async () => {
  const { default: knex } = await import('knex')
  const direct = knex({
    client: 'sqlite3',
    connection: { filename: database.url.slice('sqlite:'.length) },
    useNullAsDefault: true,
  })
  const rows = JSON.stringify(await direct('daemon_configuration').select())
  await direct.destroy()
  expect(rows).toContain('smtpUrl')
  for (const secret of ['geheim', env['GATEHOUSE_SECRET'] ?? '?']) expect(rows).not.toContain(secret)
})

test('a command that reads only the configuration names the file, variables and options it used', slow, async () => {
  const asked = await runCommand(['doctor', '--config', file], { ...env, ...same })
  expect(asked.stdout).toContain(`Configuration: ${file}; `)
  expect(asked.stdout).toContain('GATEHOUSE_ACCOUNTS_SIGN_UP_ENABLED')
  const wrong = await runCommand(['explain', '--user', 'nobody@example.com', '--config', file], { ...env, ...same })
  expect([wrong.exitCode, wrong.stderr]).toEqual([3, expect.stringContaining(`Configuration: ${file}; `)])
  expect((await runCommand(['doctor', '--json'], env)).stdout).not.toContain('Configuration: ')
  expect((await runCommand(['check-config', '--config', file], env)).stdout).toContain(`Read: ${file}; `)
})

testOnSqlite('a command is not compared with a daemon that stopped, or was not seen for some minutes', slow, async () => {
  const said = async () => (await runCommand(['list-users'], env)).stderr
  const { default: knex } = await import('knex')
  const filename = database.url.slice('sqlite:'.length)
  const direct = knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true })
  await direct('daemon_configuration').update({ seen_at: new Date(Date.now() - 200_000) })
  expect(await said()).toBe('')
  await direct('daemon_configuration').update({ seen_at: new Date() })
  await direct.destroy()
  expect(await said()).toContain('running daemon')
  await daemon.stop()
  expect(await said()).toBe('')
})
