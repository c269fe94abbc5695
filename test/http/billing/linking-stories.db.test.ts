/** Stories with buyers and an attacker that cross accounts, organizations and billing. After each, a rebuild changes no link. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { systemCaller } from '../../../src/core/caller.ts'
import { lockRow, type Tx } from '../../../src/core/database.ts'
import type { User } from '../../../src/users/index.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { clearProjection } from '../../support/billing-state.ts'
import { overlap } from '../../support/overlap.ts'
import { idOf, selling, tell } from './purchases.ts'

let t: TestApp
let other: TestApp
beforeAll(async () => {
  const { config } = selling({ entitlements: [{ name: 'pro', product: 'prod_pro' }] })
  t = await testApp({ config: { ...config, accounts: { deleteUserVerification: false } } })
  other = await t.node()
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const caller = systemCaller('test')
const rebuild = (dryRun: boolean) => t.app.billing.projection.rebuild(caller, { dryRun })
afterEach(async () => expect(await rebuild(true)).toMatchObject({ links: 0, standings: 0 }))

const newAddress = () => `${randomUUID()}@example.com`
const createUser = (email: string): Promise<User> =>
  t.app.core.transact((tx) => t.app.users.create(tx, { name: 'Ann', email, emailVerified: true }))
/** Gives the user another address, which they prove. */
const moves = async ({ id }: Pick<User, 'id'>, email: string, node = t) => {
  const { users, core } = node.app
  await core.transact(async (tx) => {
    const user = await users.require(tx, id)
    expect(await users.changeEmail(tx, id, user, email)).toBe('changed')
    expect(await users.verifyEmail(tx, id, await users.require(tx, id))).toBe(true)
  })
}
const remove = async (tx: Tx, { id }: Pick<User, 'id'>) => {
  await lockRow(tx, 'user', id)
  await t.app.billing.linking.release(tx, { id })
  await t.app.users.remove(tx, { id, role: 'user' })
}
const removes = (user: Pick<User, 'id'>) => t.app.core.transact((tx) => remove(tx, user))

let minute = 0
const at = () => {
  minute += 1
  return new Date(Date.UTC(2026, 10, 21, 12, minute))
}
const buys = async (who: { readonly email?: string; readonly externalId?: string }): Promise<string> => {
  const customerId = randomUUID()
  await tell(t, 'subscription.active', { customerId, productId: 'prod_pro', email: newAddress(), at: at(), ...who })
  return customerId
}
const changes = (customerId: string, to: { readonly email?: string; readonly externalId?: string | null }) =>
  tell(t, 'customer.updated', { customerId, at: at(), ...to })
const ownerOf = async (customerId: string): Promise<string | null> => {
  const link = await t.app.core.db.knex('billing_link').where({ customer_id: customerId }).first()
  return link?.user_id ?? link?.organization_id ?? null
}

describe('a purchase stays with its buyer', () => {
  test('when account and customer move on together, the account once more, and a stranger proves the address between', async () => {
    const [a, b] = [newAddress(), newAddress()]
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await moves(ann, b)
    await changes(customerId, { email: b })
    await moves(ann, newAddress())
    await createUser(b)
    await rebuild(false)
    expect(await ownerOf(customerId)).toBe(ann.id)
  })

  test('when the customer moves first and the account follows', async () => {
    const [a, b] = [newAddress(), newAddress()]
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await changes(customerId, { email: b })
    await moves(ann, b)
    await moves(ann, newAddress())
    await createUser(b)
    await clearProjection(t)
    await rebuild(false)
    expect(await ownerOf(customerId)).toBe(ann.id)
  })

  test('while nobody has proven the new address of the customer, and becomes theirs who proves it', async () => {
    const [a, b] = [newAddress(), newAddress()]
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await changes(customerId, { email: b })
    expect(await ownerOf(customerId)).toBe(ann.id)
    const unproven = await t.signedIn(b)
    expect((await unproven.api.billing.state()).entitlements).toEqual([])
    await rebuild(false)
    expect(await ownerOf(customerId)).toBe(ann.id)
    await unproven.api.accounts.sendVerificationEmail({ body: { email: b } })
    await unproven.request(`/verify-email?${new URL((await t.mailTo(b)).link).searchParams}`)
    expect(await ownerOf(customerId)).toBe(await idOf(unproven))
  })

  test('when the new address of the customer is taken back', async () => {
    const a = newAddress()
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await changes(customerId, { email: newAddress() })
    await moves(ann, newAddress())
    await createUser(a)
    await changes(customerId, { email: a })
    expect(await ownerOf(customerId)).toBe(ann.id)
  })

  test('when the upgrade finds a link that kept an older address than both have', async () => {
    const [a, b] = [newAddress(), newAddress()]
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await moves(ann, b)
    await changes(customerId, { email: b })
    const { knex } = t.app.core.db
    await knex('billing_link').where({ customer_id: customerId }).update({ email: a })
    await migrations['202611221320_billing_link_addresses']?.up(knex)
    await moves(ann, newAddress())
    await createUser(b)
    expect(await ownerOf(customerId)).toBe(ann.id)
  })

  test('when whoever stole the account moved it to an address of their own and opens an account with that later', async () => {
    const [a, stolen] = [newAddress(), newAddress()]
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await moves(ann, stolen)
    await moves(ann, a)
    await createUser(stolen)
    expect(await ownerOf(customerId)).toBe(ann.id)
  })
})

