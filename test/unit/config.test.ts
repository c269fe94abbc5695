import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configSchema, configWarnings } from '../../src/composition.ts'
import { ConfigError, type ConfigSources, loadConfig } from '../../src/core/config.ts'
import { listKeys } from '../../src/core/config-keys.ts'
import { masterSecrets, readableSecret, secretProblems } from '../../src/core/master-secret.ts'
import { systemRandom } from '../../src/core/random.ts'
import { temporaryDirectory } from '../support/directory.ts'
import { canBeUnprivileged, unprivileged } from '../support/unprivileged.ts'

const load = (sources: Partial<ConfigSources>) => loadConfig(configSchema, { env: {}, ...sources })
const strongSecret = 'Yk3x9-Qm2vT7_aLp0WzR5sNc8uHf1eJd6gBi'

const problemsOf = (sources: Partial<ConfigSources>): readonly string[] => {
  try {
    load(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

const directory = temporaryDirectory()

const file = (text: string) => {
  const path = join(directory, `${randomUUID()}.yaml`)
  writeFileSync(path, text)
  return path
}

test('the configuration has a default for every key', () => {
  expect(load({})).toMatchObject({
    url: 'http://localhost:3000',
    host: '127.0.0.1',
    port: 3000,
    sessions: { expiresInSeconds: 604_800 },
  })
})

test('the configuration is read from the file, the environment and the flags, and later sources override earlier ones', () => {
  const path = file('port: 4000\nhost: 0.0.0.0\nlogLevel: warn\n')
  const config = load({ file: path, env: { GATEHOUSE_PORT: '5000', GATEHOUSE_LOG_LEVEL: 'debug' }, flags: { logLevel: 'error' } })
  expect(config).toMatchObject({ host: '0.0.0.0', port: 5000, logLevel: 'error' })
})

test('a configuration error names every wrong key, its value and the expected value in one message', () => {
  const problems = problemsOf({
    file: file('port: hello\nsesions: {}\nsessions:\n  freshAgeSeconds: -1\n'),
    env: { GATEHOUSE_URL: 'ftp://x', GATEHOUSE_NONSENSE: '1' },
  })
  const text = problems.join('\n')
  for (const part of [
    'port',
    '"hello"',
    'sesions: unknown key',
    'sessions.freshAgeSeconds',
    'url: an http or https address',
    'GATEHOUSE_NONSENSE',
  ])
    expect(text).toContain(part)
})

test('every key of a section has an environment variable', () => {
  expect(load({ env: { GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS: '0', GATEHOUSE_ACCOUNTS_SIGN_UP_ENABLED: 'false' } })).toMatchObject(
    {
      sessions: { freshAgeSeconds: 0 },
      accounts: { signUpEnabled: false },
    },
  )
})

test('an optional number and an enumeration can be set by the environment', () => {
  const env = {
    GATEHOUSE_BILLING_FREE_SEATS: '5',
    GATEHOUSE_ORGANIZATIONS_LIMIT_PER_USER: '2',
    GATEHOUSE_BILLING_GRACE_PAST_DUE: '60',
    GATEHOUSE_BILLING_GRACE_PAUSED: 'always',
  }
  expect(load({ env })).toMatchObject({
    billing: { freeSeats: 5, grace: { past_due: 60, paused: 'always' } },
    organizations: { limitPerUser: 2 },
  })
  expect(problemsOf({ env: { GATEHOUSE_BILLING_FREE_SEATS: 'many' } })).toHaveLength(1)
})

test('a key that takes a word or a number is documented with both types and its default', () => {
  const key = listKeys(configSchema).find(({ path }) => path.join('.') === 'billing.grace.past_due')
  expect(key).toMatchObject({ type: 'always | integer', default: 604_800 })
})

test("an operator's page on another origin is refused unless the origin is trusted", () => {
  const loginPage = { GATEHOUSE_OIDC_LOGIN_PAGE: 'https://accounts.example/login' }
  expect(problemsOf({ env: loginPage }).join()).toContain(
    'oidc.loginPage: must be on an origin of trustedOrigins; https://accounts.example is none',
  )
  expect(load({ env: { ...loginPage, GATEHOUSE_TRUSTED_ORIGINS: 'https://accounts.example' } }).oidc.loginPage).toBeDefined()
  expect(load({ env: { GATEHOUSE_OIDC_CONSENT_PAGE: '/our/consent' } }).oidc.consentPage).toBe('/our/consent')
  for (const page of ['//evil.example', '/\\evil.example', 'javascript:alert(1)', 'http://accounts.example/', '/a#b', 'login'])
    expect(problemsOf({ env: { GATEHOUSE_OIDC_LOGIN_PAGE: page } }).join()).toContain('oidc.loginPage')
})

test('PORT sets the port unless GATEHOUSE_PORT does', () => {
  expect(load({ env: { PORT: '8080' } }).port).toBe(8080)
  expect(load({ env: { PORT: '8080', GATEHOUSE_PORT: '9090' } }).port).toBe(9090)
})

test('a secret can be read from a file and is never shown', () => {
  const path = file(`${strongSecret}\n`)
  expect(load({ env: { GATEHOUSE_SECRET_FILE: path } }).secret).toEqual([strongSecret])
  expect(problemsOf({ env: { GATEHOUSE_SECRET: 'tooshort' } }).join()).not.toContain('tooshort')
  expect(problemsOf({ env: { GATEHOUSE_SECRET_FILE: '/does/not/exist' } }).join()).toContain('does not exist')
})

test('PostgreSQL requires a secret, and placeholders and repeated secrets are refused', () => {
  expect(problemsOf({ env: { GATEHOUSE_DATABASE_URL: 'postgres://db/x' } }).join()).toContain(
    'secret: is required with PostgreSQL',
  )
  expect(problemsOf({ env: { GATEHOUSE_SECRET: 'changemechangemechangemechangeme1' } }).join()).toContain('placeholder')
  expect(problemsOf({ env: { GATEHOUSE_SECRET: `${strongSecret},${strongSecret}` } }).join()).toContain('twice')
})

test('password hashing weaker than the baseline is refused unless a configuration key allows it', () => {
  expect(problemsOf({ env: { GATEHOUSE_PASSWORD_MEMORY_KIB: '1024' } }).join()).toContain('too weak')
})

test('a public address with path, query or user, and an unreadable file, are refused', () => {
  for (const url of ['https://a.example/x', 'https://u@a.example', 'https://a.example/?x=1', 'nonsense'])
    expect(problemsOf({ env: { GATEHOUSE_URL: url } }).join()).toContain('url:')
  expect(problemsOf({ file: '/does/not/exist.yaml' }).join()).toContain('does not exist')
  expect(problemsOf({ file: file('port: [1\n') }).join()).toContain('not valid YAML')
  expect(problemsOf({ file: file('- a\n- b\n') }).join()).toContain('mapping')
})

test('every configuration key is described', () => {
  for (const key of listKeys(configSchema)) expect(key.description, key.path.join('.')).not.toBe('')
})

test('the generated secret is written once, and only its owner can read it', () => {
  const dataDir = join(directory, 'data')
  const first = masterSecrets({ secret: [], dataDir }, systemRandom)
  expect(first[0]).toHaveLength(64)
  expect(masterSecrets({ secret: [], dataDir }, systemRandom)).toEqual(first)
  expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600)
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
})

test('configured organization roles must include the creator role and use known names and permissions', () => {
  const problems = (organizations: object) => problemsOf({ flags: { organizations } }).join('\n')
  expect(
    load({ flags: { organizations: { creatorRole: 'boss', roles: { boss: { team: ['create'] } } } } }).organizations,
  ).toMatchObject({
    creatorRole: 'boss',
    roles: { boss: { team: ['create'], member: [] } },
  })
  expect(problems({ creatorRole: 'boss' })).toContain(
    'organizations.creatorRole: one of the roles: owner,admin,member (is "boss")',
  )
  expect(problems({ roles: { 'a,b': {} } })).toContain('organizations.roles')
  expect(problems({ roles: { boss: { team: ['fly'] } } })).toContain('organizations.roles.boss.team')
  expect(problems({ roles: { boss: { spaceship: [] } } })).toContain('organizations.roles.boss.spaceship: unknown key')
  expect(problems({ roles: { boss: { grants: ['nobody'] } } })).toContain(
    'organizations.roles.boss.grants: roles among: owner,admin,member,boss',
  )
  const many = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`r${n}-${'x'.repeat(28)}`, {}]))
  expect(problems({ roles: many })).toContain('at most 255 characters together')
})

