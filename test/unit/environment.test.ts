/** Variables in the forms of Compose, Kubernetes, systemd, dotenv files and shells. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configSchema } from '../../src/composition.ts'
import { ConfigError, loadConfig } from '../../src/core/config.ts'
import { listKeys } from '../../src/core/config-keys.ts'
import type { Environment } from '../../src/core/environment.ts'
import { temporaryDirectory } from '../support/directory.ts'

const directory = temporaryDirectory()
const file = (bytes: string | Buffer) => {
  const path = join(directory, randomUUID())
  writeFileSync(path, bytes)
  return path
}

const load = (env: Environment, yaml?: string) =>
  loadConfig(configSchema, { env, file: yaml === undefined ? undefined : file(yaml) })
const outcomeOf = (env: Environment, yaml?: string): unknown => {
  try {
    return load(env, yaml)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
const problemsOf = (env: Environment, yaml?: string) => {
  const outcome = outcomeOf(env, yaml)
  return Array.isArray(outcome) ? outcome.join('\n') : ''
}

const secret = 'Yk3x9-Qm2vT7_aLp0WzR5sNc8uHf1eJd6gBi'
const links = (begin: string): Environment => ({
  [`${begin}_SERVICE_HOST`]: '10.43.0.7',
  [`${begin}_SERVICE_PORT`]: '80',
  [`${begin}_SERVICE_PORT_HTTP`]: '80',
  [`${begin}_PORT`]: 'tcp://10.43.0.7:80',
  [`${begin}_PORT_80_TCP`]: 'tcp://10.43.0.7:80',
  [`${begin}_PORT_80_TCP_PROTO`]: 'tcp',
  [`${begin}_PORT_80_TCP_PORT`]: '80',
  [`${begin}_PORT_80_TCP_ADDR`]: '10.43.0.7',
})

test('variables that Kubernetes and Docker add for a service called gatehouse have no effect', () => {
  const plain = load({ PORT: '8080' })
  for (const begin of ['GATEHOUSE', 'GATEHOUSE_METRICS', 'GATEHOUSE_URL', 'GATEHOUSE_DATABASE', 'GATEHOUSE_SMTP'])
    expect([begin, load({ PORT: '8080', ...links(begin) })]).toEqual([begin, plain])
  const six = Object.entries(links('GATEHOUSE')).map(([name, value]) => [name, value?.replace('10.43.0.7', '[fd00::7]')])
  expect(
    load({ PORT: '8080', ...Object.fromEntries(six), GATEHOUSE_SERVICE_HOST: 'fd00::7', GATEHOUSE_PORT_80_TCP_ADDR: 'fd00::7' }),
  ).toEqual(plain)
  const udp = {
    GATEHOUSE_PORT_53_UDP: 'udp://10.43.0.7:53',
    GATEHOUSE_PORT_53_UDP_PROTO: 'udp',
    GATEHOUSE_PORT_53_UDP_PORT: '53',
  }
  expect(load({ PORT: '8080', ...links('GATEHOUSE'), ...udp })).toEqual(plain)
  const docker = { GATEHOUSE_PORT: 'tcp://172.17.0.2:3000', GATEHOUSE_NAME: '/proxy/gatehouse', GATEHOUSE_ENV_NODE_VERSION: '24' }
  expect(load({ PORT: '8080', ...docker })).toEqual(plain)
})

test('a misspelled environment variable is refused, even if it resembles a service link', () => {
  for (const [name, value] of [
    ['GATEHOUSE_PROT', '3000'],
    ['GATEHOUSE_SERVICE_HOST', '10.43.0.7'],
    ['GATEHOUSE_SERVICE_PORT', '80'],
    ['GATEHOUSE_SERVICE_HOST', 'auth.example.com'],
    ['GATEHOUSE_PORT_80_TCP', 'yes'],
    ['GATEHOUSE_PORT_80_TCP_ADDR', 'everywhere'],
    ['GATEHOUSE_NAME', 'Acme'],
    ['GATEHOUSE_ENV_X', 'production'],
    ['GATEHOUSE_PROT', ''],
  ] as const)
    expect([name, value, problemsOf({ [name]: value })]).toEqual([
      name,
      value,
      expect.stringContaining(`${name}: unknown variable`),
    ])
  expect(problemsOf({ GATEHOUSE_PORT: 'http://10.43.0.7:80' })).toContain('port')
})

test('no key of the configuration can be mistaken for a service link', () => {
  for (const { variable, type } of listKeys(configSchema)) {
    expect(variable).not.toMatch(/_PORT_\d+_(TCP|UDP|SCTP)|_SERVICE_(HOST|PORT)/)
    if (variable.endsWith('_PORT')) expect([variable, type]).toEqual([variable, 'integer'])
  }
})

test('blanks, line breaks, a byte order mark and a pair of quotation marks around a value are ignored', () => {
  for (const wrap of [
    (text: string) => `${text}\n`,
    (text: string) => `${text}\r`,
    (text: string) => `${text}\r\n`,
    (text: string) => `  ${text}\t`,
    (text: string) => `\ufeff${text}`,
    (text: string) => `"${text}"`,
    (text: string) => `'${text}'`,
    (text: string) => `"${text}"\r`,
    (text: string) => `" ${text} "`,
  ]) {
    const env = {
      GATEHOUSE_URL: 'https://auth.example.com',
      GATEHOUSE_PORT: '4000',
      GATEHOUSE_LIMITS_ENABLED: 'on',
      GATEHOUSE_ACCOUNTS_SIGN_UP_ENABLED: 'false',
      GATEHOUSE_TRUSTED_PROXIES: '10.0.0.1,10.0.0.2',
      GATEHOUSE_SECRET: secret,
      GATEHOUSE_METRICS_TOKEN: 'a token of some length',
      GATEHOUSE_EVENTS_WEBHOOK_URL: 'https://hooks.example.com/in',
      GATEHOUSE_EVENTS_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    }
    const wrapped = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, wrap(value)]))
    expect(outcomeOf(wrapped)).toEqual(load(env))
    const { GATEHOUSE_METRICS_TOKEN: token, ...others } = env
    expect(outcomeOf({ ...others, GATEHOUSE_METRICS_TOKEN_FILE: wrap(file(wrap(token))) })).toEqual(load(env))
  }
  expect(load({ GATEHOUSE_TRUSTED_ORIGINS: '"https://a.example","https://b.example"' }).trustedOrigins).toEqual([
    ...['https://a.example', 'https://b.example'],
  ])
  // Quotation marks inside a value stay, such as those of JSON, and so does a single one.
  expect(
    load({
      GATEHOUSE_SOCIAL_ACME_AUTHORIZATION_PARAMS: '{"hd":"acme.example"}',
      GATEHOUSE_ACME_CLIENT_ID: 'a',
      GATEHOUSE_SOCIAL_ACME_ISSUER: 'https://id.acme.example',
    }).social.providers['acme'],
  ).toMatchObject({
    authorizationParams: { hd: 'acme.example' },
  })
  expect(load({ GATEHOUSE_BRAND_NAME: 'The "Acme"' }).brand.name).toBe('The "Acme"')
  expect(load({ GATEHOUSE_BRAND_NAME: '"a" and "b"' }).brand.name).toBe('"a" and "b"')
})

test('an empty or blank variable is treated as missing, or refused if that would mean another instance', () => {
  const plain = load({})
  const refused: string[] = []
  for (const { variable, path, secret: isSecret } of listKeys(configSchema).filter((key) => !key.variable.includes('<NAME>')))
    for (const empty of ['', ' ', '\n', '""', "''", '" "']) {
      const outcome = outcomeOf({ [variable]: empty })
      if (Array.isArray(outcome)) {
        expect(outcome).toEqual([`${variable}: is empty; give it a value, or do not set it`])
        refused.push(path.join('.'))
      } else expect([variable, outcome]).toEqual([variable, plain])
      if (isSecret && !Array.isArray(outcome)) expect(outcomeOf({ [`${variable}_FILE`]: empty })).toEqual(plain)
    }
  expect([...new Set(refused)]).toEqual(['url', 'databaseUrl', 'dataDir'])
  // The value of the file stays.
  const yaml = 'host: 192.0.2.1\ntrustedProxies: [10.0.0.1]\nurl: https://auth.example.com\n'
  expect(outcomeOf({ GATEHOUSE_HOST: '', GATEHOUSE_TRUSTED_PROXIES: '' }, yaml)).toEqual(load({}, yaml))
  expect(load({ GATEHOUSE_CONFIG: '' })).toEqual(plain)
  expect(load({ PORT: '' })).toEqual(plain)
  expect(load({ GATEHOUSE_TRUSTED_PROXIES: '[]' }, yaml).trustedProxies).toEqual([])
})

test('the daemon listens on all addresses only if a variable, key or flag contains exactly that address', () => {
  for (const host of ['', ' ', '\t'])
    for (const key of ['host', 'metrics'] as const) {
      const given = key === 'host' ? { host } : { metrics: { host, port: 9090 } }
      expect(() => loadConfig(configSchema, { env: {}, flags: given })).toThrow('0.0.0.0 means all')
    }
  expect(load({ GATEHOUSE_HOST: '', GATEHOUSE_METRICS_HOST: '""' })).toMatchObject({
    host: '127.0.0.1',
    metrics: { host: '127.0.0.1' },
  })
  expect(load({ GATEHOUSE_HOST: '"0.0.0.0"' }).host).toBe('0.0.0.0')
})

test('a value that is an unfilled placeholder, has a trailing comment or is not valid text is refused by the name of its variable', () => {
  for (const [value, words] of [
    [['$', '{WEBHOOK_SECRET}'].join(''), 'name of another variable'],
    [['"$', '{WEBHOOK_SECRET:-}"'].join(''), 'name of another variable'],
    ['$(WEBHOOK_SECRET)', 'name of another variable'],
    ['a token of some length # of the collector', 'comment'],
    ['a token of some l\ufffdngth', 'UTF-8'],
  ] as const) {
    const problems = problemsOf({ GATEHOUSE_METRICS_TOKEN: value })
    expect([value, problems]).toEqual([value, expect.stringMatching(new RegExp(`^GATEHOUSE_METRICS_TOKEN: .*${words}`))])
    expect(problems).not.toContain('some l')
  }
  expect(load({ GATEHOUSE_METRICS_TOKEN: "'a token # of some length'" }).metrics.token).toBe('a token # of some length')
  expect(load({ GATEHOUSE_METRICS_TOKEN: 'a#token$of{some}length' }).metrics.token).toBe('a#token$of{some}length')
})

test('a secret is given only once: as a variable or as the file that contains it', () => {
  const both = { GATEHOUSE_SECRET: secret, GATEHOUSE_SECRET_FILE: file(`${secret}\n`) }
  expect(problemsOf(both)).toContain('GATEHOUSE_SECRET_FILE: GATEHOUSE_SECRET is set, too')
  expect(load({ ...both, GATEHOUSE_SECRET: '' }).secret).toEqual([secret])
  expect(problemsOf({ GATEHOUSE_SECRET_FILE: file('\n') })).toContain('is empty')
})

test('booleans are read in upper or lower case, and numbers only in plain decimal notation', () => {
  for (const value of ['true', 'True', 'TRUE']) expect(load({ GATEHOUSE_OIDC_REQUIRE_PKCE: value }).oidc.requirePkce).toBe(true)
  for (const value of ['false', 'False', 'FALSE'])
    expect(load({ GATEHOUSE_OIDC_REQUIRE_PKCE: value }).oidc.requirePkce).toBe(false)
  for (const value of ['1', 'yes', 'on', 't'])
    expect(problemsOf({ GATEHOUSE_OIDC_REQUIRE_PKCE: value })).toContain('oidc.requirePkce')
  for (const value of ['0x1f90', '8e3', 'Infinity', '8_080', '8,080', '8080/tcp'])
    expect([value, problemsOf({ GATEHOUSE_PORT: value })]).toEqual([value, expect.stringContaining('port')])
  expect(load({ GATEHOUSE_PORT: '08080' }).port).toBe(8080)
})

test('the configuration file and secrets in files are read in UTF-8 with a byte order mark and in UTF-16, and otherwise refused', () => {
  const yaml = `brand: { name: Müller }\nsecret: [${secret}]\n`
  const utf16 = Buffer.from(`\ufeff${yaml}`, 'utf16le')
  for (const bytes of [Buffer.from(yaml), Buffer.from(`\ufeff${yaml}`), utf16, Buffer.from(utf16).swap16()])
    expect(loadConfig(configSchema, { env: {}, file: file(bytes) })).toMatchObject({
      brand: { name: 'Müller' },
      secret: [secret],
    })
  for (const bytes of [Buffer.from(yaml, 'latin1'), Buffer.from(yaml, 'utf16le')])
    expect(() => loadConfig(configSchema, { env: {}, file: file(bytes) })).toThrow('UTF-8')
  expect(load({ GATEHOUSE_SECRET_FILE: file(Buffer.from(`\ufeff${secret}\r\n`, 'utf16le')) }).secret).toEqual([secret])
})
