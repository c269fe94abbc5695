import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type EventType, eventTable, eventTypes } from '../../../src/billing/events/table.ts'
import { buildEvent, type SimulationOptions } from '../../../src/billing/simulator/build.ts'
import type { BillingSnapshot } from '../../../src/billing/state/snapshot.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { stateTables } from '../../support/billing-state.ts'
import { secret, send } from './sender.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret] } } })
})
afterAll(() => t.stop())

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute))
type Changes = Readonly<Record<string, unknown>>

/** Sends an event of one customer at the given minute, with `changes` to its data. */
const sends = async (type: EventType, options: Partial<SimulationOptions>, changes: Changes = {}, id: string = randomUUID()) => {
  const event = buildEvent(type, { at: at(0), ...options })
  const answer = await send(t.url, JSON.stringify({ ...event, data: { ...event.data, ...changes } }), { id })
  expect(answer.text + answer.status).toMatch(/202$/)
  const { outcome } = await t.app.core.db.knex('billing_delivery').where({ webhook_id: id }).first('outcome')
  return outcome as string
}

const snapshotOf = async (customerId: string): Promise<BillingSnapshot> => {
  const row = await t.app.core.db.knex('billing_customer').where({ id: customerId }).first('snapshot')
  return JSON.parse(row.snapshot)
}
const statusOf = async (customerId: string) => (await snapshotOf(customerId)).subscriptions.map(({ status }) => status)

