/** Every remote command prints the same as the local one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../support/billing.ts'
import type { Client } from '../support/client.ts'
import { byOtherTests, inFilesOfTheirOwn, remoteCommands } from '../support/remote.ts'

let t: TestApp
let home: string
let admin: Client
const ran = new Set<string>()
const { run, runWith, hereWith, login } = remoteCommands(
  () => t,
  () => home,
  (name) => ran.add(name),
)
const password = 'correct horse battery staple'
const member = ['--org', 'acme', '--user', 'ann@example.com']

/** Expects the same output of both, with JSON compared as data. */
const both = async (input: string, ...args: readonly string[]) => {
  const [elsewhere, beside] = [await runWith(input, ...args), await hereWith(input, ...args)]
  const data = ({ stdout, ...rest }: typeof beside) =>
    args.includes('--json') && rest.exitCode === 0 ? { ...rest, stdout: JSON.parse(stdout) } : { ...rest, stdout }
  expect({ args, ...data(elsewhere) }).toEqual({ args, ...data(beside) })
  return elsewhere
}

beforeAll(async () => {
  t = await testApp()
  home = mkdtempSync(join(tmpdir(), 'gatehouse-remote-commands-'))
  admin = await t.signedIn('root@example.com')
  await t.signedIn('ann@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ email_verified: true }))
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'root@example.com' }).update({ role: 'admin' }))
  await login(admin)
})
afterAll(async () => {
  rmSync(home, { recursive: true })
  await t.stop()
})

