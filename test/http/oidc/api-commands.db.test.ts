import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Environment, environmentOf, runCommand, serveHere } from '../../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = environmentOf(database)
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

type Json = Record<string, unknown>
const json = async (...args: string[]) => {
  const done = await runCommand([...args, '--json'], env)
  expect([args, done.exitCode, done.stderr]).toEqual([args, 0, ''])
  return done.json() as Json
}
const identifier = 'https://orders.example'

test('the API commands register, change, list, show and delete an API, and a running daemon applies each change', async () => {
  const job = await json('register-client', '--name', 'Job', '--type', 'machine', '--client-id', 'job')
  const made = await json(
    'create-api',
    identifier,
    '--name',
    'Orders',
    '--scope',
    'read=See your orders',
    '--scope',
    'manage@member:update%owner=Manage',
    '--client',
    'job=read<urn:other',
  )
  expect(made).toMatchObject({
    ...{ identifier, name: 'Orders', tokenFormat: 'jwt', signingAlg: 'RS256', tokenTtlSeconds: 600, access: 'listed' },
    scopes: [
      { name: 'read', description: 'See your orders', permission: null, roles: [] },
      { name: 'manage', description: 'Manage', permission: 'member:update', roles: ['owner'] },
    ],
    clients: [{ clientId: 'job', scopes: ['read'], exchangeFrom: ['urn:other'] }],
  })
  const tokenFor = async (scope: string) => {
    const answer = await fetch(`${daemon.url}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`job:${job['client_secret']}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: identifier, scope }),
    })
    return (await answer.json()) as Json
  }
  const { access_token: token } = await tokenFor('read')
  expect(await tokenFor('manage')).toMatchObject({ error: 'invalid_scope' })
  const { apiId, secret } = await json('rotate-api-secret', identifier)
  const asked = () =>
    fetch(`${daemon.url}/oauth2/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${apiId}:${secret}`)}` },
      body: new URLSearchParams({ token: String(token) }),
    })
  const said = async () => (await asked()).json()
  await expect.poll(said).toMatchObject({ active: true, aud: identifier, client_id: 'job', scope: 'read' })
  expect(await json('update-api', identifier, '--client', '', '--token-ttl', '60')).toMatchObject({
    clients: [],
    tokenTtlSeconds: 60,
  })
  await expect.poll(() => tokenFor('read')).toMatchObject({ error: 'invalid_target' })
  const [shown] = (await json('list-apis')) as unknown as Json[]
  expect(shown).toMatchObject({ id: apiId, identifier })
  const one = await json('get-api', String(apiId))
  expect(one).toMatchObject({ identifier, secrets: [{ state: 'active' }] })
  expect(JSON.stringify(one)).not.toContain(secret)
  const [{ secretId } = { secretId: '' }] = one['secrets'] as { secretId: string }[]
  expect(await json('rotate-api-secret', identifier, '--revoke', secretId, '--yes')).toMatchObject({ secrets: [] })
  expect(await json('delete-api', identifier, '--yes')).toMatchObject({ identifier })
  const gone = await runCommand(['get-api', identifier, '--json'], env)
  expect([gone.exitCode, JSON.parse(gone.stderr).code]).toEqual([3, 'API_NOT_FOUND'])
})

test('an empty scope flag, an update without a change and an unknown application are usage errors and register nothing', async () => {
  for (const [args, exitCode] of [
    [['create-api', 'urn:x', '--name', 'X', '--scope', 'a b=C'], 2],
    [['create-api', 'urn:x', '--name', 'X', '--scope', 'a@nothing:here=C'], 2],
    [['create-api', 'urn:x', '--name', 'X', '--client', 'nobody'], 2],
    [['create-api', 'orders', '--name', 'X'], 3],
    [['update-api', 'urn:x'], 2],
    [['rotate-api-secret', 'urn:x', '--overlap', 'soon'], 2],
  ] as const)
    expect([args, (await runCommand([...args, '--json'], env)).exitCode]).toEqual([args, exitCode])
  expect(await json('list-apis')).toEqual([])
})
