/** API keys and the audit log of a remote instance. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { environmentOf, runCommand } from '../support/binary.ts'
import type { Client } from '../support/client.ts'
import { remoteCommands } from '../support/remote.ts'

let t: TestApp
let home: string
let admin: Client
const { start, run, here, login } = remoteCommands(
  () => t,
  () => home,
)

const setRole = (email: string, role: string) =>
  t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role, email_verified: true }))

/** Waits until the server accepts the key. */
const statusOf = async (key: string) =>
  (await t.client().request('/admin/users', { headers: { authorization: `Bearer ${key}` } })).status

const keyIn = (stdout: string) => JSON.parse(stdout) as { id: string; key: string }

beforeAll(async () => {
  const permissions = ['api-keys:create', 'api-keys:read', 'api-keys:update', 'users:read']
  t = await testApp({ config: { access: { roles: { keeper: { permissions } } } } })
  home = mkdtempSync(join(tmpdir(), 'gatehouse-remote-keys-'))
  admin = await t.signedIn('root@example.com')
  await setRole('root@example.com', 'admin')
  await login(admin)
})
afterAll(async () => {
  rmSync(home, { recursive: true })
  await t.stop()
})

const create = ['create-api-key', '--name', 'Export', '--permission', 'users:read']

test('a person with a recent proof creates and rotates an instance API key remotely, and each secret is shown once', async () => {
  const made = await run(...create, '--network', '127.0.0.0/8', '--expires-in-days', '30', '--json', '--reason', 'nightly')
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
  const { id, key } = keyIn(made.stdout)
  expect(JSON.parse(made.stdout)).toMatchObject({
    ...{ name: 'Export', ownerKind: 'instance', permissions: ['users:read'], allowedNetworks: ['127.0.0.0/8'] },
  })
  expect(await statusOf(key)).toBe(200)
  const [event] = await t.app.audit.list({ type: 'api_key.created' }, 1)
  const user = await t.app.users.require(t.app.core.db, 'root@example.com')
  expect(event).toMatchObject({ actorKind: 'user', actorId: user.id, subjectId: id, reason: 'nightly' })

  const rotated = await run('rotate-api-key', id, '--overlap-hours', '0', '--json')
  expect(rotated).toMatchObject({ exitCode: 0, stderr: '' })
  expect([await statusOf(key), await statusOf(keyIn(rotated.stdout).key)]).toEqual([401, 200])
  expect((await run('list-api-keys', '--json')).stdout).not.toContain(keyIn(rotated.stdout).key)
})

test('a remote API key command is refused with the message of the server', async () => {
  for (const args of [
    ['rotate-api-key', 'AAAAAAAAAAAAAAAA'],
    ['create-api-key', '--name', 'X', '--permission', 'member:read'],
  ]) {
    const [elsewhere, beside] = [await run(...args), await here(...args)]
    expect({ args, ...elsewhere, stderr: '' }).toEqual({ args, ...beside, stderr: '' })
    // The local command also warns that the daemon has another configuration.
    expect(beside.stderr).toContain(elsewhere.stderr)
    expect(elsewhere.exitCode).toBe(3)
  }
})

test('API keys of a person or an organization are not created remotely, and the message names the people who can create them', async () => {
  for (const owner of [
    ['--user', 'root@example.com'],
    ['--org', 'acme'],
  ])
    expect(await run(...create, ...owner)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/make.* themselves|its members/),
    })
})

test('nobody can give an API key remotely more permissions than they have, and an impersonating administrator cannot create one', async () => {
  const keeper = await t.signedIn('keeper@example.com')
  await setRole('keeper@example.com', 'keeper')
  await login(keeper)
  expect((await run(...create)).exitCode).toBe(0)
  expect(await run('create-api-key', '--name', 'More', '--permission', 'users:delete')).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('YOU_CANNOT_GIVE_THESE_PERMISSIONS'),
  })
  await setRole('keeper@example.com', 'auditor')
  expect(await run(...create)).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('FORBIDDEN') })
  await login(admin)
})

test('neither an API key nor an application can create or rotate API keys remotely, whatever its permissions', async () => {
  const strong = ['--permission', 'users:read', '--permission', 'api-keys:read']
  const { id, key } = keyIn((await run('create-api-key', '--name', 'Strong', ...strong, '--json')).stdout)
  for (const args of [create, ['rotate-api-key', id]]) {
    const { said, ended } = start([...args, '--remote', t.url], '', { GATEHOUSE_REMOTE_API_KEY: key })
    expect(await ended).toBe(3)
    expect(said).toMatchObject({ stdout: '', stderr: expect.stringContaining('FORBIDDEN') })
  }
  const machine = await run(
    ...['register-client', '--name', 'M', '--type', 'machine', '--json'],
    ...['--permission', 'api-keys:create', '--permission', 'users:read'],
  )
  const { client_id, client_secret } = JSON.parse(machine.stdout) as { client_id: string; client_secret: string }
  const answer = await fetch(`${t.url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const made = await fetch(`${t.url}/admin/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'X', permissions: ['users:read'] }),
  })
  expect(made.status).toBe(403)
})

test('a remote export of the audit log equals a local export byte by byte, is recorded, and can be compared with the chain', async () => {
  for (let count = 0; count < 450; count += 1) await t.client().post('/sign-in/email', { email: 'x@example.com', password: 'y' })
  for (const args of [
    ['export-audit', '--until', t.app.core.clock.now().toISOString()],
    ['export-audit', '--type', 'user.*', '--format', 'csv'],
    ['export-audit', '--subject', 'root@example.com'],
    ['export-audit', '--org', 'unknown'],
  ]) {
    const [elsewhere, beside] = [await run(...args), await here(...args)]
    expect({ args, stdout: elsewhere.stdout }).toEqual({ args, stdout: beside.stdout })
    expect(elsewhere).toMatchObject({ exitCode: 0, stderr: '' })
  }
  const [event] = await t.app.audit.list({ type: 'events.exported', actorKind: 'user' }, 1)
  expect(event).toMatchObject({ subjectId: 'events', data: { format: 'jsonl', filters: ['organization'] } })
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'keeper@example.com' }).update({ role: 'user' }))
  const copy = join(home, 'events.jsonl')
  writeFileSync(copy, (await run('export-audit')).stdout)
  const verified = await runCommand(['verify-audit', '--copy', copy], environmentOf(t.database))
  expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/[1-9]\d* events compared, none differs/) })
})

test('a remote export of the audit log that breaks off ends with an error', async () => {
  const broken = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/x-ndjson' })
    answer.write('{"id":"1"}\n', () => setTimeout(() => answer.destroy(), 100))
  }).listen(0, '127.0.0.1')
  await once(broken, 'listening')
  const { port } = broken.address() as AddressInfo
  const { said, ended } = start(['export-audit', '--remote', `http://127.0.0.1:${port}`], '', { GATEHOUSE_REMOTE_API_KEY: 'x' })
  expect(await ended).toBe(3)
  expect(said).toEqual({ stdout: '{"id":"1"}\n', stderr: expect.stringContaining('INTERRUPTED') })
  broken.close()
})

test('a person who may not read the audit log cannot export it remotely', async () => {
  const ann = await t.signedIn('ann@example.com')
  await login(ann)
  expect(await run('export-audit')).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining('FORBIDDEN') })
  await login(admin)
})

test("an old sign-in cannot create an API key remotely, and the command says how to prove the person's identity", async () => {
  t.clock.advance({ minutes: 11 })
  expect(await run(...create)).toMatchObject({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringContaining(`gatehouse login --remote ${t.url}`),
  })
})
