import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { parseEvent } from '../../../src/billing/events/parse.ts'
import type { EventType } from '../../../src/billing/events/table.ts'
import { upsertLinks } from '../../../src/billing/links/store.ts'
import type { SimulationOptions } from '../../../src/billing/simulator/build.ts'
import type { Tx } from '../../../src/core/db/database.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { eventOf } from '../../support/billing.ts'
import { clearState, storeDelivery } from '../../support/billing-state.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { overlap } from '../../support/overlap.ts'
import { statementsOf } from '../../support/statements.ts'
import { bodyOf, secret, send } from './sender.ts'

let t: TestApp
let other: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret] }, accounts: { deleteUserVerification: false } } })
  other = await t.node()
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const principal = systemPrincipal('test')
const table = (name: string) => t.app.core.db.knex(name)
const minute = (number: number) => new Date(Date.UTC(2026, 10, 21, 12, number))
const sends = async (type: EventType, options: Partial<SimulationOptions>, node = t) =>
  expect((await send(node.url, bodyOf(type, { at: minute(1), ...options }))).status).toBe(202)
const buys = async (options: Partial<SimulationOptions>): Promise<string> => {
  const customerId = randomUUID()
  await sends('subscription.active', { customerId, ...options })
  return customerId
}
const newAddress = () => `${randomUUID()}@example.com`

const createUser = (email: string, emailVerified: boolean): Promise<string> =>
  t.app.core.transact(
    async (tx) => (await t.app.users.create(tx, systemPrincipal('test'), { name: 'Ann', email, emailVerified })).id,
  )
const verify = async (email: string, node = t) => {
  const user = await node.app.users.findByEmail(node.app.core.db, email)
  if (user !== undefined)
    await node.app.core.transact((tx) => node.app.users.verifyEmail(tx, systemPrincipal('test'), user.id, user))
}
const deleteAccount = (id: string, { app }: TestApp = t) =>
  app.core.transact(async (tx) => app.deletion.remove(tx, principal, await app.users.require(tx, id)))
const createOrganization = async (): Promise<string> =>
  (await t.app.organizations.createFor(principal, { name: 'Acme', slug: `acme-${randomUUID()}` }, undefined)).id
const join = (organization: string, user: string) =>
  t.app.members.add(principal, { organization, user, role: 'member', allowsUnverified: true })

/** Customers of a user or organization, with the status of the first subscription. */
const held = async (userId: string | null, organizationId: string | null = null) =>
  (await t.app.billing.links.snapshotsOf(t.app.core.db, { userId, organizationId }))
    .map(({ owner, customerId, snapshot }) => [owner, customerId, snapshot.subscriptions[0]?.status])
    .sort()
const holderOf = async (customerId: string) => {
  const link = await table('billing_link').where({ customer_id: customerId }).first()
  return link?.user_id ?? link?.organization_id ?? null
}

describeOnBoth('automatic links of customers', () => {
  test("a customer is linked to the user whose id is the external id, whatever the customer's email address", async () => {
    const [ann, bob] = [await createUser(newAddress(), false), newAddress()]
    const bobId = await createUser(bob, true)
    const customerId = await buys({ externalId: ann, email: bob })
    expect(await held(ann)).toEqual([['user', customerId, 'active']])
    expect(await held(bobId)).toEqual([])
  })

  testOnBoth(
    'a customer is linked to the organization whose id is the external id, and only members of the organization have the purchases',
    async () => {
      const [acme, rival, user] = [await createOrganization(), await createOrganization(), await createUser(newAddress(), true)]
      const customerId = await buys({ externalId: acme, email: newAddress() })
      expect(await held(user, acme)).toEqual([])
      await Promise.all([join(acme, user), join(rival, user)])
      expect(await held(user, acme)).toEqual([['organization', customerId, 'active']])
      expect(await held(null, acme)).toEqual([['organization', customerId, 'active']])
      expect(await held(user, rival)).toEqual([])
      expect(await held(acme, null)).toEqual([])
    },
  )

  test('a customer is linked to the user who verified the email address in any spelling, with all customers of the address', async () => {
    const email = newAddress()
    const ann = await createUser(email, true)
    const first = await buys({ email: email.toUpperCase() })
    const second = await buys({ email, externalId: 'an id of another system' })
    expect((await held(ann)).map(([, id]) => id)).toEqual([first, second].sort())
  })

  test('a customer is not linked to a user whose email address is unverified or only looks alike', async () => {
    const email = newAddress()
    const ann = await createUser(email, false)
    await buys({ email })
    const look = await createUser(`k${email}`, true)
    // The Kelvin sign, which becomes a k in lower case.
    await buys({ email: `\u212a${email}` })
    expect([await held(ann), await held(look)]).toEqual([[], []])
  })
})

