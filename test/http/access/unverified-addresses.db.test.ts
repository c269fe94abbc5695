/** Access given to people with an unverified address: no role of the instance, and membership only after a confirmation. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { operator, rolesIn } from '../organizations/people.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await signedInAs(t, 'admin')
})
afterAll(() => t.stop())

let next = 0
/** A person who has just signed up. */
const newcomer = async () => {
  next += 1
  const email = `newcomer${next}@example.com`
  await t.signedIn(email)
  const { id, createdAt } = await t.app.users.require(t.app.core.db, email)
  return { email, id, createdAt: createdAt.toISOString() }
}
const organization = async () => {
  next += 1
  return (await t.app.organizations.createFor(operator, { name: 'Acme', slug: `acme${next}` }, undefined)).id
}
const patch = (path: string, body: unknown) =>
  admin.request(path, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', origin: t.url },
  })
const refusal = ({ email, createdAt }: { email: string; createdAt: string }) => ({
  status: 400,
  json: {
    code: 'ADDRESS_IS_NOT_VERIFIED',
    message: `Address is not verified: ${email}, of an account created at ${createdAt}`,
  },
})

test('nobody can give a user with an unverified email address an instance role, and an existing role can be taken', async () => {
  const one = await newcomer()
  const body = { userId: one.id, role: 'support' }
  expect(await admin.post('/admin/set-role', body)).toMatchObject(refusal(one))
  await expect(t.app.administration.setRole(operator, one.id, 'support')).rejects.toMatchObject({
    code: 'ADDRESS_IS_NOT_VERIFIED',
  })
  expect((await admin.post('/admin/set-role', { ...body, unverified: true })).status).toBe(400)

  await t.app.core.transact((tx) => tx.knex('user').where({ id: one.id }).update({ role: 'support,auditor' }))
  expect(await admin.post('/admin/set-role', { userId: one.id, role: ['auditor', 'admin'] })).toMatchObject(refusal(one))
  // A role with fewer permissions needs no confirmation.
  await t.app.core.transact((tx) => tx.knex('user').where({ id: one.id }).update({ role: 'admin' }))
  for (const role of ['support', 'user']) expect((await admin.post('/admin/set-role', { userId: one.id, role })).status).toBe(200)

  await t.verify(one.email)
  expect((await admin.post('/admin/set-role', body)).status).toBe(200)
})

test('an operator must confirm a membership or a higher role for a user with an unverified email address', async () => {
  const [one, id] = [await newcomer(), await organization()]
  const path = `/admin/organizations/${id}/members`
  const body = { userId: one.id, role: 'member' }
  expect(await admin.post(path, body)).toMatchObject(refusal(one))
  expect(await rolesIn(t, id)).toEqual([])
  const added = await admin.post(path, { ...body, unverified: true })
  expect(added.status).toBe(200)
  const member = `${path}/${String(added.json['id'])}`
  expect(await patch(member, { role: 'owner' })).toMatchObject(refusal(one))
  expect((await patch(member, { role: ['member', 'owner'], unverified: true })).status).toBe(200)
  expect((await patch(member, { role: 'owner' })).status).toBe(200)
  await t.app.members.add(operator, { organization: id, user: 'admin@staff.example', role: 'owner', allowsUnverified: true })
  expect((await patch(member, { role: 'member' })).status).toBe(200)
  expect(await rolesIn(t, id)).toEqual(['member', 'owner'])
})

test('an operator must confirm an organization owner with an unverified email address', async () => {
  const one = await newcomer()
  const body = { name: 'Owned', slug: `owned${next}`, ownerId: one.id }
  expect(await admin.post('/admin/organizations', body)).toMatchObject(refusal(one))
  expect((await admin.post('/admin/organizations', { ...body, unverified: true })).status).toBe(200)
})