test('a master secret is refused as a placeholder only if it equals a placeholder, and a secret from openssl is never refused', () => {
  const isRefused = (secret: string) =>
    problemsOf({ flags: { secret: [secret] } })
      .join()
      .includes('placeholder')
  for (const start of ['x', 'X', '0', 'xx0', 'secret', 'example', 'changeme', 'password'])
    expect([start, isRefused(`${start}${randomBytes(48).toString('base64')}`)]).toEqual([start, false])
  const made = Array.from({ length: 1_000 }, () => randomBytes(48).toString('base64'))
  expect(made.filter((secret) => secretProblems([secret]).length > 0)).toEqual([])
  for (const secret of [
    'changeme-changeme-changeme-changeme',
    'please-change-this-secret-0123456789',
    'my_super_secret_master_key_change_me_123',
    'x'.repeat(40),
    '0'.repeat(64),
  ])
    expect([secret, isRefused(secret)]).toEqual([secret, true])
})

test('the file with the master secret is validated like the variable, and its mode is checked', () => {
  const dataDir = directory
  const read = (text: string | Buffer, mode = 0o600) => {
    writeFileSync(join(dataDir, 'secret'), text)
    chmodSync(join(dataDir, 'secret'), mode)
    return () => masterSecrets({ secret: [], dataDir }, systemRandom)
  }
  const older = randomBytes(48).toString('base64')
  expect(read(`${strongSecret}\n${older}\n`)()).toEqual([strongSecret, older])
  expect(read('short\n')).toThrow('at least 32 characters')
  expect(read('changeme-changeme-changeme-changeme\n')).toThrow('placeholder')
  expect(read(`${strongSecret}\n${strongSecret}\n`)).toThrow('twice')
  expect(read('\n')).toThrow('missing')
  // Kubernetes gives the group the rights of the owner at each mount (fsGroup).
  for (const mode of [0o660, 0o640, 0o440]) {
    expect(read(`${strongSecret}\n`, mode)()).toEqual([strongSecret])
    expect(readableSecret({ secret: [], dataDir })).toEqual({ file: join(dataDir, 'secret'), mode: mode.toString(8) })
    expect(readableSecret({ secret: [strongSecret], dataDir })).toBeUndefined()
  }
  expect(read(`${strongSecret}\n`)()).toEqual([strongSecret])
  expect(readableSecret({ secret: [], dataDir })).toBeUndefined()
  for (const mode of [0o644, 0o664, 0o604, 0o602]) {
    expect(read(`${strongSecret}\n`, mode)).toThrow('chmod 600')
    expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(mode)
  }
  for (const bytes of [`\ufeff${strongSecret}\r\n`, Buffer.from(`\ufeff${strongSecret}\n`, 'utf16le')])
    expect(read(bytes)()).toEqual([strongSecret])
  expect(read(Buffer.from(`${strongSecret}\xe9\n`, 'latin1'))).toThrow('is not valid UTF-8')
})

