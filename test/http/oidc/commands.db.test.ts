import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Environment, environmentOf, runCommand, serveHere } from '../../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>
const run = (...args: string[]) => runCommand(args, env)
const uri = 'https://rp.example/callback'

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

describe('register-client', () => {
  test('register-client prints id and secret once, and the running daemon accepts the client at once', async () => {
    const done = await run(
      'register-client',
      '--name',
      'Shop',
      '--redirect-uri',
      uri,
      '--redirect-uri',
      `${uri}2`,
      '--pkce',
      'optional',
      '--json',
    )
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    const client = done.json() as Record<string, string>
    expect(client).toMatchObject({
      client_id: expect.stringMatching(/^\w{32}$/),
      client_secret: expect.stringMatching(/^\w{32}$/),
      type: 'web',
      redirect_uris: [uri, `${uri}2`],
      id_token_signed_response_alg: 'RS256',
      skip_consent: false,
      pkce: 'optional',
      refresh_tokens: expect.stringMatching(/offline_access.*prompt=consent/),
    })
    const answer = await fetch(`${daemon.url}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client['client_id']}:${client['client_secret']}`)}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'none', redirect_uri: uri }),
    })
    expect(await answer.json()).toEqual({ error: 'invalid_grant', error_description: 'invalid code' })

    const listed = await run('list-clients', '--json')
    expect(listed.stdout).toContain(client['client_id'])
    expect(listed.stdout).not.toContain(client['client_secret'])
    expect((await run('list-clients')).stdout).toMatch(/^client_id +name +type/)
  })

  test('register-client gives a public client no secret and accepts every option', async () => {
    const spa = await run(
      'register-client',
      '--name',
      'Page',
      '--redirect-uri',
      uri,
      '--type',
      'spa',
      '--scope',
      'openid email',
      '--id-token-alg',
      'ES256',
      '--post-logout-redirect-uri',
      uri,
      '--uri',
      'https://rp.example/',
      '--icon',
      'https://rp.example/i.png',
      '--web-origin',
      'https://app.rp.example',
      '--skip-consent',
      '--json',
    )
    expect(spa.json()).toMatchObject({
      type: 'spa',
      scope: 'openid email',
      web_origins: ['https://app.rp.example'],
      id_token_signed_response_alg: 'ES256',
      skip_consent: true,
    })
    expect(spa.json()).not.toHaveProperty('client_secret')
    expect(spa.json()).toHaveProperty('refresh_tokens', expect.stringContaining('not registered'))
    const job = await run('register-client', '--name', 'Job', '--type', 'machine', '--permission', 'deliveries:*', '--json')
    expect(job.json()).toMatchObject({ client_secret: expect.any(String), permissions: ['deliveries:read', 'deliveries:update'] })
  })

  test.each([
    ['REDIRECT_URI_IS_REQUIRED', []],
    ['INVALID_CLIENT_METADATA', ['--redirect-uri', uri, '--type', 'spa', '--id-token-alg', 'HS256']],
    ['INVALID_CLIENT_METADATA', ['--redirect-uri', uri, '--permission', 'users:read']],
    ['INVALID_CLIENT_METADATA', ['--type', 'machine', '--permission', 'users:fly']],
  ])('register-client fails with %s', async (code, flags) => {
    const refused = await run('register-client', '--name', 'X', '--json', ...flags)
    expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
    expect(JSON.parse(refused.stderr)).toMatchObject({ code })
  })

  test.each([
    ['--redirect-uri', ['--redirect-uri', 'http://rp.example/']],
    ['--web-origin', ['--redirect-uri', uri, '--web-origin', 'https://app.rp.example/page']],
    ['--scope', ['--redirect-uri', uri, '--scope', 'everything']],
  ])('a wrong value of %s is a usage error and the message names the flag', async (flag, flags) => {
    const wrong = await run('register-client', '--name', 'X', '--json', ...flags)
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' })
    expect(JSON.parse(wrong.stderr)).toMatchObject({ code: 'USAGE', message: expect.stringContaining(flag) })
  })

  test('register-client requires a name', async () => {
    expect((await run('register-client', '--redirect-uri', uri)).exitCode).toBe(2)
    expect((await run('register-client', '--name', 'X', '--redirect-uri', uri, '--type', 'desktop')).exitCode).toBe(2)
  })
})

describe('rotate-jwks', () => {
  test('rotate-jwks publishes the next keys in the running daemon, list-keys shows them, and rotate-jwks --leaked withdraws all keys at once', async () => {
    const keysOf = async () => ((await (await fetch(`${daemon.url}/jwks`)).json()) as { keys: { kid: string }[] }).keys
    const before = await keysOf()
    expect((await run('list-keys', '--json')).json()).toEqual(
      before.map(({ kid }) => expect.objectContaining({ kid, state: 'signing' })),
    )
    const rotated = await run('rotate-jwks', '--json')
    expect(rotated).toMatchObject({ exitCode: 0, stderr: '' })
    await expect.poll(async () => (await keysOf()).length).toBe(before.length * 2)
    expect((await run('list-keys')).stdout).toMatch(/next/)
    const again = await run('rotate-jwks', '--json')
    expect(JSON.parse(again.stderr)).toMatchObject({ code: 'KEY_ROTATION_IS_UNDER_WAY' })
    expect(again.exitCode).toBe(3)
    // The signing keys and the next keys of the rotation are all withdrawn.
    const known = (await keysOf()).map(({ kid }) => kid)
    const leaked = await run('rotate-jwks', '--leaked', '--json')
    expect(leaked.json()).toMatchObject({ cachedSeconds: 300 })
    await expect.poll(async () => (await keysOf()).filter(({ kid }) => known.includes(kid))).toEqual([])
    expect(await keysOf()).toHaveLength(before.length)
    expect((await run('rotate-jwks', '--leaked')).stdout).toContain(
      'Applications may keep what they have read of /jwks for 300 seconds',
    )
  })
})
