/** `gatehouse apply --remote`: a declaration on this machine is applied to an instance on another one. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import type { Client } from '../support/client.ts'
import { remoteCommands } from '../support/remote.ts'

let t: TestApp
let home: string
let admin: Client
const { start, run, runWith, here, login } = remoteCommands(
  () => t,
  () => home,
)
const secret = 'Xk3vQ9pLw7zR2tYb5NmC8sHd4gJf6aUe'
const write = (name: string, text: string) => {
  writeFileSync(join(home, name), text)
  return join(home, name)
}

beforeAll(async () => {
  t = await testApp()
  home = mkdtempSync(join(tmpdir(), 'gatehouse-remote-apply-'))
  mkdirSync(join(home, 'secrets'))
  write('secrets/shop', `shop-${secret}`)
  write('secrets/polar-eu', `whsec_${secret}`)
  cpSync('config/apply.example.yaml', join(home, 'example.yaml'))
  vi.stubEnv('NIGHTLY_CLIENT_SECRET', `nightly-${secret}`)
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin', email_verified: true }))
  await login(admin)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
  await t.stop()
})

test('apply --remote prints the same as a local apply: the difference, the question, and at the second run that nothing changes', async () => {
  const file = join(home, 'example.yaml')
  const both = async (...args: readonly string[]) => {
    const [elsewhere, beside] = [await run('apply', ...args), await here('apply', ...args)]
    expect({ args, ...elsewhere }).toEqual({ args, ...beside })
    return elsewhere
  }
  const shown = await both('-f', file, '--dry-run')
  expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('7 to create, 0 to change, 0 to delete') })
  expect(await both('-f', file, '--dry-run', '--json')).toMatchObject({ exitCode: 0 })
  expect(await both('-f', file)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Pass --yes') })
  expect(await run('apply', '-f', file, '--yes')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Applied\.\n$/) })
  expect(await both('-f', file)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Nothing to change.') })
  expect(await both('-f', file, '--json')).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining(secret) })
  const { knex } = t.app.core.db
  expect((await knex('event').where({ type: 'client.created', subject_id: 'shop' }).first()).actor_kind).toBe('user')
  const wrong = write(
    'wrong.yaml',
    'source: example\nclients: { shop: { name: Shop, redirectUris: [nowhere], secretFile: secrets/shop } }\n',
  )
  expect(await both('-f', wrong, '--yes')).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('clients.shop: Invalid redirect'),
  })
  const unknown = write('unknown.yaml', 'source: example\nclints: {}\n')
  expect(await both('-f', unknown)).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('did you mean clients?') })
  const less = write('less.yaml', 'source: example\norganizations: { acme: { name: Acme Inc. } }\n')
  expect(await both('-f', less, '--prune', '--dry-run')).toMatchObject({
    stdout: expect.stringContaining('- client shop: its secrets'),
  })
  expect(await run('apply', '-f', less, '--prune', '--yes')).toMatchObject({ exitCode: 0 })
  expect(JSON.parse((await run('list-clients', '--json')).stdout)).toHaveLength(1)
})

test('apply --remote keeps every field of a declaration, reads standard input, and accepts settings with secrets', async () => {
  const text = `
source: whole
settings:
  brand.name: Acme
  password.minLength: 12
  smtpUrl: { secretFile: secrets/shop }
  access.roles: { clerk: { description: Clerk, permissions: [customers:read] } }
organizations:
  Whole: { name: Whole, metadata: { region: eu, deep: { list: [1, two, null] } }, teams: [Sales], firstOwners: [root@example.com] }
clients:
  whole:
    name: Whole
    type: spa
    redirectUris: [https://whole.example.com/cb]
    translations: { de: { name: Ganz } }
    scopes: [openid, profile]
    color: "#0d5c4c"
apis:
  https://whole.example.com/api:
    name: Whole
    scopes: [{ name: read, description: Read, permission: member:read }]
    clients: [{ clientId: whole, scopes: [read] }]
`
  write('secrets/shop', 'smtp://mail.example:25')
  const file = write('whole.yaml', text)
  expect(await run('apply', '-f', file, '--yes', '--force')).toMatchObject({ exitCode: 0, stderr: '' })
  for (const files of [
    ['-f', file],
    ['-f', file, '--json'],
  ]) {
    const [elsewhere, beside] = [await run('apply', ...files), await here('apply', ...files)]
    expect(elsewhere).toEqual(beside)
    expect(elsewhere.stdout).not.toMatch(/"action": ?"(create|update)"/)
  }
  const input = 'source: input\nclients: { input: { name: Input, type: spa, redirectUris: ["https://input.example.com/cb"] } }\n'
  expect(await runWith(input, 'apply', '-f', '-', '--yes')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('+ client input'),
  })
})

test('apply --remote requires a source, because the path of a file means nothing on another machine', async () => {
  const file = write('nameless.yaml', 'organizations: { nameless: { name: N } }\n')
  expect(await run('apply', '-f', file, '--yes')).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('source: is missing'),
  })
})

test('apply --remote is refused with the same messages as every command without the permissions, and after the sign-in has ended', async () => {
  const file = write('limited.yaml', 'source: limited\norganizations: { limited: { name: Limited } }\n')
  const auditor = await t.signedIn('auditor@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'auditor@example.com' }).update({ role: 'auditor' }))
  await login(auditor)
  const refused = await run('apply', '-f', file, '--dry-run')
  const other = await run('rotate-jwks')
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('FORBIDDEN')])
  expect([other.exitCode, other.stderr.split('\n')[0]]).toEqual([3, refused.stderr.split('\n')[0]])
  await login(admin)
  t.clock.advance({ hours: 25 })
  const stale = write(
    'stale.yaml',
    'source: stale\nclients: { stale: { name: S, type: spa, redirectUris: ["https://s.example.com/cb"] } }\n',
  )
  expect(await run('apply', '-f', stale, '--yes')).toMatchObject({
    ...{ exitCode: 3, stderr: expect.stringContaining('needs a recent proof of your identity') },
  })
  await admin.api.sessions.signOut({})
  expect(await run('apply', '-f', file, '--yes')).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('gatehouse login'),
  })
  const { said, ended } = start(['apply', '-f', file, '--yes'], '', {
    GATEHOUSE_REMOTE: t.url,
    GATEHOUSE_REMOTE_API_KEY: 'gh_none',
  })
  expect([await ended, said.stderr]).toEqual([3, expect.stringContaining('INVALID_API_KEY')])
})
