import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Environment, environmentOf, runCommand, serveHere } from '../../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../../support/database.ts'
import { imageOf } from '../../support/images.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = { ...environmentOf(database), GATEHOUSE_LIMITS_ENABLED: 'off' }
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

const uri = 'https://rp.example/callback'
const run = (...args: string[]) => runCommand(args, env)
type Json = Record<string, unknown>
const json = async (...args: string[]) => {
  const done = await run(...args, '--json')
  expect(done).toMatchObject({ exitCode: 0, stderr: '' })
  return done.json() as Json
}
/** Whether the daemon accepts client and secret. It looks at the invalid code only after the secret matched. */
const answerTo = async (clientId: unknown, secret: unknown) => {
  const answer = await fetch(`${daemon.url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code: 'none', redirect_uri: uri }),
  })
  return ((await answer.json()) as Json)['error_description']
}
/** `expect.poll` does not work in tests that run at the same time. */
const becomes = (clientId: unknown, secret: unknown, answer: string) =>
  vi.waitFor(async () => expect(await answerTo(clientId, secret)).toBe(answer), { timeout: 60_000, interval: 50 })

const own = 'own-4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO'

describe('register-client', () => {
  test('register-client accepts an existing client id and secret, and does not print the secret', async () => {
    const args = ['register-client', '--name', 'Shop', '--redirect-uri', uri, '--client-id', 'shop', '--secret-stdin', '--json']
    const done = await runCommand(args, env, `${own}\n`)
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    expect(done.json()).toMatchObject({ client_id: 'shop' })
    expect(done.stdout).not.toContain(own)
    await becomes('shop', own, 'invalid code')
    const again = await runCommand(args, env, `${own}\n`)
    expect([again.exitCode, JSON.parse(again.stderr).code]).toEqual([3, 'CLIENT_ID_IS_TAKEN'])
  })

  test.each([
    ['--client-id', ['--client-id', 'a b'], own],
    ['--secret-stdin', ['--secret-stdin'], 'too short'],
    ['--secret-stdin', ['--secret-stdin'], ''],
  ])('a wrong %s is a usage error', async (flag, flags, input) => {
    const args = ['register-client', '--name', 'X', '--redirect-uri', uri, ...flags, '--json']
    const wrong = await runCommand(args, env, input === '' ? '' : `${input}\n`)
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' })
    if (input !== '') expect(wrong.stderr).toContain(flag)
    expect(wrong.stderr).not.toContain('too short')
  })
})

// These tests wait for the daemon, so they run at the same time.
describe.concurrent('in the running daemon', () => {
  test('rotate-client-secret adds a second secret, and --revoke ends one of the two secrets', async () => {
    const { client_id: id, client_secret: first } = await json('register-client', '--name', 'Rotated', '--redirect-uri', uri)
    const rotated = await json('rotate-client-secret', String(id), '--overlap', '12h')
    const { client_secret: second } = rotated
    await becomes(id, second, 'invalid code')
    expect(await answerTo(id, first)).toBe('invalid code')
    const { secrets } = (await json('get-client', String(id))) as {
      secrets: { secretId: string; state: string; expiresAt: string; lastUsedAt: string | null }[]
    }
    // The last uses may already have been written in between.
    const atRotation = secrets.map((secret) => ({ ...secret, lastUsedAt: null }))
    expect(atRotation).toEqual(rotated['secrets'])
    expect(secrets.map(({ state }) => state)).toEqual(['active', 'ending'])
    const hours = (Date.parse(secrets[1]?.expiresAt ?? '') - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(11.9)
    expect(hours).toBeLessThanOrEqual(12)
    const third = await run('rotate-client-secret', String(id))
    expect(third.exitCode).toBe(3)
    expect(third.stderr).toMatch(/Two secrets count already.*until 20/)

    const unasked = await run('rotate-client-secret', String(id), '--revoke', secrets[1]?.secretId ?? '')
    expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') })
    const revoked = await json('rotate-client-secret', String(id), '--revoke', secrets[1]?.secretId ?? '', '--yes')
    expect(revoked).toMatchObject({ client_id: id, secrets: [{ state: 'active' }] })
    await becomes(id, first, 'invalid client_secret')
    const last = await run('rotate-client-secret', String(id), '--revoke', secrets[0]?.secretId ?? '', '--yes')
    expect(last.stdout).toContain('No secret is left')
    const unknown = await run('rotate-client-secret', String(id), '--revoke', 'none', '--yes', '--json')
    expect(JSON.parse(unknown.stderr)).toMatchObject({ code: 'SECRET_NOT_FOUND' })
  })

  test('rotate-client-secret --now ends the earlier secret at once, and can read the new secret from standard input', async () => {
    const { client_id: id, client_secret: leaked } = await json('register-client', '--name', 'Leaked', '--redirect-uri', uri)
    await becomes(id, leaked, 'invalid code')
    const args = ['rotate-client-secret', String(id), '--now', '--yes', '--secret-stdin']
    const done = await runCommand(args, env, `${own}\n`)
    expect(done).toMatchObject({ exitCode: 0 })
    expect(done.stdout).not.toContain(own)
    await becomes(id, leaked, 'invalid client_secret')
    expect(await answerTo(id, own)).toBe('invalid code')
    expect((await run('get-client', String(id))).stdout).toMatch(/Secrets\n.*own-…/s)
    for (const [flags, flag] of [
      [['--overlap', '7 days'], '--overlap'],
      [['--overlap', '400d'], '--overlap'],
      [['--revoke', 'x', '--now'], '--revoke'],
    ] as const) {
      const wrong = await run('rotate-client-secret', String(id), ...flags)
      expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining(flag)])
    }
    const weak = await runCommand(args, env, 'short\n')
    expect([weak.exitCode, weak.stderr]).toEqual([2, expect.stringContaining('--secret-stdin')])
  })

  test('delete-client names the consequences and asks for confirmation', async () => {
    const { client_id: id, client_secret: secret } = await json('register-client', '--name', 'Gone', '--redirect-uri', uri)
    await becomes(id, secret, 'invalid code')
    const asked = await run('delete-client', String(id))
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' })
    expect(asked.stderr).toMatch(/Gone.*0 codes and tokens and the consents of 0 people[\s\S]*--yes/)
    expect(await json('delete-client', String(id), '--yes')).toEqual({ client_id: id, name: 'Gone' })
    await becomes(id, secret, 'invalid client_id')
    expect((await run('get-client', String(id))).exitCode).toBe(3)
  })

  test('disable-client switches an application off in the running daemon, and enable-client switches it on again', async () => {
    const { client_id: id, client_secret: secret } = await json('register-client', '--name', 'Switched', '--redirect-uri', uri)
    await becomes(id, secret, 'invalid code')
    expect(await json('disable-client', String(id))).toEqual({ client_id: id, disabled: true })
    await becomes(id, secret, 'client is disabled')
    expect((await run('list-clients', '--disabled')).stdout).toContain(String(id))
    expect((await run('list-clients', '--enabled')).stdout).not.toContain(String(id))
    expect((await run('enable-client', String(id))).stdout).toBe(`Enabled: ${id}\n`)
    await becomes(id, secret, 'invalid code')
  })
})

test('update-client changes the named fields, and empties a list whose flag has no value', async () => {
  const { client_id: id } = await json(
    ...[
      'register-client',
      '--name',
      'Old',
      '--redirect-uri',
      uri,
      '--web-origin',
      'https://a.example',
      '--icon',
      'https://a.example/i',
    ],
  )
  const changed = await json(
    ...['update-client', String(id), '--name', 'New', '--redirect-uri', uri, '--redirect-uri', `${uri}2`, '--web-origin', ''],
    ...[
      '--icon',
      '',
      '--pkce',
      'optional',
      '--require-acr',
      'phishing-resistant',
      '--skip-consent',
      '--policy-uri',
      'https://a.example/policy',
      '--scope',
      'openid email',
    ],
  )
  expect(changed).toMatchObject({
    ...{ client_id: id, name: 'New', redirect_uris: [uri, `${uri}2`], web_origins: [], logo_uri: null, pkce: 'optional' },
    ...{ skip_consent: true, require_acr: 'phishing-resistant', policy_uri: 'https://a.example/policy', scope: 'openid email' },
  })
  expect(
    await json('update-client', String(id), '--no-skip-consent', '--pkce', 'default', '--require-acr', 'none'),
  ).toMatchObject({
    ...{ skip_consent: false, pkce: 'default', require_acr: 'none', name: 'New' },
  })
  for (const [flags, said] of [
    [[], 'nothing to change'],
    [['--redirect-uri', 'http://rp.example'], '--redirect-uri'],
    [['--redirect-uri', ''], '--redirect-uri'],
    [['--scope', 'everything'], '--scope'],
    [['--pkce', 'never'], 'pkce'],
    [['--require-acr', '1fa'], 'require-acr'],
  ] as const) {
    const wrong = await run('update-client', String(id), ...flags)
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining(said)])
  }
  const unknown = await run('update-client', 'none', '--name', 'X', '--json')
  expect([unknown.exitCode, JSON.parse(unknown.stderr).code]).toEqual([3, 'APPLICATION_NOT_FOUND'])
})

test('register-client and update-client accept a logo file and a colour, and refuse an invalid logo or colour', async () => {
  const logo = join(database.dataDir, 'shop.png')
  writeFileSync(logo, await imageOf())
  const args = ['register-client', '--name', 'Shop', '--redirect-uri', uri]
  const made = await json(...args, '--logo', logo, '--color', '#0b1f4d')
  expect(made).toMatchObject({ color: '#0b1f4d', logo: expect.stringContaining('/images/'), logo_problem: null })
  const id = String(made['client_id'])
  expect((await fetch(String(made['logo']).replace(/^https?:\/\/[^/]+/, daemon.url))).headers.get('content-type')).toMatch(
    /^image/,
  )
  expect(await json('update-client', id, '--logo', '')).toMatchObject({ color: '#0b1f4d', logo: null })
  expect(await json('update-client', id, '--color', '')).toMatchObject({ color: null })
  for (const wrong of [
    ['--logo', join(database.dataDir, 'missing.png')],
    ['--color', 'navy'],
    ['--logo', logo, '--icon', 'https://rp.example/logo.png'],
  ])
    expect((await run('update-client', id, ...wrong)).exitCode, wrong.join(' ')).not.toBe(0)
})

describe('--metadata', () => {
  let files = 0
  const file = (content: unknown) => {
    const path = join(database.dataDir, `metadata${files++}.json`)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const metadata = {
    ...{
      client_name: 'Shop',
      'client_name#de': 'Laden',
      redirect_uris: [uri],
      scope: 'openid email',
      contacts: ['it@rp.example'],
    },
    ...{ policy_uri: 'https://rp.example/policy', tos_uri: 'https://rp.example/terms', 'tos_uri#de': 'https://rp.example/agb' },
    ...{
      software_id: 'shop',
      software_version: '1.2',
      default_max_age: 600,
      require_auth_time: true,
      client_uri: 'https://rp.example/',
    },
    ...{ jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] }, id_token_signed_response_alg: 'ES256', pkce: 'required' },
    ...{ post_logout_redirect_uris: ['https://rp.example/'], web_origins: ['https://rp.example'], require_acr: '2fa' },
    ...{ skip_consent: true, understands_act: true, unknown_scopes: 'ignore', color: '#0b1f4d', permissions: [] },
  }
  const stored = {
    ...{ name: 'Shop', redirect_uris: [uri], scope: 'openid email', contacts: ['it@rp.example'], software_id: 'shop' },
    ...{ translations: { de: { name: 'Laden', tosUri: 'https://rp.example/agb' } }, software_version: '1.2', color: '#0b1f4d' },
    ...{ policy_uri: metadata.policy_uri, tos_uri: metadata.tos_uri, default_max_age: 600, require_auth_time: true },
    ...{ client_uri: 'https://rp.example/', jwks: metadata.jwks, id_token_signed_response_alg: 'ES256', pkce: 'required' },
    ...{ post_logout_redirect_uris: ['https://rp.example/'], web_origins: ['https://rp.example'], require_acr: '2fa' },
    ...{ skip_consent: true, understands_act: true, unknown_scopes: 'ignore' },
  }

  test('register-client reads all metadata from a file with the names of the metadata list, and options override the file', async () => {
    const made = await json('register-client', '--metadata', file(metadata))
    expect(made).toMatchObject({ ...stored, type: 'web', client_secret: expect.any(String) })
    const other = await json('register-client', '--metadata', file(metadata), '--name', 'Other', '--pkce', 'optional')
    expect(other).toMatchObject({ ...stored, name: 'Other', pkce: 'optional' })
    const usage = { token_endpoint_auth_method: 'none', redirect_uris: ['com.example.app:/callback'], client_name: 'Phone' }
    expect(await json('register-client', '--metadata', file(usage))).toMatchObject({ name: 'Phone', type: 'native' })
    const machine = { grant_types: ['client_credentials'], client_name: 'Nightly', permissions: ['users:read'] }
    expect(await json('register-client', '--metadata', file(machine))).toMatchObject({
      type: 'machine',
      permissions: ['users:read'],
    })
  })

  test('update-client with a file changes the fields in the file and keeps all other fields', async () => {
    const { client_id: id } = await json('register-client', '--metadata', file(metadata))
    const changes = { contacts: [], software_version: null, 'client_name#de': 'Geschäft', default_max_age: 60, policy_uri: null }
    expect(await json('update-client', String(id), '--metadata', file(changes), '--name', 'New')).toMatchObject({
      ...{ ...stored, name: 'New', contacts: [], software_version: null, default_max_age: 60, policy_uri: null },
      translations: { de: { name: 'Geschäft' } },
    })
  })

  test('an invalid metadata file is a usage error, and the message names the mistake', async () => {
    for (const [content, said] of [
      ['{', 'JSON'],
      [[], 'object'],
      [{ ...metadata, clientname: 'X' }, 'clientname'],
      [{ ...metadata, client_id: 'x' }, 'client_id'],
      [{ ...metadata, contacts: 'x' }, 'contacts'],
      [{ ...metadata, policy_uri: 'javascript:x' }, 'policyUri'],
      [{ ...metadata, jwks: { keys: [{ kty: 'oct', k: 'x' }] } }, 'symmetric'],
    ] as const) {
      const wrong = await run('register-client', '--metadata', file(content))
      expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining(said)])
      expect(wrong.stderr).toContain('--metadata')
    }
    const change = await run('update-client', 'x', '--metadata', file({ grant_types: ['authorization_code'] }))
    expect([change.exitCode, change.stderr]).toEqual([2, expect.stringContaining('grant_types')])
    expect((await run('register-client', '--metadata', join(database.dataDir, 'none.json'))).exitCode).not.toBe(0)
    const nameless = await run('register-client', '--redirect-uri', uri)
    expect([nameless.exitCode, nameless.stderr]).toEqual([2, expect.stringContaining('--name')])
  })
})

test('list-clients filters and sorts clients, and continues after a given page', async () => {
  for (const name of ['List a', 'list b', 'LIST c']) await json('register-client', '--name', name, '--type', 'machine')
  const names = async (...flags: string[]) =>
    ((await run('list-clients', '--json', ...flags)).json() as { name: string }[]).map(({ name }) => name)
  expect(await names('--search', 'LiSt', '--sort', 'name', '--order', 'asc')).toEqual(['List a', 'list b', 'LIST c'])
  expect(await names('--search', 'list', '--type', 'web')).toEqual([])
  const first = await run('list-clients', '--search', 'list', '--limit', '2')
  expect(first.stdout.split('\n')).toHaveLength(4)
  const next = /--after (\S+)/.exec(first.stderr)?.[1] ?? ''
  expect(await names('--search', 'list', '--after', next)).toEqual(['LIST c'])
  const wrong = await run('list-clients', '--after', 'nonsense')
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('--after')])
  expect((await run('list-clients', '--disabled', '--enabled')).exitCode).toBe(2)
})

describe('applications that register themselves', () => {
  const sent = { redirect_uris: [uri], client_name: 'Self-made' }
  const registerWith = async (token: unknown) => {
    const answer = await fetch(`${daemon.url}/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(sent),
    })
    return { status: answer.status, json: (await answer.json()) as Json }
  }

  test('create-initial-access-token prints a token that registers clients until the token is used up or revoked', async () => {
    const made = await json(
      'create-initial-access-token',
      '--name',
      'Build',
      '--redirect-host',
      'rp.example',
      '--max-clients',
      '2',
    )
    expect(made).toMatchObject({ state: 'active', maxClients: 2, redirectHosts: ['rp.example'], types: ['web', 'spa', 'native'] })
    expect((await registerWith(made['token'])).status).toBe(201)
    const listed = (await json('list-initial-access-tokens')) as unknown as Json[]
    expect(listed).toMatchObject([{ id: made['id'], usedClients: 1 }])
    expect(JSON.stringify(listed)).not.toContain(made['token'])
    expect(await json('revoke-initial-access-token', String(made['id']))).toMatchObject({ state: 'revoked' })
    expect((await registerWith(made['token'])).status).toBe(401)
  })

  test('wrong flags are a usage error, and an unknown initial access token is refused', async () => {
    for (const [flag, ...args] of [
      ['--type', '--type', 'robot'],
      ['--scope', '--scope', 'nosuch'],
      ['--redirect-host', '--redirect-host', 'https://rp.example/'],
      ['--max-clients', '--max-clients', '0'],
    ]) {
      const wrong = await run('create-initial-access-token', '--name', 'X', ...args, '--json')
      expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining(flag ?? '')])
    }
    const unknown = await run('revoke-initial-access-token', 'nobody', '--json')
    expect([unknown.exitCode, JSON.parse(unknown.stderr).code]).toEqual([3, 'INITIAL_ACCESS_TOKEN_NOT_FOUND'])
  })

  test('list-clients shows who registered each client and how, and update-client --review approves and restricts clients', async () => {
    const { token, id } = await json('create-initial-access-token', '--name', 'Review')
    const client = (await registerWith(token)).json['client_id']
    const listed = (await json('list-clients', '--search', 'Self-made')) as unknown as Json[]
    expect(listed.find(({ client_id }) => client_id === client)).toMatchObject({
      ...{ registered_by: 'initial-access-token', registrant_id: id, review: null },
    })
    for (const review of ['approved', 'restricted', 'none'])
      expect(await json('update-client', String(client), '--review', review)).toMatchObject({
        review: review === 'none' ? null : review,
      })
    expect((await run('get-client', String(client))).stdout).toContain('initial-access-token')
  })
})
