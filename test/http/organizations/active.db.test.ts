import { afterAll, beforeAll, expect } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { activeOf, add, countStatements, create, joined, owner, said, to, userOf } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { sessions: { cookieCacheSeconds: 60 } } })
})
afterAll(() => t.stop())

const outsider = [403, 'User is not a member of the organization']
const setActive = (client: Client, body: object) => client.post('/organization/set-active', body)

describe('set-active', () => {
  test('set-active returns the organization by id or slug and null for null, and get-session contains the change at once', async () => {
    const { client, organizationId } = await owner(t, 'ann@example.com', 'acme')
    const other = await create(client, 'other')
    expect(await activeOf(client)).toBe(other)
    const { json } = await setActive(client, { organizationId })
    expect(json).toMatchObject({ id: organizationId, members: [{ role: 'owner' }], invitations: [], teams: [{ name: 'acme' }] })
    expect(await activeOf(client)).toBe(organizationId)
    expect((await setActive(client, { organizationSlug: 'OTHER' })).json).toMatchObject({ id: other })
    expect(await activeOf(client)).toBe(other)
    // Without a named organization the active one is used.
    expect((await setActive(client, {})).json).toMatchObject({ id: other })
    const none = await setActive(client, { organizationId: null })
    expect([none.status, none.text]).toEqual([200, 'null'])
    expect(await activeOf(client)).toBeNull()
    expect((await setActive(client, {})).text).toBe('null')
  })

  test('each session has its own active organization', async () => {
    const { client, organizationId } = await owner(t, 'two@example.com', 'two')
    const second = t.client()
    await second.post('/sign-in/email', { email: 'two@example.com', password })
    expect([await activeOf(client), await activeOf(second)]).toEqual([organizationId, null])
  })

  test('a second sign-in in the same browser keeps the active organization', async () => {
    const { client, organizationId } = await owner(t, 'again@example.com', 'again')
    await client.post('/sign-in/email', { email: 'again@example.com', password })
    expect(await activeOf(client)).toBe(organizationId)
    const { session } = (await client.api.sessions.getSession()) ?? {}
    expect(session?.activeTeamId).not.toBeNull()
    // Another person's session in the same browser has no active organization.
    await t.signedIn('someone@example.com')
    await client.post('/sign-in/email', { email: 'someone@example.com', password })
    expect(await activeOf(client)).toBeNull()
  })

  test('set-active is forbidden to a non-member, clears the active organization, and responds the same for an unknown organization', async () => {
    const { organizationId } = await owner(t, 'inside@example.com', 'inside')
    const { client: stranger } = await owner(t, 'outside@example.com', 'outside')
    for (const body of [{ organizationId }, { organizationSlug: 'inside' }, { organizationId: 'nobody-knows' }]) {
      await setActive(stranger, { organizationSlug: 'outside' })
      expect(await said(setActive(stranger, body))).toEqual(outsider)
      expect(await activeOf(stranger), JSON.stringify(body)).toBeNull()
    }
    expect(await said(setActive(t.client(), { organizationId }))).toEqual([401, 'Unauthorized'])
  })

  test('activating another organization clears the active team', async () => {
    const { client, organizationId } = await owner(t, 'teams@example.com', 'teams-1')
    await create(client, 'teams-2')
    await setActive(client, { organizationId })
    const { session } = (await client.api.sessions.getSession()) ?? {}
    expect([session?.activeOrganizationId, session?.activeTeamId]).toEqual([organizationId, null])
  })
})

describe('reading organizations', () => {
  test('get-full-organization returns the organization of an id or slug, otherwise the active organization, otherwise null', async () => {
    const { client, organizationId } = await owner(t, 'full@example.com', 'full')
    const { id } = await joined(t, organizationId, 'fellow@example.com', 'admin,member')
    for (const query of [{}, { organizationId }, { organizationSlug: 'Full' }] as Record<string, string>[]) {
      const { json } = await client.request(to('get-full-organization', query))
      expect(json).toMatchObject({ id: organizationId, slug: 'full', metadata: null, invitations: [] })
      expect(json['members']).toEqual([
        expect.objectContaining({ role: 'owner', user: expect.objectContaining({ email: 'full@example.com' }) }),
        {
          id,
          organizationId,
          userId: expect.any(String),
          role: 'admin,member',
          teamId: null,
          createdAt: expect.stringMatching(/Z$/),
          user: { id: expect.any(String), name: 'fellow', email: 'fellow@example.com', image: null },
        },
      ])
    }
    await setActive(client, { organizationId: null })
    for (const path of ['get-full-organization', 'get-organization'])
      expect((await client.request(`/organization/${path}`)).text).toBe('null')
  })

  test('get-full-organization for a non-member is forbidden and clears the active organization, and get-organization keeps it', async () => {
    const { organizationId } = await owner(t, 'private@example.com', 'private')
    const { client, organizationId: own } = await owner(t, 'reader@example.com', 'reader')
    for (const query of [{ organizationId }, { organizationSlug: 'private' }, { organizationId: 'nobody-knows' }] as Record<
      string,
      string
    >[]) {
      expect(await said(client.request(to('get-organization', query)))).toEqual(outsider)
      expect(await activeOf(client)).toBe(own)
    }
    expect(await said(client.request(to('get-full-organization', { organizationId })))).toEqual(outsider)
    expect(await activeOf(client)).toBeNull()
    for (const path of ['get-full-organization', 'get-organization', 'list'])
      expect(await said(t.client().request(`/organization/${path}`))).toEqual([401, 'Unauthorized'])
  })

  test('get-organization returns an organization without members', async () => {
    const { client, organizationId } = await owner(t, 'short@example.com', 'short')
    expect((await client.request(to('get-organization', { organizationSlug: 'short' }))).json).toEqual({
      ...{ id: organizationId, name: 'short', slug: 'short', logo: null, metadata: null },
      createdAt: expect.stringMatching(/Z$/),
      requiresSecondFactor: false,
    })
  })
})

