import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/core/db/database.ts'
import { bodyOf, secret, send } from '../http/billing/sender.ts'
import { password } from '../support/app.ts'
import { type Environment, environmentOf, runCommand, serveHere, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>

const run = (args: readonly string[], input?: string) => runCommand([...args, '--json'], env, input)
const done = async (args: readonly string[], input?: string) => {
  const result = await run(args, input)
  expect(result).toMatchObject({ exitCode: 0, stderr: '' })
  return result.json()
}
const refused = async (args: readonly string[]) => {
  const result = await run(args)
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  return JSON.parse(result.stderr) as unknown
}

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  env = { ...environmentOf(database), GATEHOUSE_WEBHOOK_SECRET: secret }
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

const nothingWrong = { corrected: 0, removed: 0, restored: 0, standings: 0, links: 0 }

describe('billing commands while the daemon runs', slow, () => {
  test('rebuild-billing finds no difference after deliveries, and prints JSON or text', async () => {
    for (const type of ['customer.created', 'subscription.active', 'order.paid', 'customer.state_changed'] as const)
      expect((await send(daemon.url, bodyOf(type, { customerId: 'ann' }))).status).toBe(202)
    for (const flags of [[], ['--dry-run'], ['--check']])
      expect(await done(['rebuild-billing', ...flags])).toEqual({ deliveries: 4, customers: 1, ...nothingWrong })
    expect((await runCommand(['rebuild-billing'], env)).stdout).toBe('4 deliveries, 1 customers: nothing was wrong\n')
  })

  test('link-customer links a customer, and refuses unknown customers, users and organizations', async () => {
    const create = ['create-user', '--email', 'ann@example.com', '--name', 'Ann', '--password-stdin']
    const { id } = (await done(create, password)) as { id: string }
    expect(await done(['link-customer', 'ann', '--user', id])).toMatchObject({
      ...{ customerId: 'ann', userId: id, organizationId: null, linkedBy: 'operator' },
    })
    expect(await refused(['link-customer', 'bob', '--user', id])).toMatchObject({ code: 'CUSTOMER_NOT_FOUND' })
    expect(await refused(['link-customer', 'ann', '--org', 'nobody'])).toMatchObject({ code: 'ORGANIZATION_NOT_FOUND' })
    expect(await refused(['link-customer', 'ann', '--user', 'nobody'])).toMatchObject({ code: 'USER_NOT_FOUND' })
    const { id: organizationId } = (await done(['create-org', '--name', 'Acme', '--slug', 'acme'])) as { id: string }
    expect(await done(['link-customer', 'ann', '--org', 'acme'])).toMatchObject({ userId: null, organizationId })
    expect(await done(['link-customer', 'ann', '--user', 'ANN@example.com'])).toMatchObject({ userId: id, organizationId: null })
    for (const holder of [[], ['--user', id, '--org', 'acme']])
      expect((await run(['link-customer', 'ann', ...holder])).exitCode).toBe(2)
    expect(await done(['rebuild-billing', '--check'])).toMatchObject(nothingWrong)
  })

  test('when a row is missing, rebuild-billing --check fails, --dry-run reports the row, and a rebuild restores it', async () => {
    const { db, destroy } = openDatabase({ url: database.url, poolMax: 1, synchronous: 'NORMAL' })
    await db.knex('billing_subscription').delete()
    await destroy()
    expect(await refused(['rebuild-billing', '--check'])).toEqual({
      code: 'BILLING_STATE_DIFFERS',
      message: 'Billing state differs: corrected 0, removed 0, restored 1, standings 1, links 0',
    })
    expect(await done(['rebuild-billing', '--dry-run'])).toMatchObject({ ...nothingWrong, restored: 1, standings: 1 })
    expect(await done(['rebuild-billing'])).toMatchObject({ restored: 1 })
    expect(await done(['rebuild-billing', '--check'])).toMatchObject(nothingWrong)
  })
})
