import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import type { BillingSnapshot } from '../../../src/billing/state/snapshot.ts'
import { lockCustomer } from '../../../src/billing/state/store/entities.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { signedDelivery } from '../../support/billing.ts'
import { dialect, waitBriefly } from '../../support/database.ts'
import { bodyOf, secret, send } from './sender.ts'

let t: TestApp
beforeAll(async () => {
  // A single connection, so that a test can hold it while deliveries wait.
  t = await testApp({ config: { billing: { secrets: [secret] }, database: { poolMax: 1 } } })
  await t.app.jobs.stop()
})
afterAll(() => t.stop())

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute))
interface Sending {
  readonly id: string
  readonly body: string
}
const sending = (body: string, id: string = randomUUID()): Sending => ({ id, body })

const anonymous = { source: { address: '', userAgent: '', requestId: '' } }
/** Calls `receive` directly, so that the test knows when the delivery waits. */
const receive = ({ id, body }: Sending) => {
  const { headers } = signedDelivery(secret, body, { id })
  const principal = anonymous as unknown as Parameters<typeof t.app.billing.ingestion.receive>[0]
  return t.app.billing.ingestion.receive(principal, 'polar', headers, Buffer.from(body))
}
const outcomeOf = (receiving: Promise<string>) => receiving.catch((error: { code?: string }) => error.code ?? 'failed')

/** Holds the connection until the returned function is called. */
const hold = () =>
  new Promise<() => Promise<void>>((resolve) => {
    const held: Promise<void> = t.app.core.transact(
      () =>
        new Promise((release) => {
          resolve(() => {
            release()
            return held
          })
        }),
    )
  })

/** Outcomes of deliveries that arrive during a transaction: the first has the next transaction, and all others share the following one. */
const batched = async (deliveries: readonly Sending[]) => {
  const release = await hold()
  const outcomes = [sending(bodyOf('benefit.updated')), ...deliveries].map((delivery) => outcomeOf(receive(delivery)))
  await new Promise(setImmediate)
  await release()
  const [first, ...others] = await Promise.all(outcomes)
  expect(first).toBe('accepted')
  return others
}

const table = (name: string) => t.app.core.db.knex(name)
const rowOf = (webhookId: string) => table('billing_delivery').where({ webhook_id: webhookId }).first()
const snapshotOf = async (customerId: string): Promise<BillingSnapshot> => {
  const { snapshot } = await table('billing_customer').where({ id: customerId }).first('snapshot')
  return JSON.parse(snapshot)
}

const statements: string[] = []
const note = ({ sql }: { sql: string }) => void statements.push(sql.toLowerCase())
const count = (start: string) => statements.filter((sql) => sql.startsWith(start)).length
beforeEach(() => {
  statements.length = 0
})

