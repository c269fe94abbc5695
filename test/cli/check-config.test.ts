import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { configSchema } from '../../src/composition.ts'
import { loadConfig } from '../../src/core/config.ts'
import { listKeys } from '../../src/core/config-keys.ts'
import { type Environment, runCommand, slow } from '../support/binary.ts'
import { temporaryDirectory } from '../support/directory.ts'

const directory = temporaryDirectory()

const fileOf = (yaml: string) => {
  const file = join(directory, 'gatehouse.yaml')
  writeFileSync(file, yaml)
  return file
}
const check = (env: Environment = {}, ...args: readonly string[]) => runCommand(['check-config', '--json', ...args], env)

test('check-config accepts the defaults and opens no file or database', slow, async () => {
  const dataDir = join(directory, 'untouched')
  expect((await check({ GATEHOUSE_DATA_DIR: dataDir })).json()).toEqual({
    ...{ ok: true, warnings: [] },
    database: { isChecked: false, why: 'there is no database yet' },
  })
  expect(readdirSync(directory)).toEqual([])
  expect((await runCommand(['check-config'], {})).stdout).toBe(
    'The configuration is good.\nRead: no file.\nSettings of the database: not checked, since there is no database yet.\n',
  )
})

test(
  'check-config names every wrong key of file, environment and flags in one message, with its value and the expected value',
  slow,
  async () => {
    const file = fileOf(
      'url: ftp://x\nhots: localhost\nsessions:\n  freshAgeSeconds: -1\n  frehs: 1\nmailFrom: nobody\ntrustedProxies: [not-an-ip]\n',
    )
    const wrong = { GATEHOUSE_LIMITS_ENABLED: 'maybe', GATEHOUSE_PASSWRD: 'x', GATEHOUSE_SMTP_URL: 'http://u:geheim@x' }
    const refused = await check(wrong, '--config', file, '--port', '70000')
    expect([refused.exitCode, refused.stdout]).toEqual([3, ''])
    const { code, message } = JSON.parse(refused.stderr) as { code: string; message: string }
    expect(code).toBe('CONFIGURATION_INVALID')
    for (const part of [
      'url',
      'ftp://x',
      'hots: unknown key',
      'sessions.freshAgeSeconds',
      '-1',
      'sessions.frehs: unknown key',
      'mailFrom',
    ])
      expect(message).toContain(part)
    for (const part of [
      'trustedProxies',
      'limits.enabled',
      'maybe',
      'GATEHOUSE_PASSWRD: unknown variable',
      'smtpUrl',
      'port',
      '70000',
    ])
      expect(message).toContain(part)
    // An invalid secret is not printed.
    expect(message).not.toContain('geheim')
    expect(message.trim().split('\n')).toHaveLength(11)
  },
)

test.each([
  ['a missing configuration file', ['--config', '/nonexistent/gatehouse.yaml'], {}, 'does not exist'],
  ['a missing secret file', [], { GATEHOUSE_SECRET_FILE: '/nonexistent/secret' }, 'does not exist'],
  ['a placeholder as secret', [], { GATEHOUSE_SECRET: 'changeme-changeme-changeme-changeme' }, 'placeholder'],
  ['too weak hashing', [], { GATEHOUSE_PASSWORD_MEMORY_KIB: '64' }, 'too weak'],
])('check-config refuses %s', slow, async (_, args, env, part) => {
  const refused = await check(env, ...args)
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining(part)])
})

test('check-config warns about settings that are allowed but unwise', slow, async () => {
  const env = { GATEHOUSE_LIMITS_ENABLED: 'off', GATEHOUSE_HTTP_ALLOW_INSECURE_URL: 'true' }
  const warned = await check(env, '--url', 'http://auth.example.com')
  expect(warned.exitCode).toBe(0)
  expect((warned.json() as { warnings: string[] }).warnings).toEqual([
    expect.stringContaining('limits.enabled'),
    expect.stringContaining('http'),
    expect.stringContaining('smtpUrl'),
  ])
})

test('the example configuration is valid, and every key in its comments exists', slow, async () => {
  const example = join(import.meta.dirname, '../../config/gatehouse.example.yaml')
  expect((await check({}, '--config', example)).exitCode).toBe(0)
  // The example names a logo, which is read, so the test provides one.
  const uncommented = readFileSync(example, 'utf8')
    .replace(/^( *)# ((?:[a-zA-Z]+:( |$)| {2}- ).*)$/gm, '$1$2')
    .replace('/etc/gatehouse/logo.svg', join(import.meta.dirname, '../../admin-ui/shared/favicon.svg'))
  const keys = Object.keys(parse(uncommented) as object)
  expect(keys).toEqual(expect.arrayContaining(['databaseUrl', 'smtpUrl', 'trustedOrigins', 'billing']))
  const config = loadConfig(configSchema, {
    file: fileOf(uncommented),
    env: { GATEHOUSE_SECRET: 'Zm9yIHRlc3RzIG9ubHksIDQ4IHJhbmRvbQ' },
  })
  expect(config).toMatchObject({ url: 'https://auth.example.com', trustedOrigins: { length: 2 } })
})

test('every configuration key has a description and an environment variable of its own', () => {
  const keys = listKeys(configSchema)
  expect(keys.filter(({ description }) => description === '').map(({ path }) => path.join('.'))).toEqual([])
  expect(new Set(keys.map(({ variable }) => variable)).size).toBe(keys.length)
})
