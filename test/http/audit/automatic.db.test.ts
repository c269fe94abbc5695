import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { sealingCheck } from '../../../src/audit/check.ts'
import { createSecrets } from '../../../src/core/crypto.ts'
import { createChain } from '../../../src/core/events/chain.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { noteEvents, sealAll, writeNote } from '../../support/events.ts'
import { freePort } from '../../support/port.ts'
import { bodyOf, secret, send } from '../billing/sender.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      billing: { secrets: [secret] },
      smtpUrl: `smtp://127.0.0.1:${await freePort()}`,
      mail: { maxAttempts: 1 },
    },
  })
})
afterAll(() => t.stop())

const principal = systemPrincipal('test')
const about = (subject: string) => t.app.audit.list({ subject }, 10)
const seen = async (subject: string) =>
  (await about(subject)).map(({ type, organizationId, data }) => ({ type, organizationId, data }))

test('automatic links and unlinks of customers are recorded once, with their reason', async () => {
  const { core, users, organizations, billing } = t.app
  const email = `${randomUUID()}@example.com`
  const ofAddress = randomUUID()
  await send(t.url, bodyOf('subscription.active', { customerId: ofAddress, email }))
  expect(await seen(ofAddress)).toEqual([])
  const user = await core.transact((tx) => users.create(tx, principal, { name: 'Ann', email, emailVerified: true }))
  const linked = { type: 'customer.linked', organizationId: null, data: { userId: user.id, linkedBy: 'email' } }
  expect(await seen(ofAddress)).toEqual([linked])
  await send(t.url, bodyOf('subscription.active', { customerId: ofAddress, email }))
  expect(await seen(ofAddress)).toEqual([linked])
  await core.transact((tx) => billing.links.release(tx, { id: user.id }))
  expect(await seen(ofAddress)).toEqual([{ type: 'customer.unlinked', organizationId: null, data: { userId: user.id } }, linked])

  const { id } = await organizations.createFor(principal, { name: 'Acme', slug: 'acme' }, undefined)
  const ofOrganization = randomUUID()
  await send(t.url, bodyOf('subscription.active', { customerId: ofOrganization, externalId: id }))
  expect(await seen(ofOrganization)).toEqual([
    { type: 'customer.linked', organizationId: id, data: { userId: null, linkedBy: 'external_id' } },
  ])
})

test('a rebuild of the billing state is recorded with its findings, and a dry run is not recorded', async () => {
  const { state } = t.app.billing
  await state.rebuild(principal, { dryRun: true })
  expect(await t.app.audit.list({ type: 'billing.rebuilt' }, 10)).toEqual([])
  const rebuilt = await state.rebuild(principal, { dryRun: false })
  expect(await t.app.audit.list({ type: 'billing.rebuilt' }, 10)).toMatchObject([{ actorKind: 'system', data: rebuilt }])
})

test('a failed mail is recorded with its kind and without its email address', async () => {
  await t.signedIn('bob@example.com')
  await t.client().post('/request-password-reset', { email: 'bob@example.com' })
  const given = await vi.waitFor(
    async () => {
      const [event] = await t.app.audit.list({ type: 'mail.given_up' }, 1)
      if (event === undefined) throw new Error('no mail is given up yet')
      return event
    },
    { timeout: 60_000, interval: 50 },
  )
  expect(given).toMatchObject({ subjectType: 'mail', actorKind: 'system', data: { kind: expect.any(String), attempts: 1 } })
  expect(JSON.stringify(given)).not.toContain('bob@example.com')
})

test('a node without the secret that seals the event chain reports the missing secret in its checks', async () => {
  t.app.events.register({ events: noteEvents })
  await t.app.core.transact((tx) => writeNote(t.app, tx, 'sealed'))
  await sealAll(t)
  const { random, clock } = t.app.core
  const check = (secrets: typeof t.app.core.secrets) => sealingCheck(createChain({ ...t.app.core, secrets })).run()
  expect(await check(t.app.core.secrets)).toEqual([])
  const others = createSecrets(['another secret of tests, with forty-eight characters'], random, clock)
  expect(await check(others)).toMatchObject([{ severity: 'failed', message: expect.stringContaining('seals no events') }])
})