describe('a purchase before the account', () => {
  test('a purchase from before the account is linked when the user verifies the email address, and not earlier', async () => {
    const email = newAddress()
    const customerId = await buys({ email })
    const client: Client = await t.signedIn(email)
    const { user } = (await client.api.sessions.getSession()) ?? { user: { id: '' } }
    expect(await held(user.id)).toEqual([])
    await client.api.accounts.sendVerificationEmail({ body: { email } })
    const { link } = await t.mailTo(email)
    const token = new URL(link).searchParams.get('token')
    await client.request(`/verify-email?token=${token}`)
    expect(await held(user.id)).toEqual([['user', customerId, 'active']])
  })

  test('a purchase from before the account is linked at once to a user who is created with a verified email address', async () => {
    const email = newAddress()
    const customerId = await buys({ email })
    expect(await held(await createUser(email, true))).toEqual([['user', customerId, 'active']])
  })

  test('a purchase linked by external id is not linked to a user who verifies the email address', async () => {
    const [email, ann] = [newAddress(), await createUser(newAddress(), true)]
    const customerId = await buys({ email, externalId: ann })
    expect(await held(await createUser(email, true))).toEqual([])
    expect(await holderOf(customerId)).toBe(ann)
  })
})

test('a user who recovers an email address gets the purchases made with the address in the meantime', async () => {
  const [email, thiefs] = [newAddress(), newAddress()]
  const client = await t.signedIn(email)
  await verify(email)
  await client.post('/change-email', { newEmail: thiefs })
  await client.request((await t.mailTo(email, 'change-email')).link)
  const customerId = await buys({ email })
  expect(await holderOf(customerId)).toBeNull()
  const token = new URL((await t.mailTo(email, 'email-changed')).link).searchParams.get('token')
  expect((await t.client().post('/recover-address', { token, newPassword: 'another battery staple' })).status).toBe(200)
  const user = await t.app.users.findByEmail(t.app.core.db, email)
  expect(await holderOf(customerId)).toBe(user?.id)
})

describe('a linked customer', () => {
  test('a linked customer follows a changed external id, and follows the email address if the external id matches nobody', async () => {
    const [ann, acme] = [await createUser(newAddress(), true), await createOrganization()]
    const customerId = await buys({ externalId: ann, email: newAddress() })
    await sends('customer.updated', { customerId, externalId: acme, at: minute(2) })
    expect([await held(ann), await held(null, acme)]).toEqual([[], [['organization', customerId, 'active']]])
    await sends('customer.updated', { customerId, externalId: 'unknown', at: minute(3) })
    expect(await holderOf(customerId)).toBeNull()
    const email = newAddress()
    const bob = await createUser(email, true)
    await sends('customer.updated', { customerId, externalId: null, email, at: minute(4) })
    expect(await holderOf(customerId)).toBe(bob)
    // An older event changes nothing.
    await sends('customer.updated', { customerId, externalId: ann, at: minute(2) })
    expect(await holderOf(customerId)).toBe(bob)
  })

  test('a linked customer stays with a user who changes their email address, and the next user of the former address does not get the customer', async () => {
    const email = newAddress()
    const ann = await createUser(email, true)
    const customerId = await buys({ email })
    const user = await t.app.users.find(t.app.core.db, ann)
    if (user === undefined) throw new Error('no user')
    await t.app.core.transact((tx) => t.app.users.changeEmail(tx, systemPrincipal('test'), ann, user, newAddress()))
    const next = await createUser(email, true)
    await sends('customer.updated', { customerId, email, at: minute(2) })
    expect([await holderOf(customerId), await held(next)]).toEqual([ann, []])

    // After Ann is deleted, the customer is linked to the present user of the address.
    await t.app.core.transact(async (tx) => {
      await t.app.billing.links.release(tx, { id: ann })
      await t.app.users.remove(tx, { id: ann })
    })
    expect(await holderOf(customerId)).toBe(next)
  })

  test("a linked customer moves to the user who verifies the customer's new email address", async () => {
    const [before, after] = [newAddress(), newAddress()]
    const ann = await createUser(before, true)
    const customerId = await buys({ email: before })
    await sends('customer.updated', { customerId, email: after, at: minute(2) })
    expect(await held(ann)).toEqual([['user', customerId, 'active']])
    expect(await held(await createUser(after, true))).toEqual([['user', customerId, 'active']])
  })

  test("after the user of a linked customer deletes the account, the customer moves to the next user who verifies the customer's address", async () => {
    const email = newAddress()
    const client = await t.signedIn(email)
    await verify(email)
    const customerId = await buys({ email })
    expect(await holderOf(customerId)).not.toBeNull()
    await client.api.deletion.deleteUser({ body: { password } })
    expect(await holderOf(customerId)).toBeNull()
    expect(await held(await createUser(email, true))).toEqual([['user', customerId, 'active']])
  })
})

