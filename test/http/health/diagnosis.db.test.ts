import { afterAll, beforeAll, expect } from 'vitest'
import type { CheckResult } from '../../../src/core/checks.ts'
import { runChecks } from '../../../src/core/checks.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
let auditor: Client
beforeAll(async () => {
  // An instance of its own, because a year passes here.
  t = await testApp({ config: { billing: { secrets: [webhookSecret] }, oidc: { keyRotationDays: 0 } } })
  auditor = await t.signedIn('auditor@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'auditor@example.com' }).update({ role: 'auditor' }))
})
afterAll(() => t.stop())

const diagnose = async (): Promise<readonly CheckResult[]> => (await auditor.api.healthAdmin.diagnose({})).checks
const find = async (check: string) => (await diagnose()).filter((result) => result.check === check)

test('GET /admin/health names every check of doctor, with ok for a passed check', async () => {
  const checks = await diagnose()
  const names = [
    'database',
    'migrations',
    'signingKeys',
    'signing-key-age',
    'client-secrets',
    'master-secret',
    'tasks',
    'deliveries',
  ]
  const others = ['renewals', 'event-readers', 'administrator', 'backup', 'configuration', 'clock', 'pooler', 'disk', 'proxies']
  expect(checks.map(({ check }) => check)).toEqual(expect.arrayContaining([...names, ...others]))
  expect(checks.filter(({ check }) => names.includes(check)).every(({ severity }) => severity === 'ok')).toBe(true)
})

test('an instance without an administrator is told how to create one, until there is an administrator', async () => {
  expect(await find('administrator')).toMatchObject([
    { severity: 'warning', remedy: expect.stringContaining('create-setup-link') },
  ])
  await t.signedIn('admin@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' }))
  expect(await find('administrator')).toMatchObject([{ severity: 'ok' }])
})

test('a quarantined billing event is a warning until it is dismissed', async () => {
  const body = JSON.stringify({ ...eventOf('customer.created'), type: 'of.a.later.version' })
  await post(t.url, signedDelivery(webhookSecret, body))
  expect(await find('deliveries')).toMatchObject([{ severity: 'warning', message: expect.stringMatching(/^1 billing events? /) }])
})

test('failed mails and failed tasks are each a warning, by kind', async () => {
  const at = new Date()
  const dead = { status: 'dead', attempts: 9, due_at: at, created_at: at, payload: null }
  await t.app.core.transact((tx) =>
    tx.knex('task').insert([
      { id: 'dead-mail', kind: 'mail.send', ...dead },
      { id: 'dead-task', kind: 'events.copy', ...dead },
    ]),
  )
  const found = await find('tasks')
  expect(found.map(({ message }) => message).sort()).toEqual([
    '1 mails could not be sent',
    '1 tasks of the kind events.copy were given up',
  ])
  expect(found.every(({ remedy }) => remedy?.startsWith('gatehouse list-') === true)).toBe(true)
})

test('a finding keeps its start while its numbers change, and starts anew after it was gone for an hour', async () => {
  const sinceOf = async () =>
    (await auditor.api.healthAdmin.diagnose({})).checks.find(({ check }) => check === 'deliveries')?.since
  await t.app.diagnosis.note()
  const since = await sinceOf()
  expect(since).toBeInstanceOf(Date)
  t.clock.advance({ minutes: 10 })
  const body = JSON.stringify({ ...eventOf('customer.created'), type: 'of.another.version' })
  await post(t.url, signedDelivery(webhookSecret, body))
  await t.app.diagnosis.note()
  expect(await find('deliveries')).toMatchObject([{ severity: 'warning', message: expect.stringMatching(/^2 billing events? /) }])
  expect(await sinceOf()).toEqual(since)
  const { knex } = t.app.core.db
  const rows = await knex('billing_delivery').where({ status: 'quarantined' }).pluck('id')
  await knex('billing_delivery').whereIn('id', rows).update({ dismissed_at: new Date() })
  t.clock.advance({ hours: 2 })
  await t.app.diagnosis.note()
  await knex('billing_delivery').whereIn('id', rows).update({ dismissed_at: null })
  await t.app.diagnosis.note()
  expect((await sinceOf())?.getTime()).toBeGreaterThan((since?.getTime() ?? 0) + 7_200_000)
})

