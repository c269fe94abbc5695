import { afterAll, beforeAll, expect, test } from 'vitest'
import { password } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, serveHere, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

const run = (...args: readonly string[]) => runCommand(args, env)
const json = (result: { json(): unknown }) => result.json() as Record<string, unknown>
const use = async (key: unknown, path = '/admin/api-keys') =>
  (await daemon.client().request(path, { headers: { authorization: `Bearer ${String(key)}` } })).status

test('create-api-key prints the API key once, and the daemon accepts the key without a restart', slow, async () => {
  const made = await run(
    'create-api-key',
    '--name',
    'Export',
    '--permission',
    'api-keys:read',
    '--expires-in-days',
    '0',
    '--json',
  )
  expect([made.exitCode, made.stderr]).toEqual([0, ''])
  const { key, ...shown } = json(made)
  expect(shown).toMatchObject({ ownerKind: 'instance', permissions: ['api-keys:read'], expiresAt: null, createdBy: null })
  expect(await use(key)).toBe(200)
  const listed = await run('list-api-keys', '--owner', 'instance', '--json')
  expect(listed.json()).toMatchObject([{ id: shown['id'], name: 'Export', ownerKind: 'instance' }])
  expect(listed.stdout).not.toContain(String(key).split('_')[3])
  expect((await run('list-api-keys')).stdout).toContain(`gh_instance_${shown['id']}`)
})

test('create-api-key creates API keys of organizations and people, named by id, slug or email address', slow, async () => {
  const person = ['--email', 'ann@example.com', '--name', 'Ann', '--password-stdin']
  await runCommand(['create-user', ...person], env, password)
  await run('create-org', '--name', 'Acme', '--slug', 'acme')
  const ofPerson = await run(
    'create-api-key',
    '--name',
    'A',
    '--permission',
    'sessions:read',
    '--user',
    'ann@example.com',
    '--json',
  )
  expect(await use(json(ofPerson)['key'], '/list-sessions')).toBe(200)
  const networks = ['--network', '127.0.0.0/8', '--network', '::1']
  const command = ['create-api-key', '--name', 'B', '--permission', 'member:read', '--org', 'acme', ...networks, '--json']
  expect(await use(json(await run(...command))['key'], '/organization/list-members')).toBe(200)
})

test('rotate-api-key ends the former secret at the requested time, and revoke-api-key ends all secrets', slow, async () => {
  const made = json(await run('create-api-key', '--name', 'Rotated', '--permission', 'api-keys:read', '--json'))
  const prefix = String(made['prefix'])
  const second = json(await run('rotate-api-key', prefix, '--json'))
  expect([await use(made['key']), await use(second['key'])]).toEqual([200, 200])
  expect(await run('rotate-api-key', prefix, '--json')).toMatchObject({ exitCode: 3 })
  const third = json(await run('rotate-api-key', prefix, '--overlap-hours', '0', '--json'))
  expect([await use(made['key']), await use(second['key']), await use(third['key'])]).toEqual([401, 401, 200])
  expect(await run('revoke-api-key', prefix)).toMatchObject({ exitCode: 2 })
  expect(await run('revoke-api-key', prefix, '--yes')).toMatchObject({ exitCode: 0, stdout: `Revoked: ${prefix}\n` })
  expect(await use(third['key'])).toBe(401)
  const again = await run('revoke-api-key', prefix, '--yes', '--json')
  expect([again.exitCode, JSON.parse(again.stderr)]).toMatchObject([3, { code: 'API_KEY_NOT_FOUND' }])
})

test('commands about API keys refuse wrong flags, and a whole API key as an argument', slow, async () => {
  for (const args of [
    ['create-api-key', '--name', 'X', '--permission', 'unknown:read'],
    ['create-api-key', '--name', 'X', '--permission', 'users:read', '--user', 'a@example.com', '--org', 'acme'],
    ['create-api-key', '--name', 'X', '--permission', 'users:read', '--network', 'nowhere'],
    ['create-api-key', '--name', 'X', '--permission', 'users:read', '--expires-in-days', '-1'],
    ['list-api-keys', '--owner', 'nobody'],
    ['rotate-api-key', 'x'],
    ['revoke-api-key', `gh_user_${'a'.repeat(16)}_${'b'.repeat(49)}`, '--yes'],
  ])
    expect([args, (await run(...args)).exitCode]).toEqual([args, 2])
  for (const args of [
    ['create-api-key', '--name', 'X', '--permission', 'users:read', '--org', 'acme'],
    ['create-api-key', '--name', 'X', '--permission', 'users:read', '--user', 'nobody@example.com'],
    ['rotate-api-key', 'a'.repeat(16)],
  ])
    expect([args, (await run(...args)).exitCode]).toEqual([args, 3])
})
