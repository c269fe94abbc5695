/** The declaration of an existing instance, which `export-declaration` writes and `apply` reads. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { webhookSecret } from '../support/billing.ts'
import { environmentOf, runCommand } from '../support/binary.ts'
import type { Client } from '../support/client.ts'
import { createMigratedDatabase } from '../support/database.ts'
import { remoteCommands } from '../support/remote.ts'

let t: TestApp
let home: string
let admin: Client
const { start, run, runWith, here, hereWith, login } = remoteCommands(
  () => t,
  () => home,
)
const clientSecret = 'a-client-secret-of-forty-characters-0123'
const providerSecret = 'the-secret-of-github-0123456789'

const declared = `
source: by hand
settings:
  brand.name: Acme
  password.minLength: 12
  access.roles: { clerk: { permissions: [users:read] } }
  social.github.clientId: gh
  social.github.clientSecret: { secretFile: HOME/GITHUB }
organizations:
  acme: { name: "Acme: Inc.", metadata: { region: eu, size: 3 }, logo: "https://acme.example/logo.png", teams: [Sales, Support] }
  zeta: { name: Zeta }
clients:
  shop:
    name: Shop
    redirectUris: [https://shop.example/cb, https://shop.example/other]
    postLogoutRedirectUris: [https://shop.example/bye]
    secretFile: HOME/SHOP
    color: "#0d5c4c"
    translations: { de: { name: Laden } }
    contacts: [ann@example.com]
    requireAcr: 2fa
    defaultMaxAge: 600
    backchannelLogoutUri: https://shop.example/logout
    claimsIn: id-token
    idTokenAlg: ES256
  nightly: { name: Nightly, type: machine, permissions: [users:read], secretFile: HOME/SHOP }
  phone: { name: Phone, type: native, redirectUris: ["com.example.app:/cb"], deviceFlow: true, scopes: [openid, email] }
  page: { name: Page, type: spa, redirectUris: [https://page.example/cb], disabled: true, pkce: required }
  signer:
    name: Signer
    redirectUris: [https://signer.example/cb]
    authMethod: private_key_jwt
    jwksUri: https://signer.example/jwks.json
apis:
  https://api.example.com:
    name: Orders
    scopes: [{ name: orders:read, description: Read orders }, { name: orders:write, description: Write orders }]
    tokenFormat: opaque
    tokenTtlSeconds: 300
    clients: [{ clientId: shop, scopes: [orders:read] }]
  https://open.example.com: { name: Open, access: all, scopes: [{ name: read, description: Read }] }
webhookEndpoints:
  polar-eu: { secretFile: HOME/POLAR }
`
const secrets = { GITHUB: providerSecret, SHOP: clientSecret, POLAR: webhookSecret }
/** The exported text names no files for secrets. */
const placed = (text: string) => text.replaceAll('HOME', home)

beforeAll(async () => {
  t = await testApp()
  home = mkdtempSync(join(tmpdir(), 'gatehouse-export-'))
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin', email_verified: true }))
  await login(admin)
  const file = join(home, 'declared.yaml')
  writeFileSync(file, placed(declared))
  for (const [name, secret] of Object.entries(secrets)) writeFileSync(join(home, name), secret, { mode: 0o600 })
  const env = { ...environmentOf(t.database), GATEHOUSE_URL: t.url }
  const applied = await runCommand(['apply', '-f', file, '--yes', '--force'], env)
  expect(applied.exitCode, applied.stderr).toBe(0)
})
afterAll(async () => {
  rmSync(home, { recursive: true })
  await t.stop()
})

const changesIn = (stdout: string) =>
  (JSON.parse(stdout) as { changes: { key: string; action: string; fields: unknown[] }[] }).changes

test('an exported declaration finds nothing to change when it is applied to the same instance, locally and remotely', async () => {
  const exported = await here('export-declaration')
  expect(exported).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await run('export-declaration')).toEqual(exported)
  const again = await hereWith(exported.stdout, 'apply', '-f', '-', '--dry-run', '--json')
  expect(again.exitCode, again.stderr).toBe(0)
  const changes = changesIn(again.stdout)
  expect(changes.filter(({ action }) => action !== 'unchanged')).toEqual([])
  expect(changes.map(({ key }) => key).toSorted()).toEqual(
    [
      ...['access.roles', 'brand.name', 'password.minLength', 'social.github.clientId', 'social.github.clientSecret'],
      ...[
        'acme',
        'acme/Acme: Inc.',
        'acme/Sales',
        'acme/Support',
        'zeta',
        'zeta/Zeta',
        'shop',
        'nightly',
        'phone',
        'page',
        'signer',
      ],
      ...['https://api.example.com', 'https://open.example.com', 'polar-eu'],
    ].toSorted(),
  )
  const elsewhere = await runWith(exported.stdout, 'apply', '-f', '-', '--dry-run', '--json')
  expect(changesIn(elsewhere.stdout)).toEqual(changes)
  const applied = await hereWith(exported.stdout, 'apply', '-f', '-', '--yes')
  expect(applied).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Nothing to change.') })
})

