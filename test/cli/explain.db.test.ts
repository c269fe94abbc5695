import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password } from '../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../support/billing.ts'
import { type Environment, environmentOf, runCommand, serveHere, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let env: Environment
let daemon: Awaited<ReturnType<typeof serveHere>>

const run = (args: readonly string[]) => runCommand([...args, '--json'], env)
const idFrom = async (args: readonly string[]) => ((await run(args)).json() as { id: string }).id
const signUp = async (email: string) => {
  const { user } = await daemon.client().api.accounts.signUpEmail({ body: { email, name: 'Ann Example', password } })
  return user.id
}

beforeAll(async () => {
  database = await createDatabaseWithKeys()
  const config = join(database.dataDir, 'gatehouse.yaml')
  writeFileSync(
    config,
    `billing:
  freeSeats: unlimited
  entitlements:
    - { name: pro, product: prod_pro, plan: Pro }
    - { name: seats, product: prod_team, quantity: seats }
`,
  )
  env = { ...environmentOf(database), GATEHOUSE_CONFIG: config, GATEHOUSE_WEBHOOK_SECRET: webhookSecret }
  daemon = await serveHere(env)
})
afterAll(async () => {
  await daemon.stop()
  await database.drop()
})

test(
  'explain shows the claims of a user for an organization and client, and the rule, source and delivery of each entitlement',
  slow,
  async () => {
    const user = await signUp('ann@example.com')
    const organization = await idFrom(['create-org', '--name', 'Acme', '--slug', 'acme', '--owner', user, '--unverified'])
    const registered = (
      await run([
        'register-client',
        '--name',
        'Shop',
        '--redirect-uri',
        'https://rp.example/cb',
        '--scope',
        'openid',
        '--scope',
        'billing',
      ])
    ).json() as { client_id: string }
    const tell = async (options: Parameters<typeof eventOf>[1]) => {
      const delivery = signedDelivery(webhookSecret, eventOf('subscription.active', options))
      expect((await post(daemon.url, delivery)).status).toBe(202)
      return delivery.headers['webhook-id']
    }
    const ann = { externalId: user, customerId: 'cus_ann' }
    const own = await tell({ ...ann, productId: 'prod_pro' })
    const acme = { externalId: organization, customerId: 'cus_acme', subscriptionId: 'sub_acme' }
    const team = await tell({ ...acme, productId: 'prod_team', seats: 5 })
    await tell({ ...ann, productId: 'prod_other' })

    const explain = ['explain', '--user', 'ann@example.com', '--org', 'acme', '--client', registered.client_id]
    const explained = (await run(explain)).json()
    expect(explained).toMatchObject({
      user: { id: user, email: 'ann@example.com' },
      organization: { id: organization, slug: 'acme', isMember: true, roles: ['owner'] },
      client: { clientId: registered.client_id, name: 'Shop' },
      claims: { sub: user, entitlements: ['pro', 'seats'], entitlement_values: { seats: 5 }, plan: 'Pro' },
      seats: 5,
      entitlements: [
        {
          name: 'pro',
          sources: [
            {
              ...{ rule: 'billing.entitlements.0', kind: 'subscription', holder: 'user', customerId: 'cus_ann' },
              linkedBy: 'external_id',
              delivery: {
                webhookId: own,
                endpoint: 'polar',
                eventType: 'subscription.active',
                receivedAt: expect.stringMatching(/Z$/),
              },
            },
          ],
        },
        {
          name: 'seats',
          sources: [
            {
              ...{ rule: 'billing.entitlements.1', id: 'sub_acme', holder: 'organization', customerId: 'cus_acme' },
              delivery: { webhookId: team },
            },
          ],
        },
      ],
      unused: [{ because: 'no rule', kind: 'subscription', customerId: 'cus_ann' }],
    })
    expect(explained).not.toHaveProperty('claims.email')

    const ofOrganization = (await run(['explain', '--org', 'acme'])).json()
    expect(ofOrganization).toMatchObject({
      ...{ organization: { id: organization, slug: 'acme' }, seats: 5, unused: [] },
      entitlements: [{ name: 'seats', sources: [{ id: 'sub_acme', linkedBy: 'external_id', delivery: { webhookId: team } }] }],
    })
    const table = await runCommand(['explain', '--org', organization], env)
    expect(table.stdout).toMatch(new RegExp(`seats +5 +\\S+Z +billing\\.entitlements\\.1 .*${team}`))

    // Another user does not see the organization's entitlements, and reads why.
    await signUp('ben@example.com')
    const outsider = await runCommand(['explain', '--user', 'ben@example.com', '--org', 'acme'], env)
    expect(outsider.stdout).toMatch(/^ben@example\.com is not a member of acme$/m)
    expect(outsider.stdout).toMatch(/^ {2}entitlements +\[\]$/m)
    expect(outsider.stdout).not.toContain('cus_acme')

    const shown = await runCommand(['explain', '--user', user, '--org', 'acme'], env)
    expect(shown.stdout).toMatch(
      new RegExp(
        `billing\\.entitlements\\.1 +subscription sub_acme +cus_acme +organization +external_id +subscription\\.active ${team}`,
      ),
    )
  },
)

test('explain shows purchases waiting for a verified email address, with their delivery', slow, async () => {
  await signUp('late@example.com')
  const event = eventOf('subscription.active', { email: 'late@example.com', customerId: 'cus_late', productId: 'prod_pro' })
  const delivery = signedDelivery(webhookSecret, event)
  expect((await post(daemon.url, delivery)).status).toBe(202)
  const source = { rule: 'billing.entitlements.0', customerId: 'cus_late', linkedBy: null }
  const webhookId = delivery.headers['webhook-id']
  expect((await run(['explain', '--user', 'late@example.com'])).json()).toMatchObject({
    ...{ claims: { entitlements: [] }, entitlements: [], unused: [] },
    held: { plan: 'Pro', entitlements: [{ name: 'pro', sources: [{ ...source, delivery: { webhookId } }] }], unused: [] },
  })
  const shown = (await runCommand(['explain', '--user', 'late@example.com'], env)).stdout
  expect(shown).toContain('Held until late@example.com is verified\n')
  expect(shown).toMatch(new RegExp(`pro +true +\\S+Z +billing\\.entitlements\\.0 .*${webhookId}`))
})

test('explain requires --user, or --org alone', slow, async () => {
  expect((await run(['explain'])).exitCode).toBe(2)
  expect((await run(['explain', '--org', 'acme', '--client', 'any'])).exitCode).toBe(2)
})

test('explain refuses an unknown user, organization or client', slow, async () => {
  const refused = async (...args: readonly string[]) => {
    const { exitCode, stderr } = await run(['explain', ...args])
    return [exitCode, (JSON.parse(stderr) as { code: string }).code]
  }
  expect(await refused('--user', 'nobody@example.com')).toEqual([3, 'USER_NOT_FOUND'])
  expect(await refused('--user', 'ann@example.com', '--org', 'nobody')).toEqual([3, 'ORGANIZATION_NOT_FOUND'])
  expect(await refused('--org', 'nobody')).toEqual([3, 'ORGANIZATION_NOT_FOUND'])
  expect(await refused('--user', 'ann@example.com', '--client', 'nobody')).toEqual([3, 'CLIENT_NOT_FOUND'])
})