describe('the events of each type', () => {
  test.each(eventTypes)('an event of the type %s is applied once, and a late copy changes nothing', async (type) => {
    const customerId = randomUUID()
    // The event is stored, and no state is derived from it.
    const isKept = !['other', 'checkout', 'discount', 'organization'].includes(eventTable[type])
    const options = { customerId, productId: randomUUID(), organizationId: randomUUID(), discountId: randomUUID() }
    expect(await sends(type, { ...options, at: at(5) })).toBe(isKept ? 'applied' : 'ignored')
    const late = { ...options, at: at(1), createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' }
    expect(await sends(type, late)).toBe(isKept ? 'superseded' : 'ignored')
  })
})

describe('the snapshot of a customer', () => {
  test('a canceled subscription is active until it is revoked', async () => {
    const customerId = randomUUID()
    await sends('subscription.active', { customerId, at: at(1) })
    await sends('subscription.canceled', { customerId, at: at(2) })
    const [canceled] = (await snapshotOf(customerId)).subscriptions
    expect(canceled).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, endedAt: null })
    await sends('subscription.revoked', { customerId, at: at(3) })
    const [revoked] = (await snapshotOf(customerId)).subscriptions
    expect(revoked).toMatchObject({ status: 'canceled', endedAt: '2026-11-21T12:03:00.000000Z' })
  })

  test.each([
    ['revoked comes last', ['subscription.updated', 'subscription.canceled', 'subscription.revoked']],
    ['revoked comes first', ['subscription.revoked', 'subscription.canceled', 'subscription.updated']],
  ] as const)('a revocation wins over other events of the same modified_at when %s', async (_, types) => {
    const customerId = randomUUID()
    for (const type of types) await sends(type, { customerId, at: at(4) })
    expect(await statusOf(customerId)).toEqual(['canceled'])
  })

  test('an older version of an entity never replaces a newer version, to the microsecond and in any time zone', async () => {
    const customerId = randomUUID()
    const update = (status: string, modifiedAt: string) =>
      sends('subscription.updated', { customerId, status, modifiedAt, at: at(1) })
    expect(await update('past_due', '2026-11-21T12:00:00.000002Z')).toBe('applied')
    expect(await update('active', '2026-11-21T14:00:00.000001+02:00')).not.toBe('ignored')
    expect(await statusOf(customerId)).toEqual(['past_due'])
    await update('active', '2026-11-21T13:00:00.000003+01:00')
    expect(await statusOf(customerId)).toEqual(['active'])
  })

  test('the snapshot of a deleted customer stays empty, whatever event arrives later', async () => {
    const customerId = randomUUID()
    await sends('subscription.active', { customerId, at: at(1) })
    await sends('customer.deleted', { customerId, at: at(2) })
    await sends('subscription.active', { customerId, at: at(3) })
    await sends('customer.updated', { customerId, at: at(4) })
    expect(await snapshotOf(customerId)).toEqual({ customerId, subscriptions: [], grants: [], orders: [], meters: [] })
  })

  test('an order counts once it is paid, and a refund that revokes its benefits works in either order of arrival', async () => {
    const customerId = randomUUID()
    await sends('order.created', { customerId, at: at(1) })
    expect((await snapshotOf(customerId)).orders).toEqual([])
    await sends('order.paid', { customerId, at: at(2) })
    await sends('benefit_grant.created', { customerId, recurring: false, at: at(3) })
    const held = await snapshotOf(customerId)
    expect(held.orders).toMatchObject([{ status: 'paid', benefitsRevoked: false }])
    expect(held.grants).toMatchObject([{ orderId: held.orders[0]?.id, subscriptionId: null, benefitType: 'custom' }])
    await sends('refund.created', { customerId, orderId: held.orders[0]?.id, at: at(4) })
    expect(await snapshotOf(customerId)).toMatchObject({ orders: [{ benefitsRevoked: false }], grants: [{}] })
    await sends('refund.updated', { customerId, orderId: held.orders[0]?.id, at: at(5) })
    expect(await snapshotOf(customerId)).toMatchObject({ orders: [{ status: 'paid', benefitsRevoked: true }], grants: [] })
    await sends('order.refunded', { customerId, status: 'partially_refunded', at: at(6) })
    expect(await snapshotOf(customerId)).toMatchObject({ orders: [{ status: 'partially_refunded', benefitsRevoked: true }] })
  })

  test('a revoked grant does not count, and a benefit from two sources ends with the last source', async () => {
    const customerId = randomUUID()
    const [one, two] = ['one', 'two'].map((name) => ({ customerId, grantId: `${customerId}-${name}` })) as [object, object]
    await sends('benefit_grant.created', { ...one, at: at(1) })
    await sends('benefit_grant.created', { ...two, at: at(1) })
    await sends('benefit_grant.revoked', { ...one, at: at(2) })
    expect((await snapshotOf(customerId)).grants.map(({ id }) => id)).toEqual([`${customerId}-two`])
  })

  test('benefits of subscriptions that ended long ago do not count, however many have ended since', async () => {
    const customerId = randomUUID()
    const first = { customerId, subscriptionId: `${customerId}-00` }
    await sends('benefit_grant.created', { ...first, at: at(0) })
    await sends('subscription.revoked', { ...first, at: at(0) })
    for (let minute = 1; minute <= 20; minute++)
      await sends('subscription.revoked', { customerId, subscriptionId: `${customerId}-${minute}`, at: at(minute) })
    const { subscriptions, grants } = await snapshotOf(customerId)
    expect(subscriptions).toHaveLength(20)
    expect(grants).toEqual([])
    // A benefit of an unknown subscription counts.
    await sends('benefit_grant.created', { customerId, subscriptionId: `${customerId}-unknown`, at: at(30) })
    expect((await snapshotOf(customerId)).grants).toHaveLength(1)
  })
})