describe('remote changes', () => {
  test('remote changes of people take effect, with the same messages and refusals as local changes', async () => {
    const create = ['create-user', '--email', 'made@example.com', '--name', 'Mia Made']
    const made = await runWith(`${password}\n`, ...create, '--verified', '--role', 'support', '--password-stdin', '--json')
    expect([made.exitCode, JSON.parse(made.stdout)]).toMatchObject([
      ...[0, { email: 'made@example.com', name: 'Mia Made', role: 'support', emailVerified: true }],
    ])
    await t.client().api.accounts.signInEmail({ body: { email: 'made@example.com', password } })
    for (const refused of [
      [...create, '--password-stdin'],
      ['create-user', '--email', 'weak@example.com', '--name', 'Weak', '--role', 'nobody', '--password-stdin'],
      ['create-user', '--email', 'weak@example.com', '--name', 'Weak', '--field', 'colour=red', '--password-stdin'],
      ['create-user', '--email', 'weak@example.com', '--name', 'Weak', '--username', 'weak', '--password-stdin'],
      ['create-user', '--email', 'weak@example.com', '--name', 'Weak', '--print-link'],
      ['set-password', '--user', 'made@example.com', '--only-if-none', '--password-stdin'],
      ['set-password', '--user', 'nobody@example.com', '--password-stdin'],
      ['create-recovery-link', '--user', 'nobody@example.com'],
      ['cancel-recovery', '--user', 'made@example.com'],
      ['get-user', '--user', 'nobody'],
    ])
      expect((await both(`${password}\n`, ...refused)).exitCode).not.toBe(0)
    expect(await runWith('short\n', 'set-password', '--user', 'made@example.com', '--password-stdin')).toEqual(
      await hereWith('short\n', 'set-password', '--user', 'made@example.com', '--password-stdin'),
    )
    const link = ['create-user', '--email', 'link@example.com', '--name', 'Lina', '--verified', '--print-link', '--json']
    expect(JSON.parse((await run(...link)).stdout)).toMatchObject({ link: expect.stringContaining(`${t.url}/reset-password`) })
    const mailed = ['create-user', '--email', 'mailed@example.com', '--name', 'Mo', '--send-link']
    expect(await run(...mailed)).toMatchObject({ exitCode: 0, stderr: '' })
    const set = ['set-password', '--user', 'made@example.com', '--password-stdin']
    expect(await both('another battery staple\n', ...set)).toMatchObject({ exitCode: 0 })
    expect((await run('create-recovery-link', '--user', 'link@example.com')).stdout).toContain(`${t.url}/reset-password`)
  })

  test('remote changes of organizations, members and invitations take effect, with the same refusals as local changes', async () => {
    const created = await run('create-org', '--name', 'Acme', '--slug', 'acme', '--owner', 'root@example.com', '--json')
    const { id: rootId } = await t.app.users.require(t.app.core.db, 'root@example.com')
    expect(JSON.parse(created.stdout)).toMatchObject({ name: 'Acme', slug: 'acme', ownerId: rootId })
    expect(JSON.parse((await run('add-member', ...member, '--json')).stdout)).toMatchObject({ role: 'member' })
    const invite = ['invite-member', '--org', 'acme', '--email', 'ben@example.com']
    const { stdout } = await run(...invite, '--team', 'Acme', '--json')
    const invited = JSON.parse(stdout) as { url: string; id: string; teamId: string }
    expect(invited).toMatchObject({ url: `${t.url}/invitation/${invited.id}`, teamId: expect.any(String) })
    for (const refused of [
      ['create-org', '--name', 'Acme', '--slug', 'acme'],
      ['create-org', '--name', 'New', '--slug', 'new', '--owner', 'nobody@example.com'],
      ['add-member', ...member],
      ['add-member', ...member, '--role', 'nothing'],
      invite,
      ['invite-member', '--org', 'acme', '--email', 'cleo@example.com', '--team', 'None'],
      ['delete-org', '--org', 'acme'],
    ])
      expect((await both('', ...refused)).exitCode).not.toBe(0)
    expect(await both('', 'list-invitations')).toMatchObject({ stdout: expect.stringContaining('ben@example.com') })
    expect(await both('', 'list-invitations', '--org', 'acme', '--invited-by', 'root@example.com', '--json')).toMatchObject({
      exitCode: 0,
    })
  })

  test('remote commands name the consequences of deleting an application, delete applications, and rotate secrets', async () => {
    await run('register-client', '--name', 'Shop', '--client-id', 'shop', '--redirect-uri', 'https://shop.example/cb')
    expect(JSON.parse((await run('rotate-client-secret', 'shop', '--json')).stdout)).toMatchObject({ client_id: 'shop' })
    const asked = await both('', 'delete-client', 'shop')
    expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('With it end 0 codes and tokens') })
    expect(await run('delete-client', 'shop', '--yes')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Deleted') })
    expect(await both('', 'delete-client', 'shop', '--yes')).toMatchObject({ exitCode: 3 })
  })

  test('remote commands add billing endpoints, list deliveries, and link and forget customers', async () => {
    const added = await runWith(`${webhookSecret}\n`, 'add-webhook-endpoint', '--name', 'shop', '--secret-stdin', '--json')
    expect(JSON.parse(added.stdout)).toEqual({ name: 'shop', url: `${t.url}/webhooks/shop` })
    expect((await both('', 'add-webhook-endpoint', '--name', 'shop')).exitCode).toBe(3)
    const paid = eventOf('order.paid', { customerId: 'cus_1' })
    await post(t.url, signedDelivery(webhookSecret, eventOf('customer.created', { customerId: 'cus_1' })), 'shop')
    await post(t.url, signedDelivery(webhookSecret, { ...paid, data: { ...paid.data, status: 5 } }), 'shop')
    await post(t.url, signedDelivery(`${webhookSecret}x`, paid), 'shop')
    await t.app.billing.rejections.flush()
    for (const list of [
      ['list-deliveries'],
      ['list-deliveries', '--json'],
      ['list-deliveries', '--verdict', 'quarantined', '--endpoint', 'shop', '--since', '2026-01-01'],
      ['list-deliveries', '--customer', 'cus_1', '--limit', '1'],
      ['list-deliveries', '--refused'],
      ['list-webhook-endpoints'],
    ])
      expect((await both('', ...list)).exitCode).toBe(0)
    const [{ id = '' } = {}] = JSON.parse((await run('list-deliveries', '--verdict', 'quarantined', '--json')).stdout) as {
      id: string
    }[]
    expect((await both('', 'replay-delivery', id)).exitCode).toBe(3)
    expect((await run('dismiss-delivery', id)).exitCode).toBe(0)
    expect(JSON.parse((await run('link-customer', 'cus_1', '--org', 'acme', '--json')).stdout)).toMatchObject({
      linkedBy: 'operator',
    })
    for (const refused of [
      ['link-customer', 'cus_none', '--user', 'ann@example.com'],
      ['forget-customer', 'cus_none', '--yes'],
      ['forget-customer', 'cus_1'],
      ['rotate-webhook-secret', '--name', 'none'],
      ['remove-webhook-endpoint', 'none', '--yes'],
    ])
      expect((await both('', ...refused)).exitCode).not.toBe(0)
    expect(JSON.parse((await run('forget-customer', 'cus_1', '--yes', '--json')).stdout)).toEqual({
      customerId: 'cus_1',
      deliveries: 2,
    })
    expect(JSON.parse((await run('rotate-webhook-secret', '--name', 'shop', '--json')).stdout)).toHaveProperty('secret')
    expect((await both('', 'rotate-webhook-secret', '--name', 'shop', '--finish')).exitCode).toBe(0)
    expect((await run('remove-webhook-endpoint', 'shop', '--yes')).exitCode).toBe(0)
  })

  test('a remote setting is stored on the server, shown with its history, and reverted', async () => {
    expect(await run('config', 'set', 'brand.name', 'Acme')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('+ brand.name'),
    })
    expect(await run('config', 'set', 'smtpUrl', '--stdin')).toMatchObject({ exitCode: 2 })
    for (const args of [
      ['config', 'list', '--source', 'database'],
      ['config', 'list', 'brand.', '--source', 'database', '--json'],
      ['config', 'get', 'brand.name'],
      ['config', 'history'],
      ['config', 'history', '--json'],
      ['config', 'set', 'brand.name', 'Other', '--dry-run'],
      ['config', 'set', 'brand.nome', 'Acme'],
      ['config', 'set', 'password.minLength', '1'],
      ['config', 'set', 'databaseUrl', 'x'],
      ['config', 'revert', '99'],
    ])
      await both('', ...args)
    expect(await run('config', 'unset', 'brand.name')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('- brand.name'),
    })
    expect(await run('config', 'revert', '1')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('+ brand.name: not stored -> Acme'),
    })
  })
})

