import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let folder: string

const run = (...args: readonly string[]) => runCommand(args, env)
const apply = (name: string, ...more: readonly string[]) => run('apply', '-f', join(folder, name), ...more)
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const secret = 'Xk3vQ9pLw7zR2tYb5NmC8sHd4gJf6aUe'

beforeAll(async () => {
  database = await createMigratedDatabase()
  env = environmentOf(database)
  folder = join(database.dataDir, 'declarations')
  mkdirSync(join(folder, 'secrets'), { recursive: true })
  vi.stubEnv('NIGHTLY_CLIENT_SECRET', `nightly-${secret}`)
  cpSync('config/apply.example.yaml', join(folder, 'example.yaml'))
  write('secrets/shop', `shop-${secret}`)
  write('secrets/polar-eu', `whsec_${secret}`)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.drop()
})

describe('apply', slow, () => {
  test('shows the difference and changes nothing with --dry-run', async () => {
    const shown = await apply('example.yaml', '--dry-run')
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout).toContain('+ client shop\n    name: Shop\n    type: web\n')
    expect(shown.stdout).toContain('    secret: set\n')
    expect(shown.stdout).toMatch(/7 to create, 0 to change, 0 to delete, 0 unchanged\.\n$/)
    expect(shown.stdout).not.toContain(secret)
    expect((await run('list-clients', '--json')).json()).toEqual([])
  })

  test('without a terminal asks for --yes, with the difference, and changes nothing', async () => {
    const asked = await apply('example.yaml')
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' })
    expect(asked.stderr).toContain('+ organization acme')
    expect(asked.stderr).toContain('Pass --yes to do it without being asked.')
    expect((await run('list-clients', '--json')).json()).toEqual([])
  })

  test('applies the example of the documentation, and finds nothing to change the second time, nor anything to ask', async () => {
    expect(await apply('example.yaml', '--yes')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Applied\.\n$/) })
    const ids = (await run('list-clients', '-o', 'id')).stdout.trim().split('\n').sort()
    expect(ids).toEqual(['nightly', 'phone', 'shop'])
    const again = await apply('example.yaml')
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: '0 to create, 0 to change, 0 to delete, 7 unchanged.\nNothing to change.\n',
    })
  })

  test('with --json gives the difference as data, without secrets', async () => {
    write(
      'shop.yaml',
      'source: example\nclients: { phone: { name: Telephone, type: native, redirectUris: ["com.example.app:/callback"] } }\n',
    )
    const done = await apply('shop.yaml', '--prune', '--yes', '--json')
    expect(done.json()).toMatchObject({ source: 'example', isApplied: true })
    const { changes } = done.json() as { changes: readonly { action: string; key: string }[] }
    expect(changes.map(({ action, key }) => `${action} ${key}`)).toEqual([
      ...['update phone', 'delete acme', 'delete nightly', 'delete shop', 'delete polar-eu'],
    ])
    expect(changes[0]).toMatchObject({ fields: [{ field: 'name', before: 'Phone', after: 'Telephone' }] })
  })

  test('names every wrong key of a file with what is expected, and what stands in the configuration instead', async () => {
    write(
      'wrong.yaml',
      [
        'clints: {}',
        'providers: { github: {} }',
        'entitlements: []',
        'organizations: { "Not a slug!": { name: A }, admin: { name: B } }',
        'clients:',
        '  a: { redirectUris: none, colour: red }',
        '  b: { name: B, type: spa, secretFile: x }',
        '  c: { name: C, secretFile: x, secretEnv: Y }',
        'webhookEndpoints: { polar: {} }',
      ].join('\n'),
    )
    const { exitCode, stderr } = await apply('wrong.yaml', '--yes')
    expect(exitCode).toBe(3)
    for (const line of [
      'clints: unknown key (did you mean clients?)',
      'providers: sign-in providers stand in the configuration: social.<id> (docs/config.md)',
      'entitlements: entitlement rules stand in the configuration: billing.entitlements (docs/billing.md)',
      'organizations.Not a slug!: letters, digits, - and _, beginning with a letter or digit, at most 64 characters',
      'organizations.admin: this word is reserved',
      'clients.a.name: is missing',
      'clients.a.redirectUris: must be an array',
      'clients.a.colour: unknown key',
      'clients.b.type: a client that keeps a secret (web or machine), or no secretFile and no secretEnv',
      'clients.c.secretEnv: secretFile is set, too; keep one of them',
      'webhookEndpoints.polar.secretFile: is missing: the file that holds the secret the sender shows; or secretEnv, the variable',
    ])
      expect(stderr).toContain(`  - ${line}`)
  })

  test('a file that does not exist or is no mapping is refused', async () => {
    expect(await apply('absent.yaml')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('absent.yaml does not exist'),
    })
    write('list.yaml', '- a\n')
    expect(await apply('list.yaml')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('must hold a mapping of keys'),
    })
  })
})