describe('a link by an operator', () => {
  const link = (customerId: string, userId: string) =>
    t.app.billing.links.link(principal, customerId, { userId, organizationId: null })

  test('a link by an operator overrides external id and email address until the linked user is deleted', async () => {
    const [ann, bob, email] = [await createUser(newAddress(), true), await createUser(newAddress(), true), newAddress()]
    const customerId = await buys({ externalId: bob, email })
    await link(customerId, ann)
    await sends('customer.updated', { customerId, externalId: null, email, at: minute(2) })
    await createUser(email, true)
    expect(await holderOf(customerId)).toBe(ann)
    await t.app.core.transact((tx) => t.app.users.remove(tx, { id: ann }))
    expect(await holderOf(customerId)).toBeNull()
  })

  test('a link by an operator is refused for an unknown customer, user or organization', async () => {
    const [ann, customerId] = [await createUser(newAddress(), true), await buys({ email: newAddress() })]
    await expect(link('unknown', ann)).rejects.toMatchObject({ code: 'CUSTOMER_NOT_FOUND' })
    await expect(link(customerId, 'unknown')).rejects.toMatchObject({ code: 'HOLDER_NOT_FOUND' })
    const asOrganization = { userId: null, organizationId: ann }
    await expect(t.app.billing.links.link(principal, customerId, asOrganization)).rejects.toMatchObject({
      code: 'HOLDER_NOT_FOUND',
    })
  })
})

test('a rebuild from nothing keeps links by email address and by operators, and restores links by external id', async () => {
  const email = newAddress()
  const ann = await createUser(email, true)
  const byAddress = await buys({ email })
  const user = await t.app.users.find(t.app.core.db, ann)
  if (user === undefined) throw new Error('no user')
  await t.app.core.transact((tx) => t.app.users.changeEmail(tx, systemPrincipal('test'), ann, user, newAddress()))
  const byWord = await buys({ email: newAddress() })
  await t.app.billing.links.link(principal, byWord, { userId: ann, organizationId: null })
  const byExternalId = await buys({ externalId: ann })
  // An older version names another user, who must not get the customer during the rebuild.
  await sends('customer.updated', { customerId: byAddress, email: newAddress(), at: minute(0) })
  await clearState(t)
  await table('billing_link').where({ customer_id: byExternalId }).delete()
  await t.app.billing.state.rebuild(principal, { dryRun: false })
  expect((await held(ann)).map(([, id]) => id)).toEqual([byAddress, byWord, byExternalId].sort())
})

