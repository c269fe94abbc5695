import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { activeOf, add, countStatements, giveRoleFirst, joined, operator, owner, rolesIn, said, to, userOf } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const notFound = [400, 'Member not found']
const noneActive = [400, 'No active organization']
const notAMember = [403, 'You are not a member of this organization']
const remove = (client: Client, memberIdOrEmail: string, organizationId?: string) =>
  client.post('/organization/remove-member', { memberIdOrEmail, organizationId })

describe('list-members', () => {
  let client: Client
  let organizationId: string
  const list = async (query: Record<string, string>) => {
    const { json } = await client.request(to('list-members', { organizationId, ...query }))
    return { total: json['total'], names: (json['members'] as { user: { name: string } }[]).map(({ user }) => user.name) }
  }

  beforeAll(async () => {
    ;({ client, organizationId } = await owner(t, 'zoe@example.com', 'listed'))
    for (const [email, role] of [
      ['bob@example.com', 'member,admin'],
      ['ada_1@work.example', 'admin'],
      ['cid@example.com', 'member'],
    ] as const)
      await joined(t, organizationId, email, role)
    // Members of another organization are never listed.
    await owner(t, 'alien@example.com', 'alien')
  })

  test('list-members returns the oldest members first, in pages, with the total', async () => {
    expect(await list({})).toEqual({ total: 4, names: ['zoe', 'bob', 'ada_1', 'cid'] })
    expect(await list({ limit: '2', offset: '1' })).toEqual({ total: 4, names: ['bob', 'ada_1'] })
    expect(await list({ limit: '2', offset: '2' })).toEqual({ total: 4, names: ['ada_1', 'cid'] })
    expect(await list({ limit: '4', offset: '4' })).toEqual({ total: 4, names: [] })
    expect(await list({ offset: '9' })).toEqual({ total: 4, names: [] })
    const { status, json } = await client.request(to('list-members', { limit: '1001' }))
    expect([status, json['code'], json['message']]).toEqual([400, 'VALIDATION_ERROR', 'Invalid query parameters'])
  })

  test.each([
    [{ sortBy: 'name' }, ['ada_1', 'bob', 'cid', 'zoe']],
    [{ sortBy: 'email', sortDirection: 'desc' }, ['zoe', 'cid', 'bob', 'ada_1']],
    [{ sortBy: 'role' }, ['ada_1', 'cid', 'bob', 'zoe']],
    [{ sortBy: 'createdAt', sortDirection: 'desc' }, ['cid', 'ada_1', 'bob', 'zoe']],
  ])('list-members sorts by %j', async (query, names) => {
    expect(await list(query)).toEqual({ total: 4, names })
  })

  test('list-members searches for a part of the name or email address without wildcards', async () => {
    expect(await list({ search: 'WORK.' })).toEqual({ total: 1, names: ['ada_1'] })
    expect(await list({ search: 'a_' })).toEqual({ total: 1, names: ['ada_1'] })
    expect(await list({ search: '%' })).toEqual({ total: 0, names: [] })
    expect(await list({ search: '@example', limit: '1' })).toEqual({ total: 3, names: ['zoe'] })
  })

  test('list-members finds letters that the database cannot lower-case, as typed and with a capital initial', async () => {
    const { client: browser, organizationId } = await owner(t, 'letters@example.com', 'letters')
    await add(t, organizationId, await t.signedIn('olga@example.com', 'Ольга Ёлкина'))
    const found = async (search: string) => (await browser.request(to('list-members', { organizationId, search }))).json['total']
    for (const search of ['Ольга', 'ольга ёлк', 'Ёлкина', 'льга', 'OLGA@']) expect(await found(search), search).toBe(1)
    for (const search of ['Игорь', '%']) expect(await found(search), search).toBe(0)
  })

  test('list-members filters by one of several roles, by user and by team', async () => {
    expect(await list({ filterField: 'role', filterValue: 'admin' })).toEqual({ total: 2, names: ['bob', 'ada_1'] })
    for (const filterValue of ['min', '%', '_dmin'])
      expect(await list({ filterField: 'role', filterValue })).toEqual({ total: 0, names: [] })
    const { id } = await userOf(client)
    expect(await list({ filterField: 'userId', filterOperator: 'eq', filterValue: id })).toEqual({ total: 1, names: ['zoe'] })
    const [member] = (await client.api.organizations.getFullOrganization())?.members ?? []
    expect(await list({ filterField: 'teamId', filterValue: member?.teamId ?? '' })).toEqual({ total: 1, names: ['zoe'] })
  })

  test('list-members is only for members, and a non-member gets the same error as for an unknown organization', async () => {
    const member = t.client()
    await member.post('/sign-in/email', { email: 'cid@example.com', password: 'correct horse battery' })
    expect(await said(member.request('/organization/list-members'))).toEqual(noneActive)
    expect((await member.request(to('list-members', { organizationSlug: 'Listed' }))).json['total']).toBe(4)
    const { client: stranger } = await owner(t, 'curious@example.com', 'curious')
    for (const query of [{ organizationId }, { organizationId: 'nobody-knows' }, { organizationSlug: 'listed' }] as Record<
      string,
      string
    >[])
      expect(await said(stranger.request(to('list-members', query)))).toEqual(notAMember)
    expect(await said(t.client().request(to('list-members', { organizationId })))).toEqual([401, 'Unauthorized'])
  })

  test('list-members takes three queries however many members there are, and one query more when further pages follow', async () => {
    await t.app.jobs.stop()
    expect(await countStatements(t, () => list({ search: 'e', sortBy: 'name' }))).toEqual(Array(3).fill('select'))
    expect(await countStatements(t, () => list({ limit: '4' }))).toEqual(Array(3).fill('select'))
    expect(await countStatements(t, () => list({ limit: '3' }))).toEqual(Array(4).fill('select'))
  })
})