describe('clearing the active organization', () => {
  test("leaving an organization clears it as active in all sessions of the leaving member, and in nobody else's sessions", async () => {
    // No race in the database: each request is about another session.
    const { client: ann, organizationId } = await owner(t, 'stays@example.com', 'leaving')
    const { client } = await joined(t, organizationId, 'leaves@example.com')
    const second = t.client()
    await second.post('/sign-in/email', { email: 'leaves@example.com', password })
    await Promise.all([client, second].map((one) => setActive(one, { organizationId })))
    await client.post('/organization/leave', { organizationId })
    expect([await activeOf(client), await activeOf(second), await activeOf(ann)]).toEqual([null, null, organizationId])
  })

  test('leaving one organization keeps another organization active', async () => {
    const { organizationId } = await owner(t, 'a@example.com', 'not-active')
    const { client, organizationId: own } = await owner(t, 'b@example.com', 'active')
    await add(t, organizationId, client)
    await client.post('/organization/leave', { organizationId })
    expect(await activeOf(client)).toBe(own)
  })

  test("removing a member clears the member's active organization, whoever removes the member", async () => {
    // No race in the database: each request is about another session.
    const { client: ann, organizationId } = await owner(t, 'removes@example.com', 'removing')
    const { client: bob, id } = await joined(t, organizationId, 'removed@example.com')
    const { client: eve } = await joined(t, organizationId, 'self@example.com', 'admin')
    await Promise.all([bob, eve].map((one) => setActive(one, { organizationId })))
    await ann.post('/organization/remove-member', { memberIdOrEmail: id })
    await eve.post('/organization/remove-member', { memberIdOrEmail: 'Self@Example.com' })
    expect([await activeOf(bob), await activeOf(eve), await activeOf(ann)]).toEqual([null, null, organizationId])
  })

  test('a role change keeps the active organization', async () => {
    const { client: ann, organizationId } = await owner(t, 'changes@example.com', 'changing')
    const { client, id } = await joined(t, organizationId, 'changed@example.com', 'admin')
    await setActive(client, { organizationId })
    await ann.post('/organization/update-member-role', { memberId: id, role: 'member' })
    expect(await activeOf(client)).toBe(organizationId)
  })
})

describeOnBoth('concurrent requests', () => {
  testOnBoth('an organization is not active for a member who is removed while activating it', async () => {
    const { client: ann, organizationId } = await owner(t, 'racer@example.com', 'racing')
    const bob = await t.signedIn('raced@example.com')
    for (let round = 0; round < 12; round += 1) {
      const id = await add(t, organizationId, bob)
      await Promise.all([
        ...[1, 2, 3].map(() => setActive(bob, { organizationId })),
        ann.post('/organization/remove-member', { memberIdOrEmail: id }),
        setActive(bob, { organizationSlug: 'racing' }),
      ])
      const [row] = await t.app.core.db
        .knex('session')
        .where({ user_id: (await userOf(bob)).id })
        .select('active_organization_id')
      expect(row).toEqual({ active_organization_id: null })
    }
  })

  testOnBoth('an organization deleted while a session activates it is active in no session', async () => {
    const ann = await t.signedIn('deleter@example.com')
    const bob = await t.signedIn('chooser@example.com')
    for (let round = 0; round < 8; round += 1) {
      const organizationId = await create(ann, `deleted-${round}`)
      await add(t, organizationId, bob)
      await Promise.all([
        ...[1, 2].map(() => setActive(bob, { organizationId })),
        ann.post('/organization/delete', { organizationId }),
        setActive(bob, { organizationId }),
      ])
      const left = await t.app.core.db.knex('session').where({ active_organization_id: organizationId }).select('id')
      expect(left).toEqual([])
    }
  })
})

test('reading a full organization takes a fixed number of queries, however many members it has', async () => {
  await t.app.jobs.stop()
  const { client, organizationId } = await owner(t, 'counted@example.com', 'counted')
  const read = () => countStatements(t, () => client.request('/organization/get-full-organization'))
  const choose = () => countStatements(t, () => setActive(client, { organizationId }))
  // The statements are: session; membership with the organization; members; invitations; teams.
  expect(await read()).toEqual(Array(5).fill('select'))
  // The statements are: session; membership, locked; the session's row; members, invitations, teams.
  expect((await choose()).filter((word) => word !== 'begin')).toEqual([
    'select',
    'select',
    'update',
    'select',
    'select',
    'select',
  ])
  for (let n = 0; n < 10; n += 1) await joined(t, organizationId, `counted${n}@example.com`)
  expect(await read()).toHaveLength(5)
  expect(await choose()).toHaveLength(6)
})