describe("the platform's customer state", () => {
  test("the platform's customer state adds subscriptions and benefits that had no event of their own", async () => {
    const customerId = randomUUID()
    await sends('customer.state_changed', { customerId, at: at(1), units: { consumed: 3, credited: 10 } })
    expect(await snapshotOf(customerId)).toMatchObject({
      subscriptions: [{ status: 'active', priceIds: [] }],
      grants: [{ benefitType: 'custom' }],
      meters: [{ consumedUnits: 3, creditedUnits: 10, balance: 7 }],
    })
  })

  test('a customer state ends subscriptions and trials that it does not list, unless they changed later or have a status that customer states never list', async () => {
    const customerId = randomUUID()
    const ids = ['lost', 'trial', 'later', 'late'].map((name) => `${customerId}-${name}`)
    const [lost = '', trial = '', later = '', late = ''] = ids
    await sends('subscription.active', { customerId, subscriptionId: lost, at: at(1) })
    await sends('subscription.updated', { customerId, subscriptionId: trial, status: 'trialing', at: at(1) })
    await sends('benefit_grant.created', { customerId, subscriptionId: lost, at: at(1) })
    await sends('subscription.past_due', { customerId, subscriptionId: late, at: at(1) })
    await sends('subscription.active', { customerId, subscriptionId: later, at: at(3) })
    await sends('customer.state_changed', { customerId, status: 'canceled', at: at(2) })
    const { subscriptions, grants } = await snapshotOf(customerId)
    expect(Object.fromEntries(subscriptions.map(({ id, status }) => [id, status]))).toEqual({
      [lost]: 'canceled',
      [trial]: 'canceled',
      [later]: 'active',
      [late]: 'past_due',
    })
    expect(subscriptions.find(({ id }) => id === lost)?.endedAt).toBe('2026-11-21T12:02:00.000000Z')
    expect(grants).toEqual([])
  })

  test('a customer state does not restore purchases that were revoked after the customer state', async () => {
    const customerId = randomUUID()
    await sends('subscription.revoked', { customerId, at: at(3) })
    await sends('benefit_grant.revoked', { customerId, at: at(3) })
    await sends('customer.state_changed', { customerId, at: at(2) })
    expect(await snapshotOf(customerId)).toMatchObject({ subscriptions: [{ status: 'canceled' }], grants: [] })
  })

  test('an empty customer state without a time never ends a later purchase, wherever it arrives among events that are an hour late', async () => {
    const events = [
      ['customer.created', 'active'],
      ['customer.state_changed', 'canceled'],
      ['subscription.created', 'active'],
      ['subscription.active', 'active'],
      ['order.paid', 'paid'],
      ['customer.state_changed', 'active'],
    ] as const
    // First in the order in which they happened. Some have the same time, because times are not always distinct.
    for (const minutes of [1, 0])
      for (const position of [1, 0, 2, 3, 4, 5]) {
        const customerId = randomUUID()
        const happened = events.map(([type, status], i) => {
          const at = new Date(Date.now() - 3_600_000 + i * minutes * 60_000)
          const subscriptionId = `${customerId}-sub`
          return [type, { customerId, subscriptionId, status, shape: '2025', at }] as const
        })
        for (const [type, options] of happened.toSpliced(1, 1).toSpliced(position, 0, ...happened.slice(1, 2)))
          await sends(type, options)
        expect([position, await statusOf(customerId)]).toEqual([position, ['active']])
      }
    const rebuilt = await t.app.billing.state.rebuild(systemPrincipal('test'), { dryRun: true })
    expect(rebuilt).toMatchObject({ corrected: 0, removed: 0, restored: 0, snapshots: 0 })
  })

  test("an empty customer state without a time ends every purchase older than the customer's last change, in either order of arrival", async () => {
    for (const isFirst of [true, false]) {
      const customerId = randomUUID()
      const empty = () => sends('customer.state_changed', { customerId, status: 'canceled', shape: '2025', at: at(2) })
      if (isFirst) await empty()
      await sends('subscription.active', { customerId, subscriptionId: `${customerId}-older`, at: at(1) })
      await sends('benefit_grant.created', { customerId, subscriptionId: `${customerId}-older`, at: at(1) })
      await sends('subscription.active', { customerId, subscriptionId: `${customerId}-same`, at: at(2) })
      if (!isFirst) await empty()
      const { subscriptions, grants } = await snapshotOf(customerId)
      expect(subscriptions.map(({ id, status }) => [id, status])).toEqual([
        [`${customerId}-older`, 'canceled'],
        [`${customerId}-same`, 'active'],
      ])
      expect(grants).toEqual([])
    }
  })

  test('neither an older customer state nor a customer state without a time and with older entries replaces a newer one', async () => {
    const customerId = randomUUID()
    await sends('customer.state_changed', { customerId, at: at(5), status: 'canceled' })
    expect(await sends('customer.state_changed', { customerId, at: at(4) })).toBe('superseded')
    expect(await sends('customer.state_changed', { customerId, at: at(3), shape: '2025' })).toBe('superseded')
    expect(await statusOf(customerId)).toEqual([])
  })
})

