/** Commands that administer an instance on another machine. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { besideDatabase } from '../../src/cli/remote/refusals.ts'
import { goOn, register } from '../http/oidc/flow.ts'
import { password, type TestApp, testApp } from '../support/app.ts'
import type { Client } from '../support/client.ts'
import { byOtherTests, remoteCommands } from '../support/remote.ts'

let t: TestApp
let home: string
let admin: Client
beforeAll(async () => {
  t = await testApp()
  home = mkdtempSync(join(tmpdir(), 'gatehouse-remote-'))
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin', email_verified: true }))
})
afterAll(async () => {
  rmSync(home, { recursive: true })
  await t.stop()
})

/** The commands that the tests of this file have run remotely. */
const ran = new Set<string>()
const { start, run, here, login, loginAtTerminal, file } = remoteCommands(
  () => t,
  () => home,
  (name) => ran.add(name),
)

test('a remote command without a sign-in says how to sign in', async () => {
  expect(await run('list-users')).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining(`gatehouse login --remote ${t.url}`),
  })
})

test('login stores tokens readable only by their owner, appears among the connected applications, and remote lists equal local lists', async () => {
  expect(await loginAtTerminal(admin)).toMatchObject({ exitCode: 0, waits: [5] })
  expect((statSync(file()).mode & 0o777).toString(8)).toBe('600')
  const { applications } = await admin.api.connected.listConnectedApplications()
  expect(applications).toMatchObject([{ clientId: 'gatehouse-cli', scopes: ['openid', 'administration'] }])
  await here('create-org', '--name', 'Acme', '--slug', 'acme', '--owner', 'root@example.com', '--unverified')
  for (const args of [
    ['list-users'],
    ['list-users', '--json'],
    ['get-user', '--user', 'root@example.com'],
    ['list-orgs'],
    ['get-org', '--org', 'acme'],
    ['list-members', '--org', 'acme'],
    ['list-clients'],
    ['get-client', 'gatehouse-cli', '--json'],
    ['list-keys'],
    ['list-api-keys'],
    ['list-api-keys', '--search', 'nothing'],
    ['list-initial-access-tokens'],
    ['list-factors', '--user', 'root@example.com'],
    ['list-setup-steps'],
    ['list-consents', '--user', 'root@example.com'],
    ['list-consents', '--client', 'gatehouse-cli', '--json'],
  ]) {
    const [remote, local] = [await run(...args), await here(...args)]
    expect({ args, ...remote }).toEqual({ args, ...local })
    expect(remote.exitCode).toBe(0)
  }
})

test('remote changes print the same as local changes when there is nothing to change', async () => {
  for (const args of [
    ['requeue-task', 'unknown'],
    ['drop-task', 'unknown'],
    ['retry-mail', 'unknown'],
    ['get-client', 'unknown'],
    ['disable-client', 'unknown'],
    ['revoke-initial-access-token', 'unknown'],
  ]) {
    const [remote, local] = [await run(...args), await here(...args)]
    expect({ args, ...remote }).toEqual({ args, ...local })
    expect(remote.exitCode).not.toBe(0)
  }
})

test('remote changes name the person and the given reason', async () => {
  expect(
    await run(
      'register-client',
      '--name',
      'Shop',
      '--redirect-uri',
      'https://shop.example/cb',
      '--json',
      '--reason',
      'Überfällig',
    ),
  ).toMatchObject({
    exitCode: 0,
  })
  const [event] = await t.app.audit.list({ type: 'client.created' }, 1)
  const user = await t.app.users.require(t.app.core.db, 'root@example.com')
  expect(event).toMatchObject({ actorKind: 'user', actorId: user.id, reason: 'Überfällig' })
  const ben = await t.signedIn('ben@example.com')
  expect(await run('ban-user', '--user', 'ben@example.com')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await ben.api.sessions.getSession()).toBeNull()
  expect((await run('unban-user', '--user', 'ben@example.com')).stdout).toContain('ben@example.com')
})

test('a remote command without an API call is refused, and options about a database are refused', async () => {
  expect(await run('prune', '--dry-run')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('beside the database alone'),
  })
  expect(await run('backup')).toMatchObject({ exitCode: 2 })
  expect(await run('list-users', '--database-url', 'sqlite:x')).toMatchObject({ exitCode: 2 })
  const { said, ended } = start(['list-users', '--remote', 'http://id.example.com'])
  expect([await ended, said.stderr]).toEqual([2, expect.stringContaining('expected an https address')])
})

test('a remote change that requires a recent proof says how to give the proof, and login gives it', async () => {
  t.clock.advance({ hours: 25 })
  const refused = await run('rotate-jwks')
  expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(`gatehouse login --remote ${t.url}`) })
  const proven = await loginAtTerminal(admin, async (userCode) => {
    const { json } = await admin.post('/oauth2/device/confirm', { userCode })
    // The session is old, so the person signs in again on the way.
    const asked = await admin.request(String(json['redirectURI']))
    expect(asked.location).toMatch(/^\/sign-in/)
    await admin.api.accounts.signInEmail({ body: { email: 'root@example.com', password } })
    const uid = new URL(asked.location ?? '', t.url).searchParams.get('interaction')
    await goOn(admin, await admin.request(`/interaction/${uid}`))
  })
  expect(proven.exitCode).toBe(0)
  expect((await run('rotate-jwks')).exitCode).toBe(0)
})