describeOnBoth('remove-member', () => {
  test('remove-member takes a member id or an email address in upper or lower case and returns the removed member', async () => {
    const { client, organizationId } = await owner(t, 'ann@example.com', 'removing')
    for (const by of ['id', 'address'] as const) {
      const { client: bob, id } = await joined(t, organizationId, `by-${by}@example.com`)
      const { status, json } = await remove(client, by === 'id' ? id : 'By-Address@Example.com')
      expect([status, json]).toEqual([
        200,
        {
          member: expect.objectContaining({
            id,
            role: 'member',
            user: expect.objectContaining({ email: `by-${by}@example.com` }),
          }),
        },
      ])
      expect(await bob.api.organizations.listOrganizations()).toEqual([])
    }
    expect(await rolesIn(t, organizationId)).toEqual(['owner'])
  })

  test('remove-member checks organization, membership, target member and permission in this order', async () => {
    const { client, organizationId } = await owner(t, 'rules@example.com', 'rules')
    const { client: member, id } = await joined(t, organizationId, 'plain@example.com')
    const { id: target } = await joined(t, organizationId, 'target@example.com')
    const { organizationId: foreign } = await owner(t, 'foreign@example.com', 'foreign')
    const { id: foreignMember } = await joined(t, foreign, 'foreign-member@example.com')
    const stranger = await t.signedIn('nobody@example.com')
    expect(await said(remove(t.client(), target, organizationId))).toEqual([401, 'Unauthorized'])
    expect(await said(remove(stranger, target))).toEqual(noneActive)
    expect(await said(remove(stranger, target, organizationId))).toEqual(notFound)
    expect(await said(remove(stranger, target, 'nobody-knows'))).toEqual(notFound)
    for (const unknown of ['nobody-knows', foreignMember, 'foreign-member@example.com', 'not@an@address'])
      expect(await said(remove(client, unknown, organizationId)), unknown).toEqual(notFound)
    expect(await said(remove(member, 'nobody-knows', organizationId))).toEqual(notFound)
    const refused = [401, 'You are not allowed to delete this member']
    expect(await said(remove(member, target, organizationId))).toEqual(refused)
    // Not even themselves by this call: there is another one for leaving.
    expect(await said(remove(member, id, organizationId))).toEqual(refused)
    expect(await rolesIn(t, foreign)).toHaveLength(2)
  })

  test('only owners can remove an owner, even an owner with other roles, and nobody can remove the last owner', async () => {
    const { client, organizationId } = await owner(t, 'last@example.com', 'last')
    const { client: admin } = await joined(t, organizationId, 'admin@example.com', 'admin')
    const { client: member } = await joined(t, organizationId, 'member@example.com')
    const { client: both, id } = await joined(t, organizationId, 'both@example.com', 'admin,owner')
    const refused = [400, 'You cannot leave the organization as the only owner']
    for (const who of [admin, member]) expect(await said(remove(who, id, organizationId))).toEqual(refused)
    // A member with the roles "admin,owner" is an owner.
    expect((await remove(both, 'last@example.com', organizationId)).status).toBe(200)
    expect(await said(remove(both, 'both@example.com', organizationId))).toEqual(refused)
    expect(await rolesIn(t, organizationId)).toEqual(['admin', 'member', 'admin,owner'])
    expect(await activeOf(client)).toBeNull()
  })

  test('a removed member loses access with the next request and is removed from all teams', async () => {
    const { client, organizationId } = await owner(t, 'gone@example.com', 'gone')
    const { client: bob, id } = await joined(t, organizationId, 'goner@example.com', 'admin')
    await bob.api.organizations.setActiveOrganization({ body: { organizationId } })
    const [team] = await t.app.core.db.knex('team').where({ organization_id: organizationId }).pluck('id')
    const { id: userId } = await userOf(bob)
    const row = { id: 'tm', organization_id: organizationId, team_id: team, user_id: userId, created_at: new Date() }
    await t.app.core.db.knex('team_member').insert(row)
    expect((await bob.request('/organization/get-active-member')).json).toMatchObject({ id, teamId: team })
    await remove(client, id)
    expect(await t.app.core.db.knex('team_member').where({ user_id: userId }).select('id')).toEqual([])
    expect(await said(bob.request('/organization/get-active-member'))).toEqual(noneActive)
    expect(await said(bob.request(to('get-active-member', { organizationId })))).toEqual(notFound)
    expect(await said(bob.request(to('list-members', { organizationId })))).toEqual(notAMember)
    expect((await bob.post('/organization/update', { data: { name: 'x' }, organizationId })).status).toBe(400)
  })

  testOnBoth('of several concurrent removals of one member one succeeds', async () => {
    const { client, organizationId } = await owner(t, 'once@example.com', 'once')
    const { id } = await joined(t, organizationId, 'victim@example.com')
    const answers = await Promise.all([1, 2, 3, 4].map(() => said(remove(client, id))))
    expect(answers.map(([status]) => status).sort()).toEqual([200, 400, 400, 400])
  })
})