test('who signs up with an address of somebody else loses the account to its owner, and never sees their purchase', async () => {
  const email = newAddress()
  const squatter = await t.signedIn(email)
  const customerId = await buys({ email })
  expect((await squatter.api.billing.state()).entitlements).toEqual([])
  await squatter.api.passwords.requestPasswordReset({ body: { email } })
  const { link } = await t.mailTo(email, 'reset-password')
  const token = /reset-password\/([^?]+)/.exec(link)?.[1] ?? new URL(link).searchParams.get('token') ?? ''
  await t.client().api.passwords.resetPassword({ body: { newPassword: 'another long password', token } })
  expect((await squatter.request('/billing/state')).status).toBe(401)
  const owner = t.client()
  await owner.api.accounts.signInEmail({ body: { email, password: 'another long password' } })
  expect((await owner.api.billing.state()).entitlements).toMatchObject([{ name: 'pro' }])
  expect(await ownerOf(customerId)).toBe(await idOf(owner))
})

describe('a purchase of somebody who is deleted', () => {
  test('is nobody’s when the customer has moved on, also for who proves the old address', async () => {
    const [a, b] = [newAddress(), newAddress()]
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await changes(customerId, { email: b })
    await moves(ann, newAddress())
    await createUser(a)
    await removes(ann)
    expect(await ownerOf(customerId)).toBeNull()
    const bob = await createUser(b)
    expect(await ownerOf(customerId)).toBe(bob.id)
  })

  test('is the external id’s before the address’s, once the operator’s word ends with them', async () => {
    const [ann, bob, email] = [await createUser(newAddress()), await createUser(newAddress()), newAddress()]
    await createUser(email)
    const customerId = await buys({ externalId: bob.id, email })
    await t.app.billing.linking.link(caller, customerId, { userId: ann.id, organizationId: null })
    expect(await ownerOf(customerId)).toBe(ann.id)
    await removes(ann)
    expect(await ownerOf(customerId)).toBe(bob.id)
  })

  test('finds the user who proves its address at the same moment', async () => {
    const email = newAddress()
    const [ann, bob] = [await createUser(newAddress()), await createUser(newAddress())]
    const customerId = await buys({ externalId: ann.id, email })
    await overlap(
      [t, other],
      (tx) => remove(tx, ann),
      () => moves(bob, email, other),
    )
    expect(await ownerOf(customerId)).toBe(bob.id)
  })
})

describe('an organization that is deleted releases its customers', () => {
  const organizationOf = (ownerId: string) =>
    t.app.organizations.createFor(caller, { name: 'Acme', slug: `acme-${randomUUID()}` }, ownerId)

  test('to who has verified the address, whether a member or an operator deletes it', async () => {
    const email = newAddress()
    const [ann, owner] = [await createUser(email), await t.signedIn(newAddress())]
    const deletions = [
      (organizationId: string) => t.app.organizations.removeById(caller, organizationId),
      (organizationId: string) => owner.api.organizations.deleteOrganization({ body: { organizationId } }),
    ]
    for (const deletes of deletions) {
      const { id } = await organizationOf(await idOf(owner))
      const customerId = await buys({ externalId: id, email })
      expect(await ownerOf(customerId)).toBe(id)
      await deletes(id)
      expect(await ownerOf(customerId)).toBe(ann.id)
    }
  })

  test('and else they are nobody’s, until somebody verifies the address', async () => {
    const email = newAddress()
    const { id } = await organizationOf((await createUser(newAddress())).id)
    const customerId = await buys({ externalId: id, email })
    await t.app.organizations.removeById(caller, id)
    expect(await ownerOf(customerId)).toBeNull()
    const ann = await createUser(email)
    expect(await ownerOf(customerId)).toBe(ann.id)
  })

  test('also one that is bought for it at the same moment', async () => {
    const email = newAddress()
    const ann = await createUser(email)
    const { id } = await organizationOf(ann.id)
    const customerId = randomUUID()
    await Promise.all([
      tell(other, 'subscription.active', { customerId, externalId: id, email, at: at() }),
      t.app.organizations.removeById(caller, id),
    ])
    expect(await ownerOf(customerId)).toBe(ann.id)
  })
})

test('a check of the billing state names links that a rebuild would change, and changes none', async () => {
  const [ann, bob, email] = [await createUser(newAddress()), await createUser(newAddress()), newAddress()]
  const customerId = await buys({ externalId: ann.id, email })
  const link = () => t.app.core.db.knex('billing_link').where({ customer_id: customerId })
  await link().update({ user_id: bob.id })
  expect(await rebuild(true)).toMatchObject({ corrected: 0, links: 1 })
  expect(await ownerOf(customerId)).toBe(bob.id)
  expect(await rebuild(false)).toMatchObject({ links: 1 })
  expect(await ownerOf(customerId)).toBe(ann.id)

  // By what the customer is, not by what a row that was tampered with says.
  await t.app.core.db.knex('billing_customer').where({ id: customerId }).update({ external_id: bob.id })
  expect(await rebuild(true)).toMatchObject({ corrected: 1, links: 0 })
  await link().delete()
  await t.app.core.db.knex('billing_customer').where({ id: customerId }).delete()
  expect(await rebuild(true)).toMatchObject({ restored: 1, links: 1 })
  await rebuild(false)
  expect(await ownerOf(customerId)).toBe(ann.id)
})
