import { afterAll, beforeAll, expect } from 'vitest'
import { up } from '../../../migrations/202612141000_ended_invitations.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { answer, invite, statusOf } from './inviting.ts'
import { joined, operator, owner, to, userOf } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      accounts: { deleteUserEnabled: true },
      organizations: { pendingInvitationLimit: 1, invitationTtlSeconds: 172_800 },
    },
  })
})
afterAll(() => t.stop())

interface Case {
  readonly owner: Client
  readonly inviter: Client
  readonly invited: Client
  readonly organizationId: string
  readonly memberId: string
  readonly invitationId: string
}

/** Events after which nobody is responsible any more for an invitation that one administrator of the organization sent to another. */
const endings: Readonly<Record<string, (about: Case) => Promise<unknown>>> = {
  'its inviter leaves': ({ inviter, organizationId }) => inviter.post('/organization/leave', { organizationId }),
  'its inviter is removed': (about) => about.owner.post('/organization/remove-member', { memberIdOrEmail: about.memberId }),
  'its inviter is removed by an operator': ({ organizationId, memberId }) =>
    t.app.members.removeMember(operator, organizationId, memberId),
  'its inviter may no longer give its role': ({ owner, memberId }) =>
    owner.post('/organization/update-member-role', { memberId, role: 'member' }),
  'an operator takes the role of its inviter': ({ organizationId, memberId }) =>
    t.app.members.changeRole(operator, { organizationId, memberId, role: 'member' }),
  'its inviter deletes their account': ({ inviter }) => inviter.post('/delete-user', { password }),
  'an operator deletes its inviter': async ({ inviter }) => {
    const { id } = await userOf(inviter)
    await t.app.core.transact(async (tx) => t.app.deletion.remove(tx, operator, await t.app.users.require(tx, id)))
  },
  'its inviter is banned for good': async ({ inviter }) => {
    const { id } = await userOf(inviter)
    await t.app.core.transact((tx) => t.app.users.ban(tx, operator, id, { reason: 'test', expiresAt: null }))
  },
  'a member cancels it': ({ owner, invitationId }) => answer(owner, 'cancel', invitationId),
  'its recipient rejects it': ({ invited, invitationId }) => answer(invited, 'reject', invitationId),
  'its time is over': async () => t.clock.advance({ hours: 49 }),
}

const statesOf = async (client: Client, organizationId: string) =>
  (
    (await client.request(to('list-invitations', { organizationId }))).json as unknown as { status: string; expiresAt: string }[]
  ).filter(({ status, expiresAt }) => status === 'pending' && new Date(expiresAt) > new Date())

describe('the end of a pending invitation', () => {
  let next = 0
  test.each(Object.entries(endings))('an invitation has ended in every list and call when %s', async (_, end) => {
    next += 1
    const domain = `ends${next}.example`
    const { client, organizationId } = await owner(t, `owner@${domain}`, `ends-${next}`)
    const { client: inviter, id: memberId } = await joined(t, organizationId, `admin@${domain}`, 'admin')
    const { id: invitationId } = await invite(inviter, `bob@${domain}`, { organizationId, role: 'admin' })
    const invited = await t.signedIn(`bob@${domain}`)
    await t.verify(`bob@${domain}`)
    const seats = async () =>
      (await t.app.memberships.seatsTaken(t.app.core.db, [organizationId], t.app.core.clock.now()))[0]?.invitations
    expect(await seats()).toBe(1)
    await end({ owner: client, inviter, invited, organizationId, memberId, invitationId })
    const ada = t.client()
    const reader = (await client.api.sessions.getSession()) === null ? ada : client
    if (reader === ada) await ada.post('/sign-in/email', { email: `owner@${domain}`, password })
    const bob = t.client()
    await bob.post('/sign-in/email', { email: `bob@${domain}`, password })

    expect((await answer(bob, 'accept', invitationId)).status).toBe(400)
    expect(await statesOf(reader, organizationId)).toEqual([])
    expect((await bob.request('/organization/list-user-invitations')).json).toEqual([])
    const { state } = (await bob.request(`/hosted/invitation?${new URLSearchParams({ id: invitationId })}`)).json
    expect(state).not.toBe('pending')
    expect(await seats()).toBe(0)
    for (const status of ['pending', undefined] as const) {
      const listed = await t.app.organizationAdministration.listInvitations(operator, organizationId, {
        ...{ status, sort: 'createdAt', order: 'desc', limit: 10 },
      })
      expect(listed.rows.filter((row) => row.status === 'pending')).toEqual([])
      expect(listed.rows.length).toBe(status === undefined ? 1 : 0)
    }
    // The organization's limit is one pending invitation, so both the limit and the address are free again.
    const { id: again } = await invite(reader, `bob@${domain}`, { organizationId, role: 'admin' })
    expect(again).not.toBe(invitationId)
    expect((await answer(bob, 'accept', again)).status).toBe(200)
  })
})