test('a signing key older than a year is a notice if signing keys do not rotate automatically', async () => {
  t.clock.advance({ days: 366 })
  // The earlier sessions have expired.
  const [finding] = (await t.app.diagnosis.run()).filter(({ check }) => check === 'signing-key-age')
  expect(finding).toMatchObject({ severity: 'notice', remedy: expect.stringContaining('rotate-jwks') })
  // The clock of the database did not move.
  const [clock] = (await t.app.diagnosis.run()).filter(({ check }) => check === 'clock')
  expect(clock).toMatchObject({ severity: 'warning', remedy: expect.stringContaining('NTP') })
})

test('a failed check is itself a finding, and the other checks run', async () => {
  const results = await runChecks([
    { name: 'broken', texts: {}, run: () => Promise.reject(new Error('no such table')) },
    { name: 'good', texts: {}, run: async () => [] },
  ])
  expect(results).toMatchObject([
    { check: 'broken', severity: 'failed', message: 'it could not be checked: no such table' },
    { check: 'good', severity: 'ok' },
  ])
})

test('an instance with no sign-in method fails a check, and an instance with one method passes', async () => {
  const findingsWith = async (changes: Record<string, unknown>) => {
    const node = await t.node(changes)
    const found = (await node.app.diagnosis.run()).filter(({ check }) => check === 'waysIn')
    await node.stop()
    return found
  }
  const accounts = { emailPasswordEnabled: false }
  expect(await findingsWith({ accounts, passkeys: { enabled: false } })).toMatchObject([
    { severity: 'failed', remedy: expect.stringContaining('accounts.emailPasswordEnabled') },
  ])
  expect(await findingsWith({ accounts })).toMatchObject([{ severity: 'ok' }])
})

test('a public https address without a trusted proxy is a warning', async () => {
  const node = await t.node({ url: 'https://id.example.com' })
  const [finding] = (await node.app.diagnosis.run()).filter(({ check }) => check === 'proxies')
  expect(finding).toMatchObject({ severity: 'warning', remedy: expect.stringContaining('trustedProxies') })
  await node.stop()
})

testOnBoth(
  'a proxy header without a valid address is logged once and named by doctor, until it has not happened for an hour',
  async () => {
    const logged: string[] = []
    const config = { trustedProxies: ['127.0.0.0/8'], http: { clientAddressHeader: 'X-Client' } }
    const node = await testApp({ config, onLog: (line) => logged.push(line) })
    const client = node.client()
    const found = async (app: TestApp) => (await app.app.diagnosis.run()).filter(({ check }) => check === 'proxies')
    await client.request('/ok', { headers: { 'x-client': '198.51.100.7:4711' } })
    expect(await found(node)).toMatchObject([{ severity: 'ok' }])
    for (let i = 0; i < 3; i++) await client.request('/ok', { headers: { 'x-client': 'unknown' } })
    const warning = { severity: 'warning', message: expect.stringContaining('X-Client') }
    expect(await found(node)).toMatchObject([warning])
    expect(logged.filter((line) => line.includes('client address not understood'))).toHaveLength(1)
    // Another process knows about it once the daemon has recorded it.
    const other = await node.node()
    await node.app.diagnosis.note()
    expect(await found(other)).toMatchObject([warning])
    node.clock.advance({ minutes: 66 })
    await node.app.diagnosis.note()
    for (const one of [node, other]) expect(await found(one)).toMatchObject([{ severity: 'ok' }])
    for (const one of [other, node]) await one.stop()
  },
)