test.runIf(canBeUnprivileged)(
  'a secret file that everybody can read is accepted if the process cannot change its mode',
  async () => {
    const place = { secret: [], dataDir: directory }
    writeFileSync(join(directory, 'secret'), `${strongSecret}\n`)
    chmodSync(join(directory, 'secret'), 0o444)
    await unprivileged(directory, async () => {
      if (process.geteuid?.() === statSync(join(directory, 'secret')).uid)
        expect(() => masterSecrets(place, systemRandom)).toThrow('chmod 600')
      else expect(masterSecrets(place, systemRandom)).toEqual([strongSecret])
      expect(readableSecret(place)).toMatchObject({ mode: '444' })
    })
  },
)

test('a provider that only the environment names is configured as docs/reference/config.md says', () => {
  const env = {
    GATEHOUSE_ACME_CLIENT_ID: 'client-1',
    GATEHOUSE_SOCIAL_ACME_CLIENT_SECRET_FILE: file('provider-secret\n'),
    GATEHOUSE_SOCIAL_ACME_ISSUER: 'https://id.acme.example',
    GATEHOUSE_SOCIAL_ACME_NAME: 'Acme',
    GATEHOUSE_SOCIAL_ACME_SCOPES: 'openid,email',
    GATEHOUSE_SOCIAL_ACME_PKCE: 'false',
    GATEHOUSE_SOCIAL_ACME_CLAIMS_NAME: 'display',
    GATEHOUSE_SOCIAL_ACME_AUTHORIZATION_PARAMS: '{"hd":"acme.example"}',
    GATEHOUSE_SOCIAL_STATE_TTL_SECONDS: '300',
  }
  const { social } = load({ env })
  expect(social.stateTtlSeconds).toBe(300)
  expect(social.providers).toEqual({
    acme: expect.objectContaining({
      ...{ clientId: 'client-1', clientSecret: 'provider-secret', issuer: 'https://id.acme.example', name: 'Acme', pkce: false },
      ...{
        scopes: ['openid', 'email'],
        authorizationParams: { hd: 'acme.example' },
        claims: expect.objectContaining({ name: 'display' }),
      },
    }),
  })
  // A section of the file keeps its id, and its variable has `_` for `-`.
  const path = file('social:\n  acme-eu: { issuer: https://id.acme.example, clientId: a }\n')
  expect(load({ file: path, env: { GATEHOUSE_ACME_EU_CLIENT_SECRET: 'b' } }).social.providers).toEqual({
    'acme-eu': expect.objectContaining({ clientId: 'a', clientSecret: 'b' }),
  })
})