test('an exported declaration contains no secret, and says which secrets are kept', async () => {
  const { stdout } = await run('export-declaration')
  for (const secret of [clientSecret, providerSecret, webhookSecret]) expect(stdout).not.toContain(secret)
  expect(stdout).toMatch(/social\.github\.clientSecret:\n +keepSecret: true/)
  expect(stdout).toMatch(/polar-eu:\n +keepSecret: true/)
})

test('an exported declaration makes an empty instance the same, once its secrets are given', async () => {
  const exported = (await here('export-declaration', '--source', 'instance')).stdout
  const database = await createMigratedDatabase()
  const env = { ...environmentOf(database), GATEHOUSE_URL: t.url }
  const unnamed = await runCommand(['apply', '-f', '-', '--yes', '--force'], env, exported)
  expect(unnamed).toMatchObject({
    ...{ exitCode: 3, stdout: '' },
    stderr: expect.stringMatching(/social\.github\.clientSecret: keepSecret, and none is stored/),
  })
  const named = placed(
    exported
      .replace(/( +)keepSecret: true/g, '$1secretFile: HOME/SHOP')
      .replace(/(polar-eu:\n +secretFile: HOME\/)SHOP/, '$1POLAR'),
  )
  const applied = await runCommand(['apply', '-f', '-', '--yes', '--force'], env, named)
  expect(applied.exitCode, applied.stderr).toBe(0)
  const again = await runCommand(['export-declaration', '--source', 'instance'], env)
  expect(again.stdout).toBe(exported)
  await database.drop()
})

test('a single section can be exported, without applications that registered themselves or belong to gatehouse', async () => {
  await register(t, { clientId: 'mine' })
  await t.app.core.transact((tx) => tx.knex('oauth_client').where({ client_id: 'mine' }).update({ registered_by: 'person' }))
  const { stdout } = await run('export-declaration', '--section', 'clients', '--section', 'apis')
  expect(stdout).toContain('shop:')
  for (const absent of ['mine:', 'gatehouse-cli', 'settings:', 'organizations:', 'webhookEndpoints:'])
    expect(stdout).not.toContain(absent)
  expect(await run('export-declaration', '--section', 'people')).toMatchObject({ exitCode: 2 })
})

test('an export of a declaration requires the permission to read each section, and the refusal names the section', async () => {
  const keyOf = async (...permissions: readonly string[]) => {
    const args = permissions.flatMap((one) => ['--permission', one])
    return (JSON.parse((await here('create-api-key', '--name', 'X', ...args, '--json')).stdout) as { key: string }).key
  }
  const exportWith = async (key: string, ...args: readonly string[]) => {
    const { said, ended } = start(['export-declaration', ...args, '--remote', t.url], '', { GATEHOUSE_REMOTE_API_KEY: key })
    return { exitCode: await ended, ...said }
  }
  const key = await keyOf('settings:read', 'clients:read')
  expect(await exportWith(key)).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining('organizations: ') })
  expect(await exportWith(key, '--section', 'clients')).toMatchObject({ exitCode: 0 })
  expect(await exportWith(await keyOf('clients:read'), '--section', 'clients')).toMatchObject({ exitCode: 3 })
})

test('keepSecret is refused together with another source of the secret, and if there is no secret to keep', async () => {
  const apply = (text: string) => hereWith(`source: x\n${text}`, 'apply', '-f', '-', '--dry-run')
  for (const [text, problem] of [
    ['webhookEndpoints: { a: { keepSecret: true, secretEnv: HOME } }', 'keep one of them'],
    ['webhookEndpoints: { a: { keepSecret: false } }', 'keepSecret'],
    ['webhookEndpoints: { a: { keepSecret: true } }', 'there is no such endpoint'],
    ['clients: { a: { name: A, redirectUris: [https://a.example/cb], keepSecret: true } }', 'needs its secret'],
    [
      'clients: { page: { name: Page, type: spa, redirectUris: [https://page.example/cb], keepSecret: true } }',
      'a client that keeps a secret',
    ],
  ] as const)
    expect(await apply(text)).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining(problem) })
})