describe('values of a later platform version', () => {
  test('an unknown status in a revocation ends the subscription or order, and a revocation ends a benefit of any type', async () => {
    const customerId = randomUUID()
    await sends('subscription.active', { customerId, at: at(1) })
    await sends('benefit_grant.created', { customerId, at: at(1) })
    await sends('order.paid', { customerId, at: at(1) })
    await sends('subscription.revoked', { customerId, status: 'expired', at: at(2) })
    await sends('benefit_grant.revoked', { customerId, at: at(2) }, {})
    await sends('order.refunded', { customerId, status: 'charged_back', at: at(2) })
    expect(await snapshotOf(customerId)).toMatchObject({ subscriptions: [{ status: 'canceled' }], grants: [], orders: [] })
  })

  test('a subscription with an unknown status in a customer state does not change, and subscriptions missing in it still end', async () => {
    const customerId = randomUUID()
    const [named, gone] = [`${customerId}-named`, `${customerId}-gone`]
    for (const subscriptionId of [named, gone]) await sends('subscription.active', { customerId, subscriptionId, at: at(1) })
    const state = buildEvent('customer.state_changed', { customerId, subscriptionId: named, at: at(2) }).data
    const [entry] = state['active_subscriptions'] as readonly object[]
    const other = { ...entry, id: `${customerId}-other`, status: 'dunning' }
    const changes = { active_subscriptions: [{ ...entry, status: 'dunning' }, other] }
    await sends('customer.state_changed', { customerId, subscriptionId: named, at: at(2) }, changes)
    expect((await snapshotOf(customerId)).subscriptions.map(({ id, status }) => [id, status])).toEqual([
      [gone, 'canceled'],
      [named, 'active'],
    ])
  })

  test('an event with an unknown status that would give an entitlement goes to quarantine', async () => {
    const event = buildEvent('subscription.updated', { customerId: randomUUID(), status: 'dunning', at: at(1) })
    expect((await send(t.url, JSON.stringify(event), { id: randomUUID() })).status).toBe(400)
  })
})

test('a subscription that moves to another customer belongs only to the other customer, in either order of arrival', async () => {
  for (const [first, second] of [
    [1, 2],
    [2, 1],
  ] as const) {
    const subscriptionId = randomUUID()
    const owners = { 1: randomUUID(), 2: randomUUID() }
    for (const minute of [first, second])
      await sends('subscription.active', { customerId: owners[minute], subscriptionId, at: at(minute) })
    expect([await statusOf(owners[1]), await statusOf(owners[2])]).toEqual([[], ['active']])
  }
})

test('the billing state contains no secret of a checkout and no token of a chat server', async () => {
  const benefitId = randomUUID()
  const checkout = buildEvent('checkout.created', { at: at(1) }).data as { client_secret: string; url: string }
  await sends('checkout.created', { at: at(1) })
  await sends('benefit.created', { benefitId, benefitType: 'discord', at: at(1) })
  await sends('subscription.active', { customerId: randomUUID(), benefitId, benefitType: 'discord', at: at(2) })
  let text = ''
  for (const table of stateTables) text += JSON.stringify(await t.app.core.db.knex(table).select())
  expect(text).toContain(benefitId)
  for (const given of ['guild_token', 'client_secret', checkout.client_secret, 'customer_ip_address'])
    expect(text).not.toContain(given)
})
