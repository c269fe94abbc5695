/** `gatehouse config` with and without a running daemon. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Environment, environmentOf, runCommand, serveHere, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let file: string
const config = (...words: readonly string[]) => runCommand(['config', ...words], env)
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  file = join(database.dataDir, 'gatehouse.yaml')
  writeFileSync(file, 'sessions: { freshAgeSeconds: 3600 }\n')
})
afterAll(async () => {
  await database.drop()
})

describe('gatehouse config', slow, () => {
  test('config set stores a setting that every other command uses, and config list shows where a value comes from', async () => {
    expect(await config('set', 'password.minLength', '12')).toMatchObject({
      exitCode: 0,
      stdout: '+ password.minLength: not stored -> 12\nStored as version 1. Running nodes follow within two seconds.\n',
    })
    expect((await config('get', 'password.minLength')).stdout).toBe('12\n')
    expect((await config('list', '--source', 'database', '--json')).json()).toMatchObject([
      {
        key: 'password.minLength',
        value: 12,
        default: 8,
        source: 'database',
        stored: { version: 1, changedBy: { kind: 'system' } },
      },
    ])
    const short = ['create-user', '--email', 'ann@example.com', '--name', 'Ann', '--password-stdin']
    expect(await runCommand(short, env, 'elevenchars\n')).toMatchObject({ exitCode: 3 })
  })

  test('config set stores all of several keys or none, and changes nothing with --dry-run', async () => {
    const shown = await config('set', 'brand.name=Acme', 'brand.color=#0d5c4c', '--dry-run')
    expect(shown.stdout).toBe('+ brand.color: not stored -> #0d5c4c\n+ brand.name: not stored -> Acme\n')
    const refused = await config('set', 'brand.name=Acme', 'brand.color=green', '--json')
    expect(refused.exitCode).toBe(3)
    expect(JSON.parse(refused.stderr)).toMatchObject({
      code: 'SETTINGS_ARE_INVALID',
      issues: [{ path: 'brand.color', message: 'a colour such as #0d5c4c (is "green")' }],
    })
    expect((await config('list', 'brand.', '--source', 'database', '--json')).json()).toEqual([])
  })

  test('config set takes a secret only from standard input, and shows only a hint of it', async () => {
    const secret = 'smtp://ann:geheim@127.0.0.1:9'
    expect(await config('set', 'smtpUrl', secret)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--stdin') })
    const refused = await runCommand(['config', 'set', 'smtpUrl', '--stdin'], env, `${secret}\n`)
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('ECONNREFUSED') })
    const kept = await runCommand(['config', 'set', 'smtpUrl', '--stdin', '--force'], env, `${secret}\n`)
    expect(kept.stdout).toContain('+ smtpUrl: not stored -> smtp://ann:…@127.0.0.1:9\n')
    const all = `${(await config('list', '--json')).stdout}${(await config('history', '--json')).stdout}`
    expect(all).not.toContain('geheim')
    expect((await config('unset', 'smtpUrl')).exitCode).toBe(0)
  })

  test('config set refuses a key set in the file, a key that needs a restart, and an unknown key', async () => {
    const locked = await runCommand(['config', 'set', 'sessions.freshAgeSeconds', '60', '--config', file], env)
    expect(locked).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(`sessions.freshAgeSeconds is set by ${file}`) })
    expect(await config('set', 'port', '4000')).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('GATEHOUSE_PORT') })
    expect(await config('set', 'password.minLenght', '9')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('did you mean password.minLength?'),
    })
  })

  test('config history lists every change, and config revert restores an earlier state', async () => {
    await config('set', 'password.minLength', '16', '--reason', 'as agreed')
    const [newest] = (await config('history', '--json')).json() as { version: number; reason: string; changes: unknown[] }[]
    expect(newest).toMatchObject({ reason: 'as agreed', changes: [{ key: 'password.minLength', before: 12, after: 16 }] })
    expect((await config('revert', '1')).stdout).toContain('~ password.minLength: 16 -> 12\n')
    expect((await config('revert', '0')).stdout).toContain('- password.minLength: 12 -> not stored\n')
    expect((await config('list', '--source', 'database', '--json')).json()).toEqual([])
    expect(await config('revert', '99')).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('version not found') })
  })

  test('a running daemon applies config set, and a restarted daemon uses the setting from the beginning', async () => {
    let daemon = await serveHere(env)
    const radius = async () => {
      return (await daemon.client().request('/brand.css')).text.includes('0.125rem')
    }
    try {
      const before = await radius()
      await config('set', 'brand.radius', 'sharp')
      await vi.waitFor(async () => expect(await radius()).toBe(!before), { timeout: 60_000, interval: 50 })
      await daemon.stop()
      daemon = await serveHere(env)
      expect(await radius()).toBe(!before)
    } finally {
      await daemon.stop()
    }
  })

  test('check-config checks the settings in the database, and says if it cannot reach them', async () => {
    const check = (...args: readonly string[]) => runCommand(['check-config', ...args], env)
    await config('set', 'brand.name=Acme', 'oidc.keyOverlapSeconds=300')
    expect((await check('--json')).json()).toMatchObject({ database: { isChecked: true, settings: expect.any(Number) } })
    const contradiction = join(database.dataDir, 'short-overlap.yaml')
    writeFileSync(contradiction, 'oidc: { documentCacheSeconds: 3600 }\n')
    const refused = await check('--config', contradiction)
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('keyOverlapSeconds must not be shorter') })
    expect(refused.stderr).toContain('gatehouse config list --source database')
    await config('unset', 'oidc.keyOverlapSeconds', 'brand.name')
    const elsewhere = await runCommand(['check-config'], {
      ...env,
      ...{ GATEHOUSE_DATABASE_URL: 'postgres://127.0.0.1:9/none', GATEHOUSE_SECRET: 'a-secret-0123456789-abcdefghij-KLMNOP' },
    })
    expect(elsewhere.exitCode).toBe(0)
    expect(elsewhere.stdout).toMatch(/Settings of the database: not checked, since the database cannot be read: .+ECONNREFUSED/)
  })

  test('the daemon and commands name every stored setting that no master secret can open', async () => {
    for (const key of ['smtpUrl', 'backup.passphrase'])
      await runCommand(
        ['config', 'set', key, '--stdin', '--force'],
        env,
        key === 'smtpUrl' ? 'smtp://127.0.0.1:9\n' : 'a phrase that nobody guesses 2027\n',
      )
    const other = { ...env, GATEHOUSE_SECRET: 'another-secret-0123456789-abcdefghij-KLMNOP' }
    for (const command of [['list-orgs'], ['check-config']]) {
      const refused = await runCommand(command, other)
      expect(refused.exitCode).toBe(3)
      expect(refused.stderr).toContain('no configured secret opens the settings smtpUrl, backup.passphrase of the database')
    }
    expect((await config('unset', 'smtpUrl', 'backup.passphrase')).exitCode).toBe(0)
  })

  test('config repairs a setting that keeps every other command and the daemon from working', async () => {
    await config('set', 'oidc.keyOverlapSeconds', '300')
    const contradiction = join(database.dataDir, 'contradiction.yaml')
    writeFileSync(contradiction, 'oidc: { documentCacheSeconds: 3600 }\n')
    const place = ['--config', contradiction]
    const refused = await runCommand(['list-orgs', ...place], env)
    expect(refused.exitCode).not.toBe(0)
    expect(refused.stderr).toContain('keyOverlapSeconds must not be shorter than documentCacheSeconds')
    expect(refused.stderr).toContain(`gatehouse config list --source database --config ${contradiction}`)
    expect((await config('unset', 'oidc.keyOverlapSeconds', ...place)).exitCode).toBe(0)
    expect((await runCommand(['list-orgs', ...place], env)).exitCode).toBe(0)
  })
})