test('remote lists print the same as local lists: tasks, mails, failed sign-ins and events', async () => {
  await t.client().post('/sign-in/email', { email: 'ann@example.com', password: 'wrong one' })
  const [first] = await t.app.audit.list({ type: 'organization.created' }, 1)
  for (const args of [
    ['list-tasks', '--kind', 'mail.send'],
    ['list-tasks', '--kind', 'mail.send', '--limit', '1', '--json'],
    ['list-tasks', '--status', 'dead'],
    ['list-mails'],
    ['list-mails', '--limit', '1', '--json'],
    ['list-mails', '--state', 'failed'],
    ['list-failed-sign-ins', '--user', 'ann@example.com'],
    ['list-failed-sign-ins', '--why', 'wrong-password', '--json'],
    ['list-failed-sign-ins', '--user', 'nobody@example.com'],
    ['list-audit', '--type', 'organization.created'],
    ['list-audit', '--type', 'user.*', '--limit', '2'],
    ['list-audit', '--actor', 'root@example.com', '--actor-kind', 'user', '--before', first?.id ?? '', '--json'],
    ['list-audit', '--org', 'acme', '--until', first?.occurredAt.toISOString() ?? ''],
    ['list-audit', '--before', 'unknown'],
  ])
    await both('', ...args)
})

test('a command that works only locally is refused remotely with the reason or an alternative', async () => {
  for (const [args, why] of [
    [['backup'], 'the console makes a backup'],
    [['serve'], 'it runs an instance on this machine'],
  ] as const)
    expect(await run(...args)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(why) })
})

test('every remote change of an account without the permissions is refused with the message of the API', async () => {
  const auditor = await t.signedIn('auditor@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'auditor@example.com' }).update({ role: 'auditor' }))
  await login(auditor)
  for (const args of [
    ['create-user', '--email', 'x@example.com', '--name', 'X', '--send-link'],
    ['set-password', '--user', 'ann@example.com', '--password-stdin'],
    ['create-recovery-link', '--user', 'ann@example.com'],
    ['cancel-recovery', '--user', 'ann@example.com'],
    ['create-org', '--name', 'X', '--slug', 'x'],
    ['add-member', '--org', 'acme', '--user', 'made@example.com'],
    ['invite-member', '--org', 'acme', '--email', 'x@example.com'],
    ['delete-client', 'gatehouse-cli', '--yes'],
    ['link-customer', 'cus_1', '--user', 'ann@example.com'],
    ['forget-customer', 'cus_1', '--yes'],
    ['add-webhook-endpoint', '--name', 'x'],
    ['rotate-webhook-secret', '--name', 'x'],
    ['remove-webhook-endpoint', 'x', '--yes'],
    ['config', 'set', 'brand.name', 'X'],
  ])
    expect({ args, ...(await runWith(`${password}\n`, ...args)) }).toMatchObject({
      ...{ args, exitCode: 3, stdout: '', stderr: expect.stringMatching(/FORBIDDEN|YOU_ARE_NOT_ALLOWED/) },
    })
  // Ids of invitations give access, so people who cannot cancel them get no link.
  expect(JSON.parse((await run('list-invitations', '--json')).stdout)).toMatchObject([{ email: 'ben@example.com', url: null }])
  await login(admin)
})

test('every remote command is run by some test', () => {
  expect(byOtherTests.filter((name) => !ran.has(name) && !inFilesOfTheirOwn.includes(name))).toEqual([])
})