test('every documented variable of a provider sets its key', () => {
  for (const key of listKeys(configSchema).filter(({ variable }) => variable.includes('<NAME>'))) {
    const variable = key.variable.replace('<NAME>', 'ACME')
    expect(problemsOf({ env: { [variable]: '\u0000' } }).join(), variable).not.toContain('unknown variable')
  }
})

test('the error for an unknown key or variable suggests a similar name', () => {
  const path = file('hots: x\nsessions:\n  freshAge: 1\nfreshAgeSeconds: 1\nsocial:\n  gihub: { clientId: a }\n')
  const env = { GATEHOUSE_PASSWORD_MIN_LENGHT: '9', GATEHOUSE_GITHUB_CLIENT_IDD: 'x', GATEHOUSE_ZZZZZZZZ: '1' }
  const problems = problemsOf({ file: path, env })
  for (const part of [
    'hots: unknown key (did you mean host?)',
    'freshAgeSeconds: unknown key (did you mean sessions.freshAgeSeconds?)',
    'GATEHOUSE_PASSWORD_MIN_LENGHT: unknown variable (did you mean GATEHOUSE_PASSWORD_MIN_LENGTH?)',
    'GATEHOUSE_GITHUB_CLIENT_IDD: unknown variable (did you mean GATEHOUSE_GITHUB_CLIENT_ID?)',
  ])
    expect(problems).toContain(part)
  expect(problems).toContain('GATEHOUSE_ZZZZZZZZ: unknown variable')
  expect(problems.join()).toMatch(/social\.gihub: .*\(did you mean github\?\)/)
})

test('an IPv6 address to listen on may have the brackets that URLs require', () => {
  for (const [written, read] of [
    ['[::]', '::'],
    ['[::1]', '::1'],
    ['::', '::'],
    ['0.0.0.0', '0.0.0.0'],
    ['[name]', '[name]'],
  ])
    expect(load({ env: { GATEHOUSE_HOST: written } }).host).toBe(read)
})

test('http on a public name is refused unless a configuration key allows it, and accepted on loopback', () => {
  for (const url of ['http://id.example.com', 'http://10.0.0.7:3000', 'http://localhost.example.com'])
    expect(problemsOf({ flags: { url } }).join()).toContain('http.allowInsecureUrl')
  for (const url of ['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:3000', 'https://id.example.com'])
    expect(problemsOf({ flags: { url } })).toEqual([])
  expect(problemsOf({ flags: { url: 'http://id.example.com', http: { allowInsecureUrl: true } } })).toEqual([])
})

test('warnings name a wildcard origin, too wide a proxy range, unencrypted http and missing mail', () => {
  const warningsOf = (flags: Record<string, unknown>) => configWarnings(load({ flags })).map((text) => text.split(' ')[0])
  expect(warningsOf({})).toEqual([])
  expect(warningsOf({ url: 'https://id.example.com' })).toEqual(['smtpUrl'])
  for (const origin of ['*', 'https://*', 'http://*:*', '*.*'])
    expect(warningsOf({ trustedOrigins: [origin] })).toEqual(['trustedOrigins'])
  expect(warningsOf({ trustedOrigins: ['https://*.example.com', '*.example.com', 'myapp://'] })).toEqual([])
  for (const range of [
    '0.0.0.0/0',
    '::/0',
    '64.0.0.0/2',
    '2000::/3',
    'f000::/4',
    'fd::/8',
    '::ffff:0:0/96',
    '::ffff:64.0.0.0/98',
    '::/64',
  ])
    expect(warningsOf({ trustedProxies: [range] }), range).toEqual(['trustedProxies'])
  // Local IPv6 addresses, such as those of a cluster, belong to nobody outside (RFC 4193, RFC 4291).
  for (const range of [
    '10.0.0.0/8',
    'fd00::/8',
    'fc00::/7',
    'FE80::/10',
    '2001:db8::/32',
    '::1/128',
    '::ffff:10.0.0.0/104',
    '10.1.2.3',
  ])
    expect(warningsOf({ trustedProxies: [range] }), range).toEqual([])
  expect(warningsOf({ url: 'http://id.example.com', http: { allowInsecureUrl: true }, smtpAllowPlaintext: true })).toEqual([
    'url',
    'smtpUrl',
    'smtpAllowPlaintext',
  ])
})

