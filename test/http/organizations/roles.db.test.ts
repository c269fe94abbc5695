import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { add, create, giveRoleFirst, joined, operator, owner, rolesIn, said, userOf } from './people.ts'

let t: TestApp
let custom: TestApp
beforeAll(async () => {
  t = await testApp()
  custom = await testApp({
    config: {
      organizations: {
        creatorRole: 'founder',
        roles: {
          founder: { organization: ['update', 'delete'], member: ['create', 'update', 'delete'], billing: ['read'] },
          keeper: { member: ['update', 'delete'] },
          treasurer: { billing: ['read'] },
          // A role with all permissions of founders, and more.
          deputy: {
            organization: ['update', 'delete'],
            member: ['create', 'update', 'delete'],
            invitation: ['create', 'cancel'],
            billing: ['read'],
          },
          payroll_admin: {},
          auditor: { grants: ['deputy'] },
          admin: { organization: ['update'], member: ['create', 'update'] },
        },
      },
    },
  })
})
afterAll(() => Promise.all([t.stop(), custom.stop()]))

const update = (client: Client, memberId: string, role: unknown, organizationId?: string) =>
  client.post('/organization/update-member-role', { memberId, role, organizationId })
const notAllowed = [403, 'You are not allowed to update this member']
const onlyOwner = [400, 'You cannot leave the organization as the only owner']

describe('update-member-role', () => {
  test('update-member-role takes one role, several separated by commas or a list, and stores each role once in the given order', async () => {
    const { client, organizationId } = await owner(t, 'ann@example.com', 'giving')
    const { id, client: bob } = await joined(t, organizationId, 'bob@example.com')
    for (const [role, stored] of [
      ['admin', 'admin'],
      ['member,admin', 'member,admin'],
      [['admin', 'member', 'admin'], 'admin,member'],
      [['member,owner'], 'member,owner'],
    ] as const) {
      const { status, json } = await update(client, id, role)
      expect([status, json]).toEqual([
        200,
        { id, organizationId, userId: (await userOf(bob)).id, role: stored, teamId: null, createdAt: expect.any(String) },
      ])
      expect(await rolesIn(t, organizationId)).toEqual(['owner', stored])
    }
    // The new role applies from the next request on, in every session.
    expect((await bob.post('/organization/update', { data: { name: 'Mine too' }, organizationId })).status).toBe(200)
  })

  test.each([['Owner'], ['member, admin'], ['member,,admin'], [','], ['constructor'], [['member', 'boss']]])(
    'an unknown role is refused in any spelling: %j',
    async (role) => {
      const name = crypto.randomUUID()
      const { client, organizationId } = await owner(t, `${name}@example.com`, name)
      const { id } = await joined(t, organizationId, `m-${name}@example.com`)
      expect(await said(update(client, id, role))).toEqual([400, 'Role not found'])
      expect(await rolesIn(t, organizationId)).toEqual(['owner', 'member'])
    },
  )

  test('update-member-role checks organization, membership, target member and permission in this order', async () => {
    const { client, organizationId } = await owner(t, 'rules@example.com', 'rules')
    const { client: member, id } = await joined(t, organizationId, 'plain@example.com')
    const { organizationId: foreign } = await owner(t, 'foreign@example.com', 'foreign')
    const { id: foreignMember } = await joined(t, foreign, 'foreign-member@example.com')
    const stranger = await t.signedIn('stranger@example.com')
    const notFound = [400, 'Member not found']
    expect(await said(update(t.client(), id, 'admin', organizationId))).toEqual([401, 'Unauthorized'])
    expect(await said(update(stranger, id, 'admin'))).toEqual([400, 'No active organization'])
    expect(await said(update(stranger, id, 'admin', organizationId))).toEqual(notFound)
    expect(await said(update(stranger, id, 'admin', 'nobody-knows'))).toEqual(notFound)
    for (const unknown of [foreignMember, 'nobody-knows']) expect(await said(update(client, unknown, 'admin'))).toEqual(notFound)
    expect(await said(update(member, id, 'owner', organizationId))).toEqual(notAllowed)
    expect(await said(update(member, id, 'nonsense', organizationId))).toEqual(notAllowed)
    expect(await rolesIn(t, foreign)).toEqual(['owner', 'member'])
  })

  test('only owners assign, change and remove the owner role, alone or among other roles', async () => {
    const { client, organizationId } = await owner(t, 'owner@example.com', 'owners')
    const { client: admin, id: adminId } = await joined(t, organizationId, 'admin@example.com', 'admin')
    const { id: memberId } = await joined(t, organizationId, 'member@example.com')
    const { id: secondId } = await joined(t, organizationId, 'second@example.com', 'member,owner')
    for (const [id, role] of [
      [memberId, 'owner'],
      [memberId, ['member', 'owner']],
      [adminId, 'admin,owner'],
      [secondId, 'member'],
      [secondId, 'owner'],
    ] as const)
      expect(await said(update(admin, id, role, organizationId)), JSON.stringify(role)).toEqual(notAllowed)
    expect((await update(admin, memberId, 'admin', organizationId)).status).toBe(200)
    expect((await update(client, secondId, 'member')).status).toBe(200)
    expect((await update(client, adminId, 'owner')).status).toBe(200)
  })

  test('the last owner cannot lose the owner role, but may get other roles', async () => {
    const { client, organizationId } = await owner(t, 'last@example.com', 'last')
    const [member] = (await client.api.organizations.getFullOrganization())?.members ?? []
    const id = member?.id ?? ''
    expect(await said(update(client, id, 'admin'))).toEqual(onlyOwner)
    expect((await update(client, id, 'admin,owner')).status).toBe(200)
    expect(await said(update(client, id, 'admin'))).toEqual(onlyOwner)
    await joined(t, organizationId, 'heir@example.com', 'owner')
    expect((await update(client, id, 'member')).status).toBe(200)
    expect(await rolesIn(t, organizationId)).toEqual(['member', 'owner'])
  })
})