describeOnBoth('leaving an organization', () => {
  test('leaving an organization returns the former member, and is an error for a non-member', async () => {
    const { organizationId } = await owner(t, 'stays@example.com', 'leaving')
    const { client, id } = await joined(t, organizationId, 'leaves@example.com')
    const leave = (who: Client, of: string) => who.post('/organization/leave', { organizationId: of })
    expect((await leave(client, organizationId)).json).toMatchObject({ id, user: { email: 'leaves@example.com' } })
    for (const unknown of [organizationId, 'nobody-knows']) expect(await said(leave(client, unknown))).toEqual(notFound)
    expect(await said(leave(t.client(), organizationId))).toEqual([401, 'Unauthorized'])
  })

  test('the only owner cannot leave the organization, even with other roles', async () => {
    const { client, organizationId } = await owner(t, 'only@example.com', 'only')
    await joined(t, organizationId, 'almost@example.com', 'admin,member')
    const refused = [400, 'You cannot leave the organization as the only owner']
    expect(await said(client.post('/organization/leave', { organizationId }))).toEqual(refused)
    await giveRoleFirst(t, organizationId, 'member')
    expect(await said(client.post('/organization/leave', { organizationId }))).toEqual(refused)
  })

  testOnBoth('if both owners leave or are removed at the same moment, one owner stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { client: ann, organizationId } = await owner(t, `one${round}@example.com`, `race-${round}`)
      const { client: bob, id } = await joined(t, organizationId, `two${round}@example.com`, 'owner,admin')
      const answers = await Promise.all([
        ann.post('/organization/leave', { organizationId }),
        bob.post('/organization/leave', { organizationId }),
        remove(ann, id, organizationId),
        bob.post('/delete-user', {}),
      ])
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
      const roles = await rolesIn(t, organizationId)
      expect(roles).toHaveLength(1)
      expect(roles[0]).toContain('owner')
    }
  })
})