test('an invitation stays if its demoted inviter could still send it, and invitations of other members stay', async () => {
  const { client, organizationId } = await owner(t, 'owner@stays.example', 'stays')
  const { client: admin, id: memberId } = await joined(t, organizationId, 'admin@stays.example', 'admin')
  const { id } = await invite(admin, 'bob@stays.example', { organizationId })
  await client.post('/organization/update-member-role', { memberId, role: 'member' })
  expect(await statusOf(t, id)).toBe('pending')
  expect((await answer(await t.signedIn('bob@stays.example'), 'accept', id)).status).toBe(200)

  const { id: own } = await invite(client, 'cleo@stays.example', { organizationId })
  await client.post('/organization/remove-member', { memberIdOrEmail: memberId })
  expect(await statusOf(t, own)).toBe('pending')
})

test('an inviter who leaves an organization ends their invitations to that organization and to no other', async () => {
  const one = await owner(t, 'owner@one.example', 'one-of-two')
  const two = await owner(t, 'owner@two.example', 'two-of-two')
  const { client: admin } = await joined(t, one.organizationId, 'admin@both.example', 'admin')
  await t.app.members.add(operator, {
    organization: two.organizationId,
    user: 'admin@both.example',
    role: 'admin',
    allowsUnverified: true,
  })
  const { id: here } = await invite(admin, 'bob@both.example', { organizationId: one.organizationId })
  const { id: there } = await invite(admin, 'bob@both.example', { organizationId: two.organizationId })
  await admin.post('/organization/leave', { organizationId: one.organizationId })
  expect([await statusOf(t, here), await statusOf(t, there)]).toEqual(['canceled', 'pending'])
})

test('the event about the end of an invitation names the person who caused the end', async () => {
  const { client, organizationId } = await owner(t, 'owner@told.example', 'told')
  const { client: admin, id: memberId } = await joined(t, organizationId, 'admin@told.example', 'admin')
  await invite(admin, 'bob@told.example', { organizationId })
  await client.post('/organization/remove-member', { memberIdOrEmail: memberId })
  const events = await t.app.core.db
    .knex('event')
    .where({ type: 'invitation.canceled', organization_id: organizationId })
    .select('actor_id')
  expect(events).toEqual([{ actor_id: (await userOf(client)).id }])
})

testOnBoth('the migration ends pending invitations without an inviter, and changes no other invitation', async () => {
  const { organizationId } = await owner(t, 'owner@before.example', 'before')
  const { client: admin } = await joined(t, organizationId, 'admin@before.example', 'admin')
  const { id: dead } = await invite(admin, 'bob@before.example', { organizationId })
  const { knex } = t.app.core.db
  await admin.post('/organization/leave', { organizationId })
  const { id: renewed } = await t.app.invitations.invite(operator, {
    ...{ organizationId: 'before', email: 'cleo@before.example', role: 'member' },
  })
  await knex('invitation').where({ id: dead }).update({ status: 'pending' })
  await up(knex)
  expect([await statusOf(t, dead), await statusOf(t, renewed)]).toEqual(['canceled', 'pending'])
})