describeOnBoth('concurrent requests', () => {
  testOnBoth('if two owners demote each other or themselves at the same moment, one stays owner', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { client: ann, organizationId } = await owner(t, `ann${round}@example.com`, `demote-${round}`)
      const { client: bob, id: bobs } = await joined(t, organizationId, `bob${round}@example.com`, 'owner')
      const anns = (await ann.api.members.getActiveMember()).id
      await Promise.all([
        update(ann, bobs, 'member', organizationId),
        update(bob, anns, 'member', organizationId),
        update(ann, anns, 'admin', organizationId),
        update(bob, bobs, 'admin', organizationId),
      ])
      expect((await rolesIn(t, organizationId)).filter((role) => role === 'owner').length).toBeGreaterThanOrEqual(1)
    }
  })

  testOnBoth('a role change does not restore a member who is removed at the same moment, and the last owner stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { client, organizationId } = await owner(t, `remover${round}@example.com`, `change-${round}`)
      const { id } = await joined(t, organizationId, `removed${round}@example.com`)
      const [changed, removed, left] = await Promise.all([
        said(update(client, id, 'owner', organizationId)),
        said(client.post('/organization/remove-member', { memberIdOrEmail: id, organizationId })),
        said(client.post('/organization/leave', { organizationId })),
      ])
      expect([200, 400]).toContain(changed[0])
      const roles = await rolesIn(t, organizationId)
      expect(roles, JSON.stringify([changed, removed, left])).toContain('owner')
      if (removed[0] === 200) expect(roles).toHaveLength(1)
    }
  })
})

describeOnBoth('deleting an account', () => {
  test('the only owner of an organization cannot delete their account until there is another owner', async () => {
    const { client, organizationId } = await owner(t, 'deleter@example.com', 'deleter')
    await giveRoleFirst(t, organizationId, 'admin')
    await joined(t, organizationId, 'not-owner@example.com', 'admin')
    expect(await said(client.post('/delete-user', { password }))).toEqual(onlyOwner)
    await joined(t, organizationId, 'other-owner@example.com', 'member,owner')
    expect((await client.post('/delete-user', { password })).status).toBe(200)
    expect(await rolesIn(t, organizationId)).toEqual(['admin', 'member,owner'])
  })

  testOnBoth('if two owners delete their accounts at the same moment, one stays', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { client: ann, organizationId } = await owner(t, `da${round}@example.com`, `da-${round}`)
      const bob = await t.signedIn(`db${round}@example.com`)
      await add(t, organizationId, bob, 'owner')
      const answers = await Promise.all([ann, bob].map((client) => said(client.post('/delete-user', { password }))))
      expect(answers.map(([status]) => status).sort()).toEqual([200, 400])
      expect(await rolesIn(t, organizationId)).toEqual(['owner'])
    }
  })
})