describeOnBoth('concurrent links of customers', () => {
  const byOperator = { organizationId: null, linkedBy: 'operator', email: null, linkedAt: new Date() } as const
  const verifyIn = async (tx: Tx, email: string) => {
    const user = await t.app.users.findByEmail(tx, email)
    if (user !== undefined) await t.app.users.verifyEmail(tx, systemPrincipal('test'), user.id, user)
  }

  /** Applies an event in a transaction. */
  const applying = (event: unknown) => {
    const parsed = parseEvent(event)
    if (!parsed.ok) throw new Error(parsed.message)
    return async (tx: Tx) => t.app.billing.state.apply(tx, [{ event: parsed.event, delivery: await storeDelivery(tx) }])
  }

  testOnBoth('a customer who gives up an email address while a user verifies it is not linked to the user', async () => {
    const email = newAddress()
    await createUser(email, false)
    const customerId = await buys({ email })
    const event = eventOf('customer.updated', { customerId, email: newAddress(), at: minute(2) })
    await overlap([t, other], applying(event), () => verify(email, other))
    expect(await holderOf(customerId)).toBeNull()
  })

  testOnBoth(
    "a delivery and a simultaneous verification of the customer's address run one after the other and link the customer",
    async () => {
      const [ann, bob] = [newAddress(), newAddress()]
      const ids = [await createUser(ann, false), await createUser(bob, false)]
      const customers = [randomUUID(), randomUUID()] as const
      const purchase = (customerId: string, email: string) => sends('subscription.active', { customerId, email }, other)
      await overlap(
        [t, other],
        (tx) => verifyIn(tx, ann),
        () => purchase(customers[0], ann),
      )

      await overlap([t, other], applying(eventOf('subscription.active', { customerId: customers[1], email: bob })), () =>
        verify(bob, other),
      )
      expect(await Promise.all(customers.map(holderOf))).toEqual(ids)
    },
  )

  testOnBoth('a purchase is linked when its email address is verified at the same moment on another node', async () => {
    const rounds = Array.from({ length: 12 }, () => ({ email: newAddress(), customerId: randomUUID() }))
    for (const { email } of rounds) await createUser(email, false)
    await Promise.all(
      rounds.flatMap(({ email, customerId }, index) => [
        index % 2 === 0 ? verify(email, other) : sends('subscription.active', { customerId, email }, other),
        index % 2 === 0 ? sends('subscription.active', { customerId, email }) : verify(email),
      ]),
    )
    for (const { customerId } of rounds) expect(await holderOf(customerId)).not.toBeNull()
  })

  testOnBoth('a link by an operator stays when another user verifies the email address at the same time', async () => {
    const [email, bob] = [newAddress(), await createUser(newAddress(), true)]
    await createUser(email, false)
    const customerId = await buys({ email })
    await overlap(
      [t, other],
      (tx) => upsertLinks(tx, [{ ...byOperator, customerId, userId: bob }]),
      () => verify(email, other),
    )
    expect(await holderOf(customerId)).toBe(bob)
  })

  testOnBoth("an operator's link to another user stays when the former user is deleted at the same time", async () => {
    const [ann, bob] = [await createUser(newAddress(), true), await createUser(newAddress(), true)]
    const customerId = await buys({ externalId: ann, email: newAddress() })
    await overlap(
      [t, other],
      (tx) => upsertLinks(tx, [{ ...byOperator, customerId, userId: bob }]),
      () => deleteAccount(ann, other),
    )
    expect(await holderOf(customerId)).toBe(bob)
  })

  testOnBoth(
    'two users who verify addresses at once each get their own purchases, and one user gets both purchases of an address',
    async () => {
      const [ann, bob] = [newAddress(), newAddress()]
      const ids = [await createUser(ann, false), await createUser(bob, false)]
      const customers = await Promise.all([ann, ann, bob].map((email) => buys({ email })))
      await Promise.all([verify(ann), verify(bob, other), verify(ann, other)])
      expect(await Promise.all(customers.map(holderOf))).toEqual([ids[0], ids[0], ids[1]])
    },
  )

  testOnBoth('a purchase that arrives while its user is deleted stays unlinked', async () => {
    for (let round = 0; round < 6; round += 1) {
      const customerId = randomUUID()
      const ann = await createUser(newAddress(), true)
      await Promise.all([
        sends('subscription.active', { customerId, externalId: ann, email: newAddress() }, other),
        deleteAccount(ann),
      ])
      expect(await holderOf(customerId)).toBeNull()
      expect(await table('billing_subscription').where({ customer_id: customerId })).toHaveLength(1)
    }
  })
})

testOnBoth('the billing snapshots of a user and their organization are read with one query', async () => {
  const [ann, acme] = [await createUser(newAddress(), true), await createOrganization()]
  await join(acme, ann)
  await buys({ externalId: ann })
  await buys({ externalId: acme })
  await Promise.all([t.app.jobs.stop(), other.app.jobs.stop()])
  const statements = await statementsOf(t, async () => expect(await held(ann, acme)).toHaveLength(2))
  expect(statements).toHaveLength(1)
})
