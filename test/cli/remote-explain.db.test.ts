/** `explain` for a remote instance, compared with the local command. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../support/billing.ts'
import type { Client } from '../support/client.ts'
import { remoteCommands } from '../support/remote.ts'

let t: TestApp
let home: string
let admin: Client
const { run, runWith, here, login } = remoteCommands(
  () => t,
  () => home,
)

const both = async (...args: readonly string[]) => {
  const [elsewhere, beside] = [await run(...args), await here(...args)]
  const { stdout } = elsewhere
  const data = (text: string) =>
    args.includes('--json') && text !== '' ? JSON.parse(text) : text.replace(/^Configuration: .*\n/, '')
  expect({ args, ...elsewhere, stdout: data(stdout), stderr: '' }).toEqual({
    ...{ args, ...beside, stdout: data(beside.stdout), stderr: '' },
  })
  if (elsewhere.exitCode !== 0) expect(beside.stderr).toContain(elsewhere.stderr.replace(/^gatehouse: /, ''))
  return elsewhere
}

beforeAll(async () => {
  t = await testApp()
  home = mkdtempSync(join(tmpdir(), 'gatehouse-remote-explain-'))
  admin = await t.signedIn('root@example.com')
  const ann = await t.signedIn('ann@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'root@example.com' }).update({ role: 'admin' }))
  await t.app.core.transact((tx) => tx.knex('user').update({ email_verified: true }))
  await login(admin)
  const rules = [
    { name: 'pro', product: 'prod_pro', plan: 'Pro' },
    { name: 'seats', product: 'prod_team', quantity: 'seats' },
  ]
  const set = await run('config', 'set', 'billing.freeSeats', 'unlimited')
  expect(set).toMatchObject({ exitCode: 0 })
  expect(await run('config', 'set', 'billing.entitlements', JSON.stringify(rules))).toMatchObject({ exitCode: 0 })
  await runWith(`${webhookSecret}\n`, 'add-webhook-endpoint', '--name', 'polar', '--secret-stdin')
  await here('create-org', '--name', 'Acme', '--slug', 'acme', '--owner', 'ann@example.com')
  await register(t, { clientId: 'shop', scope: ['openid', 'email', 'billing'] })
  const { user } = (await ann.api.sessions.getSession()) ?? { user: { id: '' } }
  for (const [productId, more] of [
    ['prod_pro', { externalId: user.id, customerId: 'cus_ann' }],
    ['prod_other', { externalId: user.id, customerId: 'cus_ann', subscriptionId: 'sub_other' }],
    ['prod_pro', { email: 'late@example.com', customerId: 'cus_late', subscriptionId: 'sub_late' }],
  ] as const) {
    const delivery = signedDelivery(webhookSecret, eventOf('subscription.active', { ...more, productId }))
    expect((await post(t.url, delivery)).status).toBe(202)
  }
  await t.signedIn('late@example.com')
})
afterAll(async () => {
  rmSync(home, { recursive: true })
  await t.stop()
})

test('a remote explain prints the same as a local explain: claims, their sources, purchases and refusals', async () => {
  const explained = await both('explain', '--user', 'ann@example.com', '--org', 'acme', '--client', 'shop', '--json')
  expect(JSON.parse(explained.stdout)).toMatchObject({
    ...{ claims: { entitlements: ['pro'], plan: 'Pro' }, organization: { slug: 'acme', isMember: true } },
    entitlements: [{ name: 'pro', sources: [{ customerId: 'cus_ann', delivery: { endpoint: 'polar' } }] }],
    unused: [{ because: 'no rule', id: 'sub_other' }],
  })
  expect((await both('explain', '--user', 'late@example.com')).stdout).toContain('Held until late@example.com is verified')
  for (const args of [
    ['explain', '--user', 'ann@example.com'],
    ['explain', '--user', 'root@example.com', '--org', 'acme'],
    ['explain', '--org', 'acme'],
    ['explain', '--org', 'acme', '--json'],
  ])
    expect((await both(...args)).exitCode).toBe(0)
  for (const args of [
    ['explain', '--user', 'nobody@example.com'],
    ['explain', '--user', 'ann@example.com', '--client', 'nobody'],
    ['explain', '--org', 'nobody'],
    ['explain', '--org', 'acme', '--client', 'shop'],
  ])
    expect((await both(...args)).exitCode).not.toBe(0)
})

test('a remote explain requires the permissions to read customers, people, organizations and applications', async () => {
  const ask = async (permissions: readonly string[], path: string) => {
    const { key } = JSON.parse(
      (await here('create-api-key', '--name', 'X', ...permissions.flatMap((one) => ['--permission', one]), '--json')).stdout,
    ) as { key: string }
    return (await t.client().request(path, { headers: { authorization: `Bearer ${key}` } })).status
  }
  const claims = '/admin/claims?user=ann@example.com'
  const [people, all] = [['customers:read', 'users:read'], 'all-organizations:read']
  expect(await ask(['users:read'], claims)).toBe(403)
  expect(await ask(['customers:read'], claims)).toBe(403)
  expect(await ask(people, claims)).toBe(200)
  expect(await ask(people, `${claims}&organization=acme`)).toBe(403)
  expect(await ask([...people, all], `${claims}&organization=acme`)).toBe(200)
  expect(await ask(people, `${claims}&client=shop`)).toBe(403)
  expect(await ask([...people, 'clients:read'], `${claims}&client=shop`)).toBe(200)
  expect(await ask(['customers:read'], '/admin/entitlements?organization=acme')).toBe(403)
  expect(await ask(['customers:read', all], '/admin/entitlements?organization=acme')).toBe(200)
})
