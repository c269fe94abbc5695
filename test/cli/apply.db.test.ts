import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let folder: string

const run = (...args: readonly string[]) => runCommand(args, env)
const apply = (name: string, ...more: readonly string[]) => run('apply', '-f', join(folder, name), ...more)
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const secret = 'Xk3vQ9pLw7zR2tYb5NmC8sHd4gJf6aUe'

beforeAll(async () => {
  database = await createDatabaseWithKeys()
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

describe('gatehouse apply', slow, () => {
  test('apply --dry-run shows the difference and changes nothing', async () => {
    const shown = await apply('example.yaml', '--dry-run')
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout).toContain('+ client shop\n    name: Shop\n    type: web\n')
    expect(shown.stdout).toContain('    secret: set\n')
    expect(shown.stdout).toMatch(/7 to create, 0 to change, 0 to delete, 0 unchanged\.\n$/)
    expect(shown.stdout).not.toContain(secret)
    expect((await run('list-clients', '--json')).json()).toEqual([])
  })

  test('apply without a terminal shows the difference, asks for --yes and changes nothing', async () => {
    const asked = await apply('example.yaml')
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' })
    expect(asked.stderr).toContain('+ organization acme')
    expect(asked.stderr).toContain('Pass --yes to do it without being asked.')
    expect((await run('list-clients', '--json')).json()).toEqual([])
  })

  test('a second apply of the documented example finds nothing to change, and asks nothing', async () => {
    expect(await apply('example.yaml', '--yes')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Applied\.\n$/) })
    const ids = (await run('list-clients', '-o', 'id')).stdout.trim().split('\n').sort()
    expect(ids).toEqual(['nightly', 'phone', 'shop'])
    const again = await apply('example.yaml')
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: '0 to create, 0 to change, 0 to delete, 7 unchanged.\nNothing to change.\n',
    })
  })

  test('apply --json prints the difference as data, without secrets', async () => {
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

  test('apply names every wrong key of a file with the expected value, and keys that belong in the configuration', async () => {
    write(
      'wrong.yaml',
      [
        'clints: {}',
        'providers: { github: {} }',
        'entitlements: []',
        'roles: {}',
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
      'providers: sign-in providers are settings: declare them below settings, by the key social.<id>.clientId and so on (docs/reference/config.md)',
      'entitlements: entitlement rules are settings: declare them below settings, by the key billing.entitlements (docs/how-to/billing.md)',
      'roles: roles are settings: declare them below settings, by the key access.roles for the instance, organizations.roles for organizations (docs/reference/roles.md)',
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

  const settings = (...lines: readonly string[]) =>
    write(
      'settings.yaml',
      ['source: settings', lines.length === 0 ? 'settings: {}' : 'settings:', ...lines.map((line) => `  ${line}`)].join('\n'),
    )
  const stored = async () =>
    ((await run('config', 'list', '--source', 'database', '--json')).json() as { key: string; value: unknown }[]).map(
      ({ key, value }) => [key, value],
    )

  test('apply stores all settings of the file, or none if one is invalid; with --prune it removes settings that the file lacks; it prints no secret', async () => {
    write('secrets/whsec', `whsec_${secret}`)
    settings('password.minLength: 12', 'billing.secrets: { secretFile: secrets/whsec }', 'brand.name: Acme')
    const done = await apply('settings.yaml', '--yes')
    expect(done.stdout).toContain('+ setting password.minLength\n    value: 12\n')
    expect(done.stdout).toContain('+ setting billing.secrets\n    value: set\n')
    expect(done.stdout).not.toContain(secret)
    expect(await stored()).toEqual([
      ['brand.name', 'Acme'],
      ['password.minLength', 12],
      ['billing.secrets', null],
    ])
    expect((await apply('settings.yaml')).stdout).toContain('0 to create, 0 to change, 0 to delete, 3 unchanged.')
    settings('password.minLength: 14', 'brand.color: green')
    const refused = await apply('settings.yaml', '--yes')
    expect(refused).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('settings: brand.color: a colour such as #0d5c4c'),
    })
    settings('password.minLength: 14')
    const pruned = await apply('settings.yaml', '--prune', '--yes')
    expect(pruned.stdout).toContain('~ setting password.minLength\n    value: 12 -> 14\n')
    expect(pruned.stdout).toContain('- setting brand.name: file, environment or its default count again\n')
    expect(await stored()).toEqual([['password.minLength', 14]])
  })

  test('apply tries a declared mail server before it saves the settings, unless --force is given', async () => {
    write('secrets/smtp', 'smtp://127.0.0.1:9')
    settings('password.minLength: 14', 'smtpUrl: { secretFile: secrets/smtp }')
    expect(await apply('settings.yaml', '--yes')).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('ECONNREFUSED') })
    expect(await stored()).toEqual([['password.minLength', 14]])
    expect((await apply('settings.yaml', '--yes', '--force')).exitCode).toBe(0)
    settings()
    expect((await apply('settings.yaml', '--prune', '--yes')).exitCode).toBe(0)
    expect(await stored()).toEqual([])
  })

  const orgs = (name: string, ...slugs: readonly string[]) =>
    write(name, `source: several\norganizations: { ${slugs.map((slug) => `${slug}: { name: ${slug} }`).join(', ')} }\n`)

  test('apply treats several files as one declaration that is applied together and pruned by its source', async () => {
    orgs('one.yaml', 'first-org')
    write('two.yaml', 'organizations: { second-org: { name: Second } }\n')
    const both = ['apply', '-f', join(folder, 'one.yaml'), '-f', join(folder, 'two.yaml')]
    const done = await run(...both, '--yes', '--json')
    expect(done.json()).toMatchObject({ source: 'several', isApplied: true })
    expect(done.json()).toMatchObject({ changes: [{ action: 'create' }, { action: 'create' }] })
    const pruned = await apply('one.yaml', '--prune', '--yes')
    expect(pruned.stdout).toContain('- organization second-org')
  })

  test('apply changes nothing from any file if one object is wrong', async () => {
    orgs('one.yaml', 'third-org')
    write('two.yaml', 'clients: { wrong: { name: Wrong, redirectUris: ["http://shop.example.com/cb"] } }\n')
    const refused = await run('apply', '-f', join(folder, 'one.yaml'), '-f', join(folder, 'two.yaml'), '--yes')
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('clients.wrong: ') })
    expect(JSON.stringify((await run('list-orgs', '--json')).json())).not.toContain('third-org')
  })

  test('apply refuses a name in two files and two different sources, and names the problems by file', async () => {
    orgs('one.yaml', 'twice')
    write('two.yaml', 'source: another\norganizations: { twice: { name: Again } }\n')
    const [one, two] = [join(folder, 'one.yaml'), join(folder, 'two.yaml')]
    const twice = await run('apply', '-f', one, '-f', two, '--yes')
    expect(twice.exitCode).toBe(3)
    expect(twice.stderr).toContain(`organizations.twice: both ${one} and ${two} declare it; keep one of them`)
    expect(twice.stderr).toContain(`source: ${one} says several, and ${two} says another`)
    write('three.yaml', 'clints: {}\n')
    write('four.yaml', 'colour: red\n')
    const wrong = await run('apply', '-f', join(folder, 'three.yaml'), '-f', join(folder, 'four.yaml'))
    expect(wrong.stderr).toMatch(
      /three\.yaml has a problem:\n.*clints: unknown key.*\n.*four\.yaml has a problem:\n.*colour: unknown key/,
    )
    expect(await run('apply', '-f', one, '-f', one)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('twice') })
  })

  test('apply -f - reads standard input, requires a source and --yes, and finds secret files from the working directory', async () => {
    const piped = (text: string, ...more: readonly string[]) => runCommand(['apply', '-f', '-', ...more], env, text)
    const unnamed = await piped('organizations: { piped: { name: Piped } }\n', '--yes')
    expect(unnamed).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('source: is missing') })
    expect(unnamed.stderr).toContain('standard input has a problem')
    const text = 'source: pipe\norganizations: { piped: { name: Piped } }\n'
    expect(await piped(text)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') })
    expect(await piped(text, '--yes', '--json')).toMatchObject({ exitCode: 0 })
    expect((await piped(text, '--dry-run', '--json')).json()).toMatchObject({
      source: 'pipe',
      changes: [{ action: 'unchanged' }],
    })
    expect(await piped('')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('standard input') })
    const place = join(process.cwd(), 'no-such-secret')
    const missing = await piped('source: pipe\nwebhookEndpoints: { polar: { secretFile: no-such-secret } }\n', '--yes')
    expect(missing.stderr).toContain(`webhookEndpoints.polar.secretFile: the file ${place} does not exist`)
  })

  test('apply refuses a file that does not exist or is not a mapping', async () => {
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