describe('deliveries that arrive during a transaction', () => {
  test('an unverified address links no customer, even if another delivery of the batch names the user with that address by id', async () => {
    const email = `${randomUUID()}@example.com`
    const ann = await t.app.core.transact((tx) =>
      t.app.users.create(tx, systemPrincipal('test'), { name: 'Ann', email, emailVerified: false }),
    )
    const [named, stranger] = [randomUUID(), randomUUID()]
    const outcomes = await batched([
      sending(bodyOf('subscription.active', { customerId: named, externalId: ann.id, email: 'ann@work.example', at: at(1) })),
      sending(bodyOf('subscription.active', { customerId: stranger, email, at: at(1) })),
    ])
    expect(outcomes).toEqual(['accepted', 'accepted'])
    const linked = await table('billing_link').whereIn('customer_id', [named, stranger]).select('customer_id', 'user_id')
    expect(linked).toEqual([{ customer_id: named, user_id: ann.id }])
  })

  test('waiting deliveries share the next transaction, and it needs as many statements for twenty customers as for one', async () => {
    const productId = randomUUID()
    const buyers = Array.from({ length: 20 }, (_, i) => ({ customerId: randomUUID(), productId, minute: (i * 7) % 20 }))
    // The customers are already stored and linked.
    for (const buyer of buyers) await receive(sending(bodyOf('subscription.active', { ...buyer, at: at(0) })))
    const deliveries = buyers.map((buyer) =>
      sending(bodyOf('subscription.updated', { ...buyer, status: 'past_due', at: at(20 + buyer.minute) })),
    )
    t.app.core.db.knex.on('query', note)
    expect(await batched(deliveries)).toEqual(buyers.map(() => 'accepted'))
    t.app.core.db.knex.off('query', note)
    expect([count('begin'), count('insert into billing_delivery'), count('insert into billing_subscription')]).toEqual([3, 2, 1])
    // The newest of twenty versions of the product is stored, with its delivery.
    const newest = deliveries[buyers.findIndex(({ minute }) => minute === 19)]
    const { id } = await rowOf(newest?.id ?? '')
    expect(await table('billing_product').where({ id: productId }).first('delivery_id')).toEqual({ delivery_id: id })
    for (const [i, { customerId }] of buyers.entries()) {
      const row = await rowOf(deliveries[i]?.id ?? '')
      expect(row).toMatchObject({ status: 'accepted', outcome: 'applied', customer_id: customerId })
      expect((await snapshotOf(customerId)).subscriptions).toMatchObject([{ productId, status: 'past_due', deliveryId: row.id }])
    }
  })

  test('of several versions of one entity in a batch of deliveries the newest is stored, in any order of arrival', async () => {
    const [customerId, subscriptionId] = [randomUUID(), randomUUID()]
    const changed = (status: string, minute: number) =>
      sending(bodyOf('subscription.updated', { customerId, subscriptionId, status, at: at(minute) }))
    const [first, newest, late] = [changed('trialing', 1), changed('past_due', 3), changed('active', 2)]
    expect(await batched([first, newest, late])).toEqual(Array(3).fill('accepted'))
    expect((await snapshotOf(customerId)).subscriptions).toMatchObject([{ status: 'past_due' }])
    const { id } = await rowOf(newest.id)
    expect(await table('billing_subscription').where({ customer_id: customerId })).toMatchObject([{ delivery_id: id }])
  })

  test('deliveries in one batch get the same outcomes as the same deliveries one after the other: applied, superseded or ignored', async () => {
    const productId = randomUUID()
    const changed = (minute: number) => sending(bodyOf('benefit.updated', { benefitId: productId, at: at(minute) }))
    const deliveries = [changed(2), changed(1), changed(3), sending(bodyOf('member.created'))]
    await batched(deliveries)
    const outcomes = await Promise.all(deliveries.map(async ({ id }) => (await rowOf(id)).outcome))
    expect(outcomes).toEqual(['applied', 'superseded', 'applied', 'ignored'])
  })

  test('a delivery that cannot be written leaves nothing behind, and the other deliveries of its batch are stored', async () => {
    const poison = `poison-${randomUUID()}`
    const { knex } = t.app.core.db
    await knex.raw(
      dialect === 'postgres'
        ? `alter table billing_subscription add constraint poison check (id <> '${poison}')`
        : `create trigger poison before insert on billing_subscription when new.id = '${poison}' begin select raise(abort, 'poison'); end`,
    )
    const bad = sending(bodyOf('subscription.active', { customerId: randomUUID(), subscriptionId: poison }))
    const good = Array.from({ length: 6 }, () => sending(bodyOf('subscription.active', { customerId: randomUUID() })))
    const outcomes = await batched([...good.slice(0, 3), bad, ...good.slice(3)])
    expect(outcomes.map((outcome) => outcome === 'accepted')).toEqual([true, true, true, false, true, true, true])
    expect(await rowOf(bad.id)).toBeUndefined()
    for (const { id } of good) expect(await rowOf(id)).toMatchObject({ status: 'accepted', attempts: 1 })
    await knex.raw(dialect === 'postgres' ? 'alter table billing_subscription drop constraint poison' : 'drop trigger poison')
    expect(await receive(bad)).toBe('accepted')
  })

  test('each delivery of a batch gets its own answer: duplicates, copies, invalid events and events of forgotten customers', async () => {
    const [before, copied] = [sending(bodyOf('order.paid')), sending(bodyOf('order.paid', { customerId: randomUUID() }))]
    const gone = randomUUID()
    await receive(before)
    await receive(sending(bodyOf('order.paid', { customerId: gone })))
    await t.app.billing.deliveries.forgetCustomer(systemPrincipal('test'), gone)
    const deliveries = [
      ...[before, copied, copied, copied],
      ...[sending('{}'), sending(bodyOf('order.paid', { customerId: gone })), sending(bodyOf('product.updated'))],
    ]
    const outcomes = await batched(deliveries)
    expect([...outcomes.slice(1, 4)].sort()).toEqual(['accepted', 'duplicate', 'duplicate'])
    expect([outcomes[0], ...outcomes.slice(4)]).toEqual(['duplicate', 'FAILED_TO_PARSE_EVENT', 'accepted', 'accepted'])
    expect((await rowOf(before.id)).attempts).toBe(2)
    expect(await table('billing_delivery').where({ webhook_id: copied.id }).select('attempts')).toEqual([{ attempts: 3 }])
    expect(await table('billing_delivery').where({ customer_id: gone })).toMatchObject([
      { status: 'removed' },
      { status: 'removed' },
    ])
    expect(await table('billing_order').where({ customer_id: gone })).toEqual([])
  })

  test('a subscription moved within a batch of deliveries belongs only to the other customer', async () => {
    const subscriptionId = randomUUID()
    const owners = [randomUUID(), randomUUID()] as const
    await receive(sending(bodyOf('subscription.active', { customerId: owners[0], subscriptionId, at: at(1) })))
    const moved = sending(bodyOf('subscription.active', { customerId: owners[1], subscriptionId, at: at(2) }))
    const other = sending(bodyOf('subscription.active', { customerId: randomUUID(), at: at(2) }))
    expect(await batched([other, moved])).toEqual(['accepted', 'accepted'])
    const [left, held] = await Promise.all(owners.map(snapshotOf))
    expect([left?.subscriptions, held?.subscriptions]).toMatchObject([[], [{ id: subscriptionId }]])
    // Both deliveries are in one transaction.
    const back = sending(bodyOf('subscription.active', { customerId: owners[0], subscriptionId, at: at(4) }))
    expect(await batched([sending(bodyOf('customer.updated', { customerId: owners[1], at: at(3) })), back])).toHaveLength(2)
    const [again, lost] = await Promise.all(owners.map(snapshotOf))
    expect([again?.subscriptions, lost?.subscriptions]).toMatchObject([[{ id: subscriptionId }], []])
  })

  test('all deliveries are answered 503 while the database is unreachable, and accepted when they are sent again', async () => {
    const deliveries = Array.from({ length: 8 }, () => sending(bodyOf('order.paid', { customerId: randomUUID() })))
    const release = await hold()
    const waitAgain = waitBriefly(t.app.core.db, 2_000)
    const started = performance.now()
    const answers = await Promise.all(deliveries.map(({ id, body }) => send(t.url, body, { id })))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(503))
    // One after the other they would take 16 seconds.
    expect(performance.now() - started).toBeLessThan(14_000)
    waitAgain()
    await release()
    for (const { id } of deliveries) expect(await rowOf(id)).toBeUndefined()
    const again = await Promise.all(deliveries.map(({ id, body }) => send(t.url, body, { id })))
    expect(again.map(({ status }) => status)).toEqual(Array(8).fill(202))
  })
})

test.runIf(dialect === 'postgres')('a customer locked by another node delays no delivery of other customers', async () => {
  const [one, two] = [await t.node({ database: { poolMax: 5 } }), await t.node({ database: { poolMax: 5 } })]
  const locked = randomUUID()
  let isAnswered = false
  const waiting = await one.app.core.transact(async (tx) => {
    await lockCustomer(tx, locked)
    const pending = send(two.url, bodyOf('order.paid', { customerId: locked })).finally(() => {
      isAnswered = true
    })
    for (let round = 0; round < 3; round += 1) {
      const others = Array.from({ length: 8 }, () => send(two.url, bodyOf('order.paid', { customerId: randomUUID() })))
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(8).fill(202))
    }
    expect(isAnswered).toBe(false)
    return [pending]
  })
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([202])
  await one.stop()
  await two.stop()
})
