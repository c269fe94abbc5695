import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const idOf = async (client: Client) => (await client.api.sessions.getSession())?.user.id ?? ''

const link = async (client: Client, providerId: string, accountId: string, scope: string | null = null) => {
  const now = new Date()
  const row = { id: `row-${accountId}`, account_id: accountId, provider_id: providerId, scope, created_at: now, updated_at: now }
  await t.app.core.db.knex('account').insert({ ...row, user_id: await idOf(client) })
}

const providers = async (client: Client) => (await client.api.linkedAccounts.listAccounts()).map(({ provider }) => provider)

const unlink = async (client: Client, body: object) => {
  const { status, json } = await client.post('/unlink-account', body)
  return [status, json['message'] ?? json['status']]
}

test('the list of sign-in methods shows the password and identities at providers, with scopes and without secrets', async () => {
  const client = await t.signedIn('ann@example.com')
  await link(client, 'github', 'gh-1', 'read:user,user:email')
  const { json } = await client.request('/list-accounts')
  expect(json).toEqual([
    {
      id: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      provider: 'credential',
      providerId: 'credential',
      accountId: await idOf(client),
      userId: await idOf(client),
      scopes: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
    expect.objectContaining({ provider: 'github', accountId: 'gh-1', scopes: ['read:user', 'user:email'] }),
  ])
})

test('unlinking names an identity by its provider and optionally by either of its ids, and keeps other identities', async () => {
  const client = await t.signedIn('bob@example.com')
  await link(client, 'github', 'gh-2')
  await link(client, 'github', 'gh-3')
  await link(client, 'google', 'go-2')
  const stranger = await t.signedIn('stranger@example.com')
  await link(stranger, 'github', 'gh-9')
  expect(await unlink(client, { providerId: 'github', accountId: 'gh-9' })).toEqual([400, 'Account not found'])
  expect(await unlink(client, { providerId: 'zoom' })).toEqual([400, 'Account not found'])
  expect(await unlink(client, { providerId: 'github', accountId: 'gh-3' })).toEqual([200, true])
  expect(await unlink(client, { providerId: 'google', accountId: 'row-go-2' })).toEqual([200, true])
  expect(await unlink(client, { providerId: 'credential' })).toEqual([200, true])
  expect(await providers(client)).toEqual(['github'])
})

test('unlinking by id alone requires that exactly one identity has the id', async () => {
  const client = await t.signedIn('ivy@example.com')
  for (const [provider, id] of [
    ['github', 'same'],
    ['google', 'other'],
  ] as const)
    await link(client, provider, id)
  await t.app.core.db.knex('account').insert({
    ...(await t.app.core.db.knex('account').where({ id: 'row-same' }).first()),
    ...{ id: 'row-twin', provider_id: 'gitlab' },
  })
  expect(await unlink(client, { accountId: 'same' })).toEqual([400, 'Account not found'])
  expect(await unlink(client, { accountId: 'row-twin' })).toEqual([200, true])
  expect(await unlink(client, { accountId: 'other' })).toEqual([200, true])
  expect(await unlink(client, {})).toEqual([400, 'Invalid body parameters'])
  expect(await providers(client)).toEqual(['credential', 'github'])
})

test('the last sign-in method cannot be removed, whichever way the call names it', async () => {
  const client = await t.signedIn('cas@example.com')
  for (const providerId of ['credential', 'zoom'])
    expect(await unlink(client, { providerId })).toEqual([400, "You can't unlink your last account"])
})

testOnBoth('of two sign-in methods that are removed at the same time one stays', async () => {
  const client = await t.signedIn('dan@example.com')
  await link(client, 'github', 'gh-4')
  const answers = await Promise.all(['credential', 'github'].map((providerId) => unlink(client, { providerId })))
  expect(answers.map(([status]) => status).sort()).toEqual([200, 400])
  expect(await providers(client)).toHaveLength(1)
})

test('unlinking an identity requires a fresh session', async () => {
  const client = await t.signedIn('eve@example.com')
  await link(client, 'github', 'gh-5')
  t.clock.advance({ days: 1, seconds: 1 })
  expect(await unlink(client, { providerId: 'github' })).toEqual([403, 'Session is not fresh'])
  expect(await providers(client)).toHaveLength(2)
})

test('the last sign-in method can be removed if unlinkingAllAllowed is set', async () => {
  const lax = await testApp({ config: { accounts: { unlinkingAllAllowed: true } } })
  const client = await lax.signedIn('fay@example.com')
  expect((await client.post('/unlink-account', { providerId: 'credential' })).json).toEqual({ status: true })
  await lax.stop()
})