describe('configured roles', () => {
  test('the creator gets the configured creator role, and the last holder of the creator role stays', async () => {
    const { client, organizationId } = await owner(custom, 'founder@example.com', 'founded')
    expect(await rolesIn(custom, organizationId)).toEqual(['founder'])
    await joined(custom, organizationId, 'owner@example.com', 'owner')
    expect(await said(client.post('/organization/leave', { organizationId }))).toEqual(onlyOwner)
    expect(await said(client.post('/delete-user', { password }))).toEqual(onlyOwner)
    await joined(custom, organizationId, 'second@example.com', 'treasurer,founder')
    expect((await client.post('/organization/leave', { organizationId })).status).toBe(200)
  })

  test('configured roles have the configured permissions and replace built-in roles of the same name', async () => {
    const { organizationId } = await owner(custom, 'allowing@example.com', 'allowing')
    const may = async (role: string, permissions: object) => {
      const { client } = await joined(custom, organizationId, `${crypto.randomUUID()}@example.com`, role)
      return (await client.post('/organization/has-permission', { organizationId, permissions })).json['success']
    }
    expect(await may('keeper', { member: ['update', 'delete'] })).toBe(true)
    expect(await may('keeper', { member: ['create'] })).toBe(false)
    expect(await may('keeper,treasurer', { member: ['update'], billing: ['read'] })).toBe(true)
    expect(await may('admin', { member: ['delete'] })).toBe(false)
    expect(await may('member', { billing: ['read'] })).toBe(false)
  })

  test('a member cannot assign, change or remove roles with permissions beyond their own', async () => {
    const { organizationId } = await owner(custom, 'beyond@example.com', 'beyond')
    const { client: keeper } = await joined(custom, organizationId, 'keeper@example.com', 'keeper')
    const { id: memberId } = await joined(custom, organizationId, 'member@example.com')
    const { id: adminId } = await joined(custom, organizationId, 'admin@example.com', 'admin')
    const { id: founderId } = await joined(custom, organizationId, 'co-founder@example.com', 'founder')
    for (const [id, role] of [
      [memberId, 'admin'],
      [memberId, 'treasurer'],
      [memberId, 'founder'],
      [adminId, 'member'],
      [founderId, 'member'],
    ] as const)
      expect(await said(update(keeper, id, role, organizationId)), role).toEqual(notAllowed)
    const remove = (id: string) => said(keeper.post('/organization/remove-member', { memberIdOrEmail: id, organizationId }))
    expect(await remove(adminId)).toEqual([401, 'You are not allowed to delete this member'])
    expect(await remove(founderId)).toEqual(onlyOwner)
    expect((await update(keeper, memberId, 'keeper,member', organizationId)).status).toBe(200)
    expect((await remove(memberId))[0]).toBe(200)
  })

  test('only members with the creator role assign, change and remove it, even if another role has the same permissions', async () => {
    const { client: founder, organizationId } = await owner(custom, 'creator@example.com', 'creator')
    const { client: deputy } = await joined(custom, organizationId, 'deputy@example.com', 'deputy')
    const { id: coFounder } = await joined(custom, organizationId, 'co-creator@example.com', 'founder')
    const { id: memberId } = await joined(custom, organizationId, 'plain@example.com')
    for (const [id, role] of [
      [coFounder, 'member'],
      [coFounder, 'deputy,founder'],
      [memberId, 'founder'],
    ] as const)
      expect(await said(update(deputy, id, role, organizationId)), role).toEqual(notAllowed)
    expect(await said(deputy.post('/organization/remove-member', { memberIdOrEmail: coFounder, organizationId }))).toEqual(
      onlyOwner,
    )
    expect(await rolesIn(custom, organizationId)).toEqual(['founder', 'deputy', 'founder', 'member'])
    expect((await update(founder, coFounder, 'member', organizationId)).status).toBe(200)
  })

  test('only members with an application role, with the creator role or with a role that lists it in `grants` assign the application role', async () => {
    const { client: founder, organizationId } = await owner(custom, 'payroll@example.com', 'payroll')
    const { client: deputy, id: deputyId } = await joined(custom, organizationId, 'payroll-deputy@example.com', 'deputy')
    const { id: bobId } = await joined(custom, organizationId, 'payroll-bob@example.com')
    const { id: carlId, client: carl } = await joined(custom, organizationId, 'payroll-carl@example.com', 'payroll_admin,keeper')
    for (const [id, role] of [
      [deputyId, 'deputy,payroll_admin'],
      [bobId, 'payroll_admin'],
      [bobId, ['member', 'payroll_admin']],
    ] as const)
      expect(await said(update(deputy, id, role, organizationId)), JSON.stringify(role)).toEqual(notAllowed)
    const invitation = { email: 'payroll-eve@example.com', organizationId }
    for (const role of ['payroll_admin', 'member,payroll_admin'])
      expect(await said(deputy.post('/organization/invite-member', { ...invitation, role }))).toEqual([
        403,
        'you are not allowed to invite user with this role',
      ])
    expect((await update(deputy, bobId, 'member,auditor', organizationId)).status).toBe(200)
    expect((await update(carl, bobId, 'member,payroll_admin', organizationId)).status).toBe(200)
    // A member who may not assign the role may keep it on somebody, and remove it.
    expect((await update(deputy, bobId, 'auditor,payroll_admin', organizationId)).status).toBe(200)
    expect((await update(deputy, carlId, 'member', organizationId)).status).toBe(200)
    expect(await said(update(deputy, carlId, 'payroll_admin', organizationId))).toEqual(notAllowed)
    expect((await update(founder, carlId, 'payroll_admin', organizationId)).status).toBe(200)
  })

  test('an administrator gets no application role by accepting or resending an invitation of a member who may assign the role', async () => {
    const { organizationId } = await owner(custom, 'gives@example.com', 'gives')
    const { client: deputy } = await joined(custom, organizationId, 'lurks@example.com', 'deputy')
    const made = await custom.app.invitations.invite(operator, {
      email: 'paid@example.com',
      role: 'payroll_admin',
      organizationId,
    })
    const listed = (await deputy.request(`/organization/list-invitations?organizationId=${organizationId}`)).json
    expect(JSON.stringify(listed)).not.toContain(made.id)
    const again = { email: 'paid@example.com', role: 'member', resend: true, organizationId }
    expect(await said(deputy.post('/organization/invite-member', again))).toEqual([
      403,
      'you are not allowed to invite user with this role',
    ])
  })

  test('a member keeps a role that the configuration no longer contains, and the role gives no permission', async () => {
    const { client, organizationId } = await owner(t, 'relic-owner@example.com', 'relic')
    const { client: relic, id } = await joined(t, organizationId, 'relic@example.com')
    await t.app.core.db.knex('member').where({ id }).update({ role: 'treasurer' })
    const asked = { organizationId, permissions: { billing: ['read'] } }
    expect((await relic.post('/organization/has-permission', asked)).json['success']).toBe(false)
    expect((await client.request('/organization/list-members')).json['members']).toContainEqual(
      expect.objectContaining({ id, role: 'treasurer' }),
    )
    expect((await update(client, id, 'member')).status).toBe(200)
  })

  test('the membership with its teams, the list of memberships and the billing permission are each read with one query', async () => {
    const bob = await custom.signedIn('standing@example.com')
    const { id: userId } = await userOf(bob)
    const organizationId = await create(bob, 'standing')
    const [team] = await custom.app.core.db.knex('team').where({ organization_id: organizationId }).pluck('id')
    const { db } = custom.app.core
    const { memberships } = custom.app
    const standing = {
      id: organizationId,
      slug: 'standing',
      name: 'standing',
      logo: null,
      requiresSecondFactor: false,
      roles: ['founder'],
    }
    const [memberId] = await db.knex('member').where({ organization_id: organizationId }).pluck('id')
    for (const name of [organizationId, 'STANDING'])
      expect(await memberships.claimsOf(db, userId, name)).toEqual({ ...standing, memberId, teamIds: [team] })
    expect(await memberships.listOf(db, userId)).toEqual([standing])
    const { client } = await joined(custom, organizationId, 'unpaid@example.com', 'admin')
    const { id: admin } = await userOf(client)
    expect(await memberships.claimsOf(db, admin, organizationId)).toMatchObject({ roles: ['admin'], teamIds: [] })
    const { id: stranger } = await userOf(await custom.signedIn('no-standing@example.com'))
    for (const unknown of [organizationId, 'nobody-knows'])
      expect(await memberships.claimsOf(db, stranger, unknown)).toBeUndefined()
  })
})

test('a search for a role finds exactly the members who have it, after members were added, changed and removed', async () => {
  const { knex } = t.app.core.db
  const members: { organization_id: string; user_id: string; role: string }[] = await knex('member').select()
  const expected = members.flatMap((one) => one.role.split(',').map((role) => `${one.organization_id} ${one.user_id} ${role}`))
  const rows: { organization_id: string; user_id: string; role: string }[] = await knex('member_role').select()
  expect(rows.length).toBeGreaterThan(5)
  expect(rows.map((one) => `${one.organization_id} ${one.user_id} ${one.role}`).sort()).toEqual(expected.sort())
})