test('a wrong value of a flag alone is a usage error that names the flag, and together with another problem it is a configuration error', () => {
  const failureOf = (sources: Partial<ConfigSources>) => {
    try {
      return load(sources)
    } catch (error) {
      return error
    }
  }
  expect(failureOf({ flags: { port: '70000' } })).toMatchObject({
    isUsage: true,
    problems: [expect.stringContaining('--port: ')],
  })
  expect(failureOf({ flags: { port: '70000' }, env: { GATEHOUSE_NONSENSE: '1' } })).toMatchObject({ isUsage: false })
})

test('an extra user field that cannot work is refused at start by its key', () => {
  const fields = {
    Department: { type: 'string' },
    role: { type: 'string' },
    emailVersion: { type: 'number' },
    constructor: { type: 'string' },
    kind: { type: 'text' },
    size: { type: 'number', values: ['1'], maxLength: 3 },
    seats: { type: 'number', default: '1' },
    team: { type: 'string', values: ['a', 'b'], default: 'c' },
    born: { type: 'date', default: 'soon' },
    plan: { type: 'string', required: true, writableBy: 'operator' },
    label: { type: 'string', label: { xx: 'x' } },
    good: { type: 'date', default: '2026-11-22', label: { de: 'Gut' } },
  }
  const problems = problemsOf({ flags: { users: { fields } } }).map((problem) => problem.split(':')[0])
  expect([...new Set(problems)].sort()).toEqual(
    [
      ...['Department', 'role', 'emailVersion', 'constructor', 'kind.type', 'size.values', 'size.maxLength', 'seats.default'],
      ...['team.default', 'born.default', 'plan.required', 'label.label.xx'],
    ]
      .map((key) => `users.fields.${key}`)
      .sort(),
  )
  const many = Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`field${i}`, { type: 'string' }]))
  expect(problemsOf({ flags: { users: { fields: many } } })[0]).toContain('users.fields: at most 30 fields')
})

test('a secret key of the configuration file can name a file that contains the secret, but not together with the value', () => {
  const secretFile = file('postgres://ann@db/gatehouse\n')
  const config = load({ file: file(`databaseUrlFile: ${secretFile}\nsecret: [${strongSecret}]\n`) })
  expect(config.databaseUrl).toBe('postgres://ann@db/gatehouse')
  const inSection = load({
    file: file(`smtpUrlFile: ${file('smtp://localhost:25')}\n`),
    env: { GATEHOUSE_SMTP_URL: 'smtp://localhost:26' },
  })
  expect(inSection.smtpUrl).toBe('smtp://localhost:26')
  expect(problemsOf({ file: file('smtpUrlFile: /nowhere\n') })).toEqual(['smtpUrlFile: /nowhere does not exist'])
  expect(problemsOf({ file: file(`smtpUrlFile: ${secretFile}\nsmtpUrl: smtp://x\n`) })).toEqual([
    'smtpUrlFile: smtpUrl is set, too; keep one of them',
  ])
  expect(problemsOf({ file: file('portFile: /nowhere\n') })[0]).toContain('portFile: unknown key')
})

test.each([
  ['password.memoryKib', '1048576'],
  ['password.timeCost', '1000'],
  ['accounts.guessing.longestWaitSeconds', '31536000'],
  ['accounts.guessing.windowSeconds', '31536000'],
  ['http.maxConnections', '1'],
  ['sessions.absoluteExpiresInSeconds', '1'],
  ['outbound.maxBytes', '9000000000'],
  ['billing.retentionDays', '0'],
])('a %s of %s is refused by its name, because it would lock people out or use up the memory of a node', (name, value) => {
  const variable = `GATEHOUSE_${name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replaceAll('.', '_')
    .toUpperCase()}`
  expect(problemsOf({ env: { [variable]: value } }).join()).toContain(name)
})

test('a minimum password length above the maximum is refused', () => {
  const env = { GATEHOUSE_PASSWORD_MIN_LENGTH: '100', GATEHOUSE_PASSWORD_MAX_LENGTH: '64' }
  expect(problemsOf({ env }).join()).toContain('password.minLength: at most maxLength')
})