describe("one's own membership", () => {
  test('get-active-member requires an active organization or a named organization', async () => {
    const { client, organizationId } = await owner(t, 'me@example.com', 'mine')
    const user = await userOf(client)
    expect((await client.request('/organization/get-active-member')).json).toEqual({
      ...{ id: expect.any(String), organizationId, userId: user.id, role: 'owner', teamId: expect.any(String) },
      createdAt: expect.stringMatching(/Z$/),
      user: { id: user.id, name: 'me', email: 'me@example.com', image: null },
    })
    const stranger = await t.signedIn('stranger@example.com')
    expect(await said(stranger.request('/organization/get-active-member'))).toEqual(noneActive)
    expect(await said(stranger.request(to('get-active-member', { organizationId })))).toEqual(notFound)
    expect(await said(t.client().request('/organization/get-active-member'))).toEqual([401, 'Unauthorized'])
  })

  test("get-active-member-role returns one's own roles and, to members, the roles of another member", async () => {
    const { client, organizationId } = await owner(t, 'roles@example.com', 'roles')
    const { client: bob } = await joined(t, organizationId, 'fellow@example.com', 'member,admin')
    const { id: userId } = await userOf(bob)
    const role = (who: Client, query: Record<string, string>) => who.request(to('get-active-member-role', query))
    expect((await role(client, {})).json).toEqual({ role: 'owner' })
    expect((await role(client, { userId })).json).toEqual({ role: 'member,admin' })
    expect((await role(bob, { organizationSlug: 'roles' })).json).toEqual({ role: 'member,admin' })
    expect(await said(role(bob, {}))).toEqual(noneActive)
    const stranger = await t.signedIn('role-reader@example.com')
    expect(await said(role(stranger, { organizationId, userId }))).toEqual(notAMember)
    expect(await said(role(stranger, { organizationId: 'nobody-knows' }))).toEqual(notAMember)
    expect(await said(role(client, { userId: (await userOf(stranger)).id }))).toEqual(notFound)
  })

  test('has-permission checks all requested permissions in either parameter spelling, and answers no for unknown permissions', async () => {
    const { client, organizationId } = await owner(t, 'may@example.com', 'may')
    const { client: admin } = await joined(t, organizationId, 'may-admin@example.com', 'member,admin')
    const { client: member } = await joined(t, organizationId, 'may-not@example.com')
    const may = async (who: Client, body: object) =>
      (await who.post('/organization/has-permission', { organizationId, ...body })).json
    const yes = { error: null, success: true }
    const no = { error: null, success: false }
    const deletion = { organization: ['update', 'delete'] }
    expect(await may(client, { permissions: deletion })).toEqual(yes)
    expect(await may(client, { permission: deletion })).toEqual(yes)
    expect(await may(admin, { permissions: { organization: ['update'], member: ['create', 'update', 'delete'] } })).toEqual(yes)
    expect(await may(admin, { permissions: deletion })).toEqual(no)
    expect(await may(member, { permissions: { team: ['create'] } })).toEqual(no)
    for (const unknown of [{ spaceship: ['fly'] }, { organization: ['explode'] }, { toString: ['call'] }])
      expect(await may(client, { permissions: unknown })).toEqual(no)
    // A caller that asks for no permission, perhaps by mistake, does not get yes as an answer.
    expect(await may(client, { permissions: {} })).toEqual(no)
    expect(await may(client, {})).toMatchObject({ code: 'VALIDATION_ERROR' })
    const stranger = await t.signedIn('may-stranger@example.com')
    const asked = { permissions: deletion }
    expect(await said(stranger.post('/organization/has-permission', asked))).toEqual(noneActive)
    for (const unknown of [organizationId, 'nobody-knows'])
      expect(await said(stranger.post('/organization/has-permission', { ...asked, organizationId: unknown }))).toEqual([
        400,
        'User is not a member of the organization',
      ])
  })
})

describe('adding members by command', () => {
  test('an operator adds a member with any roles, by id or slug of the organization and email address', async () => {
    const { organizationId } = await owner(t, 'host@example.com', 'adding')
    const bob = await t.signedIn('added@example.com')
    const added = await t.app.members.add(operator, {
      organization: 'ADDING',
      user: 'Added@Example.com',
      role: 'member,owner',
      allowsUnverified: true,
    })
    expect(added).toMatchObject({ organizationId, role: 'member,owner', userId: (await userOf(bob)).id })
    await expect(add(t, organizationId, bob)).rejects.toMatchObject({ code: 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION' })
    for (const [change, code] of [
      [{ organization: 'nobody-knows' }, 'ORGANIZATION_NOT_FOUND'],
      [{ user: 'nobody@nowhere.example' }, 'USER_NOT_FOUND'],
      [{ role: 'Owner' }, 'ROLE_NOT_FOUND'],
      [{ role: 'member, admin' }, 'ROLE_NOT_FOUND'],
    ] as const) {
      const input = { organization: organizationId, user: 'zoe@example.com', role: 'member', allowsUnverified: true, ...change }
      await expect(t.app.members.add(operator, input)).rejects.toMatchObject({ code })
    }
  })
})