test('tokens of the command line are renewed automatically, and end with the session, a ban or the setting', async () => {
  t.clock.advance({ minutes: 20 })
  expect((await run('list-keys')).exitCode).toBe(0)
  const off = await t.node({ oidc: { rsaModulusLength: 2048, commandLine: false } })
  const { said, ended } = start(['list-keys', '--remote', off.url])
  expect(await ended).toBe(3)
  expect(said.stderr).toContain('gatehouse login')
  const asked = start(['login', '--remote', off.url])
  expect(await asked.ended).toBe(3)
  expect(asked.said.stderr).toContain('oidc.commandLine')
  await off.stop()
  const { applications } = await admin.api.connected.listConnectedApplications()
  expect(applications).toHaveLength(1)
  await admin.api.sessions.signOut({})
  expect(await run('list-keys')).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('gatehouse login') })
})

test("a token of the command line has the permissions of the person's present role, and no permission for the person's account", async () => {
  const ann = await t.signedIn('ann@example.com')
  await login(ann)
  expect(await run('list-users')).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('FORBIDDEN') })
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'ann@example.com' }).update({ role: 'auditor' }))
  expect((await run('list-users')).exitCode).toBe(0)
  expect((await run('ban-user', '--user', 'ben@example.com')).exitCode).toBe(3)
  const { accessToken } = Object.values(
    (
      JSON.parse(await import('node:fs').then(({ readFileSync }) => readFileSync(file(), 'utf8'))) as {
        instances: Record<string, { accessToken: string }>
      }
    ).instances,
  )[0] ?? { accessToken: '' }
  const ask = async (path: string) =>
    (await t.client().request(path, { headers: { authorization: `Bearer ${accessToken}` } })).status
  expect(await ask('/admin/users')).toBe(200)
  expect(await ask('/list-sessions')).toBe(401)
  expect(await ask('/connected-applications')).toBe(401)
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'ann@example.com' }).update({ banned_at: new Date() }))
  expect((await run('list-users')).exitCode).toBe(3)
})

test('an API key can replace a sign-in of the command line, and logout forgets the API key', async () => {
  const made = await here('create-api-key', '--name', 'Script', '--permission', 'users:read', '--expires-in-days', '0', '--json')
  const { key } = JSON.parse(made.stdout) as { key: string }
  const kept = start(['login', '--remote', t.url, '--api-key-stdin'], `${key}\n`)
  expect(await kept.ended).toBe(0)
  expect((await run('list-users')).exitCode).toBe(0)
  expect((await run('logout')).stdout).toContain('Signed out')
  expect((await run('list-users')).exitCode).toBe(3)
  const direct = start(['list-users'], '', { GATEHOUSE_REMOTE: t.url, GATEHOUSE_REMOTE_API_KEY: key })
  expect(await direct.ended).toBe(0)
})

test('every other command works remotely or is refused with its reason', async () => {
  await admin.api.accounts.signInEmail({ body: { email: 'root@example.com', password } })
  await login(admin)
  await t.signedIn('cora@example.com')
  await t.verify('cora@example.com')
  await register(t, { clientId: 'tried' })
  for (const args of [
    ['set-role', '--user', 'cora@example.com', '--role', 'support'],
    ['update-user', '--user', 'cora@example.com', '--name', 'Cora'],
    ['list-sessions', '--user', 'cora@example.com'],
    ['end-sessions', '--user', 'cora@example.com'],
    ['require-factor', '--user', 'cora@example.com'],
    ['delete-user', '--user', 'cora@example.com', '--yes'],
    ['update-client', 'tried', '--name', 'Tried'],
    ['enable-client', 'tried'],
    ['create-initial-access-token', '--name', 'Build'],
    ['dismiss-setup-step', 'mail'],
    ['update-org', '--org', 'acme', '--name', 'Acme Inc.'],
    ['delete-org', '--org', 'acme', '--yes'],
    ['explain-sign-in', '--email', 'root@example.com'],
    ['doctor'],
    ['list-apis'],
    ['list-logout-notices'],
  ])
    expect({ args, ...(await run(...args)) }).toMatchObject({ args, exitCode: 0, stderr: '' })
  const names = createProgram().commands.map((command) => command.name())
  const ownMachine = ['completion', 'help', 'init', 'login', 'serve', 'check-config']
  const isKnown = (name: string) => ran.has(name) || byOtherTests.includes(name) || Object.hasOwn(besideDatabase, name)
  // These commands need objects that tests of other files create.
  expect(names.filter((name) => !isKnown(name) && !ownMachine.includes(name)).toSorted()).toEqual([
    ...[
      'create-api',
      'delete-api',
      'end-consent',
      'get-api',
      'remove-factor',
      'revoke-api-key',
      'rotate-api-secret',
      'update-api',
    ],
  ])
  for (const name of [...Object.keys(besideDatabase), ...byOtherTests]) expect(names, name).toContain(name)
})
