/** Stories of buyers and an attacker across accounts, organizations and billing. A rebuild after each of them changes no link. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { lockRow, type Tx } from '../../../src/core/db/database.ts'
import type { User } from '../../../src/identity/users/index.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { clearState } from '../../support/billing-state.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
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

const principal = systemPrincipal('test')
const rebuild = (dryRun: boolean) => t.app.billing.state.rebuild(principal, { dryRun })
afterEach(async () => expect(await rebuild(true)).toMatchObject({ links: 0, snapshots: 0 }))

const newAddress = () => `${randomUUID()}@example.com`
const createUser = (email: string): Promise<User> =>
  t.app.core.transact((tx) => t.app.users.create(tx, systemPrincipal('test'), { name: 'Ann', email, emailVerified: true }))
/** Changes the address of the user, who verifies the new one. */
const moves = async ({ id }: Pick<User, 'id'>, email: string, node = t) => {
  const { users, core } = node.app
  await core.transact(async (tx) => {
    const user = await users.require(tx, id)
    expect(await users.changeEmail(tx, systemPrincipal('test'), id, user, email)).toBe('changed')
    expect(await users.verifyEmail(tx, systemPrincipal('test'), id, await users.require(tx, id))).toBe(true)
  })
}
const remove = async (tx: Tx, { id }: Pick<User, 'id'>) => {
  await lockRow(tx, 'user', id)
  await t.app.billing.links.release(tx, { id })
  await t.app.users.remove(tx, { id })
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
  test('a purchase stays with its buyer when account and customer change to a new address, the account leaves it, and another user verifies it', async () => {
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

  test("a purchase stays with its buyer when first the customer's and later the account's email address changes", async () => {
    const [a, b] = [newAddress(), newAddress()]
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await changes(customerId, { email: b })
    await moves(ann, b)
    await moves(ann, newAddress())
    await createUser(b)
    await clearState(t)
    await rebuild(false)
    expect(await ownerOf(customerId)).toBe(ann.id)
  })

  test("a purchase stays with its buyer until another user verifies the customer's new address", async () => {
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

  test("a purchase stays with its buyer when the customer's email address changes and changes back", async () => {
    const a = newAddress()
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await changes(customerId, { email: newAddress() })
    await moves(ann, newAddress())
    await createUser(a)
    await changes(customerId, { email: a })
    expect(await ownerOf(customerId)).toBe(ann.id)
  })

  test("a purchase stays with its buyer when a thief changes the account's address and later signs up with the former address", async () => {
    const [a, stolen] = [newAddress(), newAddress()]
    const ann = await createUser(a)
    const customerId = await buys({ email: a })
    await moves(ann, stolen)
    await moves(ann, a)
    await createUser(stolen)
    expect(await ownerOf(customerId)).toBe(ann.id)
  })
})

test("a user who signs up with another person's address loses the account to that person and never sees the purchase", async () => {
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

describeOnBoth('a purchase of a deleted user', () => {
  test("a deleted user's purchase stays unlinked if the customer's address has changed, even after another user verifies the old address", async () => {
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

  test('a purchase linked by an operator to a deleted user is linked again by its external id, even if another user has its email address', async () => {
    const [ann, bob, email] = [await createUser(newAddress()), await createUser(newAddress()), newAddress()]
    await createUser(email)
    const customerId = await buys({ externalId: bob.id, email })
    await t.app.billing.links.link(principal, customerId, { userId: ann.id, organizationId: null })
    expect(await ownerOf(customerId)).toBe(ann.id)
    await removes(ann)
    expect(await ownerOf(customerId)).toBe(bob.id)
  })

  testOnBoth("a deleted user's purchase is linked to a user who verifies its email address at the same time", async () => {
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

describeOnBoth('the customers of a deleted organization', () => {
  const organizationOf = (ownerId: string) =>
    t.app.organizations.createFor(principal, { name: 'Acme', slug: `acme-${randomUUID()}` }, ownerId, true)

  test('the customers of a deleted organization are linked to the user who has verified their address, whether a member or an operator deletes it', async () => {
    const email = newAddress()
    const [ann, owner] = [await createUser(email), await t.signedIn(newAddress())]
    const deletions = [
      (organizationId: string) => t.app.organizations.removeById(principal, organizationId),
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

  test('the customers of a deleted organization are unlinked until a user verifies their email address', async () => {
    const email = newAddress()
    const { id } = await organizationOf((await createUser(newAddress())).id)
    const customerId = await buys({ externalId: id, email })
    await t.app.organizations.removeById(principal, id)
    expect(await ownerOf(customerId)).toBeNull()
    const ann = await createUser(email)
    expect(await ownerOf(customerId)).toBe(ann.id)
  })

  testOnBoth('a customer linked to an organization during its deletion is unlinked as well', async () => {
    const email = newAddress()
    const ann = await createUser(email)
    const { id } = await organizationOf(ann.id)
    const customerId = randomUUID()
    await Promise.all([
      tell(other, 'subscription.active', { customerId, externalId: id, email, at: at() }),
      t.app.organizations.removeById(principal, id),
    ])
    expect(await ownerOf(customerId)).toBe(ann.id)
  })
})

test('a check of the billing state counts links that a rebuild would change, and changes no link', async () => {
  const [ann, bob, email] = [await createUser(newAddress()), await createUser(newAddress()), newAddress()]
  const customerId = await buys({ externalId: ann.id, email })
  const link = () => t.app.core.db.knex('billing_link').where({ customer_id: customerId })
  await link().update({ user_id: bob.id })
  expect(await rebuild(true)).toMatchObject({ corrected: 0, links: 1 })
  expect(await ownerOf(customerId)).toBe(bob.id)
  expect(await rebuild(false)).toMatchObject({ links: 1 })
  expect(await ownerOf(customerId)).toBe(ann.id)

  // The rebuild follows the deliveries, not the changed row.
  await t.app.core.db.knex('billing_customer').where({ id: customerId }).update({ external_id: bob.id })
  expect(await rebuild(true)).toMatchObject({ corrected: 1, links: 0 })
  await link().delete()
  await t.app.core.db.knex('billing_customer').where({ id: customerId }).delete()
  expect(await rebuild(true)).toMatchObject({ restored: 1, links: 1 })
  await rebuild(false)
  expect(await ownerOf(customerId)).toBe(ann.id)
})
