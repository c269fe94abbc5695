/** The owner of an organization transfers it to another member. */
import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { joined, owner, rolesIn, said, userOf } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const transfer = (client: Client, memberId: string, organizationId: string) =>
  client.post('/organization/transfer-ownership', { memberId, organizationId })

/** An organization with an owner and two members. */
const three = async (slug: string) => {
  const { client: ann, organizationId } = await owner(t, `ann@${slug}.example`, slug)
  const bob = await joined(t, organizationId, `bob@${slug}.example`)
  const eve = await joined(t, organizationId, `eve@${slug}.example`)
  return { ann, bob, eve, organizationId }
}

test('the owner transfers the organization, becomes an admin, and both people are notified by mail', async () => {
  const { ann, bob, organizationId } = await three('handed')
  const { status, json } = await transfer(ann, bob.id, organizationId)
  expect([status, json['role']]).toEqual([200, 'owner'])
  expect(await rolesIn(t, organizationId)).toEqual(['admin', 'owner', 'member'])
  const received = await t.mailTo('bob@handed.example', 'ownership-received')
  expect(received.raw).toContain('handed')
  expect(received.link).toContain('/account/organizations/handed')
  expect((await t.mailTo('ann@handed.example', 'ownership-given')).raw).toContain('bob')
  const events = await t.app.core.db.knex('event').where({ type: 'member.role_changed', organization_id: organizationId })
  expect(events.length).toBe(2)
  // The former owner lacks the rights for a second transfer.
  expect(await said(transfer(ann, bob.id, organizationId))).toEqual([403, 'You are not allowed to update this member'])
})

test('the former owner keeps their other roles after a transfer', async () => {
  const { ann, bob, organizationId } = await three('kept')
  const me = (await userOf(ann)).id
  const { knex } = t.app.core.db
  await knex('member').where({ organization_id: organizationId, user_id: me }).update({ role: 'member,owner' })
  await knex('member_role').insert({ organization_id: organizationId, user_id: me, role: 'member' })
  expect((await transfer(ann, bob.id, organizationId)).status).toBe(200)
  expect(await rolesIn(t, organizationId)).toEqual(['member', 'owner', 'member'])
})

test('only an owner can transfer an organization, and only to another member', async () => {
  const { ann, bob, eve, organizationId } = await three('strict')
  expect((await transfer(bob.client, eve.id, organizationId)).status).toBe(403)
  expect((await transfer(ann, 'no-such-member', organizationId)).json['code']).toBe('MEMBER_NOT_FOUND')
  const own = await t.app.core.db.knex('member').where({ organization_id: organizationId, role: 'owner' }).first('id')
  expect((await transfer(ann, own.id, organizationId)).status).toBe(403)
  const other = await three('stranger')
  expect((await transfer(ann, other.bob.id, organizationId)).json['code']).toBe('MEMBER_NOT_FOUND')
  expect(await rolesIn(t, organizationId)).toEqual(['owner', 'member', 'member'])
})

test('an organization cannot be transferred to a banned member', async () => {
  const { ann, bob, organizationId } = await three('banned')
  await t.app.core.db
    .knex('user')
    .where({ email: 'bob@banned.example' })
    .update({ banned_at: new Date(0) })
  expect((await transfer(ann, bob.id, organizationId)).status).toBe(403)
  expect(await rolesIn(t, organizationId)).toEqual(['owner', 'member', 'member'])
})

testOnBoth('after simultaneous transfers to two members and a departure, one owner is left', async () => {
  for (const i of [0, 1, 2, 3]) {
    const { ann, bob, eve, organizationId } = await three(`race${i}`)
    await Promise.all([
      transfer(ann, bob.id, organizationId),
      transfer(ann, eve.id, organizationId),
      bob.client.post('/organization/leave', { organizationId }),
    ])
    const roles = await rolesIn(t, organizationId)
    expect(roles.filter((role) => role.split(',').includes('owner')).length, roles.join()).toBe(1)
  }
})

test('a session without a recent proof cannot transfer an organization', async () => {
  const { ann, bob, organizationId } = await three('stale')
  t.clock.advance({ days: 2 })
  const { status, json } = await transfer(ann, bob.id, organizationId)
  expect([status, json['code']]).toEqual([403, 'SESSION_IS_NOT_FRESH'])
  expect(await rolesIn(t, organizationId)).toEqual(['owner', 'member', 'member'])
})
